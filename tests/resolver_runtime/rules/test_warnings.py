"""Each rule that warns: what it finds, with its exact place, and the near miss on which it stays silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checking import HEAD, checked, marked, places

# A marker that is a default has no JSON, and pydantic says so at import.
pytestmark = pytest.mark.filterwarnings("ignore:Default value .* is not JSON serializable")

ONE = "def one() -> int: return 1\n"
ACT = "@mcp.tool()\ndef act(number: Annotated[Any, Resolve(find)]) -> str: return str(number)\n"
"""A tool whose parameter `find` fills."""
WITH_TITLE = "@mcp.tool()\ndef act(title: str, number: Annotated[Any, Resolve(find)]) -> str: return title\n"
ALIAS = "from typing_extensions import TypeAliasType\nNumber = TypeAliasType('Number', Annotated[int, Resolve(one)])\n"
LOUD = (
    "import functools\ndef loud(fn):\n    @functools.wraps(fn)\n    def shout(*args, **kwargs):\n{0}    return shout\n"
)
WITH_LOOP = "        import asyncio\n        return asyncio.run(fn(*args, **kwargs))\n"
SLEEPER = "    await anyio.sleep(0)\n    return 1\n"

FIRES = {
    "RP101 a marker as the default": (ONE + "@mcp.tool()\ndef act(«number: int = Resolve(one)) -> str: return ''\n"),
    "RP101 the class in the place of a marker": (
        "@mcp.tool()\ndef act(«number: Annotated[int, Resolve]) -> str: return ''\n"
    ),
    "RP101 a marker behind an alias": (ONE + ALIAS + "@mcp.tool()\ndef act(«number: Number) -> str: return ''\n"),
    "RP101 a marker behind an alias with a parameter": (
        ONE
        + "from typing import TypeVar\nfrom typing_extensions import TypeAliasType\nT = TypeVar('T')\n"
        + "From = TypeAliasType('From', Annotated[T, Resolve(one)], type_params=(T,))\n"
        + "@mcp.tool()\ndef act(«number: From[int]) -> str: return ''\n"
    ),
    "RP101 a marker of a resolver behind an alias": (
        ONE + ALIAS + "def find(title: str, «number: Number) -> int: return number\n"
        "@mcp.tool()\ndef act(title: str, number: int, a: Annotated[int, Resolve(find)]) -> str: return ''\n"
    ),
    "RP101 a marker of a resolver in a union": (
        ONE + "def find(«number: Annotated[int, Resolve(one)] | None) -> int: return 1\n"
        "@mcp.tool()\ndef act(number: int, a: Annotated[int, Resolve(find)]) -> str: return ''\n"
    ),
    "RP101 a marker of a resolver as the default": (
        ONE + "def find(«number: int = Resolve(one)) -> int: return 1\n"
        "@mcp.tool()\ndef act(number: int, a: Annotated[int, Resolve(find)]) -> str: return ''\n"
    ),
    "RP102 a marker in a text that cannot be evaluated": (
        ONE + "def find(«number: 'Annotated[Missing, Resolve(one)]') -> int: return 1\n"
        "@mcp.tool()\ndef act(number: int, a: Annotated[int, Resolve(find)]) -> str: return ''\n"
    ),
    "RP102 a marker beside an annotation that cannot be evaluated": (
        ONE + "def find(title: 'Missing', «number: Annotated[int, Resolve(one)]) -> int: return 1\n"
        "@mcp.tool()\ndef act(title: str, number: int, a: Annotated[int, Resolve(find)]) -> str: return ''\n"
    ),
    "RP102 a Context beside a return that cannot be evaluated": (
        "def find(«ctx: Context) -> 'Missing': return 1\n"
        "@mcp.tool()\ndef act(ctx: int, a: Annotated[int, Resolve(find)]) -> str: return ''\n"
    ),
    "RP103 a sync wrapper round an async resolver": (
        LOUD.format("        return fn(*args, **kwargs)\n").replace("def shout", "«def shout")
        + f"import anyio\n@loud\nasync def find() -> int:\n{SLEEPER}{ACT}"
    ),
    "RP103 two sync wrappers": (
        LOUD.format("        return fn(*args, **kwargs)\n").replace("def shout", "«def shout")
        + f"import anyio\n@loud\n@loud\nasync def find() -> int:\n{SLEEPER}{ACT}"
    ),
    "RP103 a cache round an async resolver": (
        f"import anyio, functools\n@functools.cache\n«async def find() -> int:\n{SLEEPER}{ACT}"
    ),
    "RP103 a sync resolver that calls an async function": (
        f"import anyio\nasync def fetch() -> int:\n{SLEEPER}«def find() -> int: return fetch()\n{ACT}"
    ),
    "RP104 a sleep": f"import time\nasync def find() -> int:\n    «time.sleep(1)\n    return 1\n{ACT}",
    "RP104 a sleep by another name": (
        f"from time import sleep as nap\nasync def find() -> int:\n    «nap(1)\n    return 1\n{ACT}"
    ),
    "RP104 a sleep that the resolver imports itself": (
        f"async def find() -> int:\n    from time import sleep\n    for _ in range(2): «sleep(1)\n    return 1\n{ACT}"
    ),
    "RP104 a process that is waited for": (
        f"import subprocess\nasync def find() -> bytes: return «subprocess.run(['true'], check=True).stdout\n{ACT}"
    ),
    "RP104 a request": (
        "import urllib.request as web\nasync def find() -> bytes:\n"
        f"    with «web.urlopen('http://localhost') as page: return page.read()\n{ACT}"
    ),
    "RP104 a request of a package that is not there": (
        f"async def find() -> str:\n    import requests\n    return «requests.get('http://localhost').text\n{ACT}"
    ),
    "RP104 a blocking call behind a decorator": (
        "import functools, time\ndef quiet(fn):\n    @functools.wraps(fn)\n    async def whisper(): return await fn()\n"
        f"    return whisper\n@quiet\nasync def find() -> int:\n    «time.sleep(1)\n    return 1\n{ACT}"
    ),
    "RP105 a question behind object": f"def find() -> «object: return Elicit('Sure?', Sure)\n{ACT}",
    "RP105 a question without a return annotation": f"«def find(): return Elicit('Sure?', Sure)\n{ACT}",
    "RP105 a question in one branch": (
        f"LAST = True\ndef find() -> «Sure:\n    return Sure(yes=True) if LAST else Elicit[Sure]('Sure?', Sure)\n{ACT}"
    ),
    "RP105 another question than the declared one": f"def find() -> «ListRoots: return Elicit('Sure?', Sure)\n{ACT}",
    "RP105 a question behind Annotated": (
        f"def find() -> «Annotated[Elicit[Sure], 'asks']: return Elicit('Sure?', Sure)\n{ACT}"
    ),
    "RP205 the context of this server": (
        f"def find() -> Sample: return Sample([], max_tokens=1, include_context=«'thisServer')\n{ACT}"
    ),
    "RP205 the context of all servers, by a name": (
        "ALL = 'allServers'\nasync def find() -> Sample:\n"
        f"    return Sample([], max_tokens=1, include_context=«ALL)\n{ACT}"
    ),
}


@pytest.mark.parametrize("case", FIRES)
def test_it_is_found_where_it_stands(tmp_path: Path, case: str) -> None:
    code = case.partition(" ")[0]
    text, expected = marked(HEAD + FIRES[case])
    findings = checked(tmp_path, text)
    assert places(findings, code) == expected
    assert {one["code"] for one in findings if one["severity"] == "warning"} == {code}


SILENT = {
    "RP101 a marker where it belongs": (
        ONE + "@mcp.tool()\ndef act(number: Annotated[int, Resolve(one)] = 2) -> str: return ''\n"
    ),
    "RP101 a marker after other metadata": (
        ONE + "@mcp.tool()\ndef act(number: Annotated[int, Field(ge=1), Resolve(one)]) -> str: return ''\n"
    ),
    "RP101 an alias without a marker": (
        "from typing_extensions import TypeAliasType\nNumber = TypeAliasType('Number', Annotated[int, Field(ge=1)])\n"
        "@mcp.tool()\ndef act(number: Number) -> str: return ''\n"
    ),
    "RP101 a plain alias, which the SDK sees through": (
        ONE + "Number = Annotated[int, Resolve(one)]\n@mcp.tool()\ndef act(number: Number) -> str: return ''\n"
    ),
    "RP101 an alias that cannot be evaluated": (
        "from typing_extensions import TypeAliasType\nNumber = TypeAliasType('Number', 'Missing')\n"
        "def find(title: str, number: Annotated[Any, Resolve(lambda: 1)]) -> Number: return 1\n" + WITH_TITLE
    ),
    "RP102 a return that cannot be evaluated, and no marker": (
        "def find(title: str) -> 'Missing': return 1\n" + WITH_TITLE
    ),
    "RP102 a text that can be evaluated": (
        ONE + f"def find(number: 'Annotated[int, Resolve(one)]') -> 'int': return 1\n{ACT}"
    ),
    "RP102 a text that names another Resolve": (
        "import pathlib\nclass Other:\n    def Resolve(self): return 1\nother = Other()\n"
        "def find(title: 'Annotated[Missing, other.Resolve()]') -> int: return 1\n" + WITH_TITLE
    ),
    "RP103 a sync wrapper that runs the coroutine": (
        LOUD.format(WITH_LOOP) + f"import anyio\n@loud\nasync def find() -> int:\n{SLEEPER}{ACT}"
    ),
    "RP103 an async wrapper": (
        LOUD.format("        return await fn(*args, **kwargs)\n").replace("def shout", "async def shout")
        + f"import anyio\n@loud\nasync def find() -> int:\n{SLEEPER}{ACT}"
    ),
    "RP103 a cache round a sync resolver": f"import functools\n@functools.cache\ndef find() -> int: return 1\n{ACT}",
    "RP103 an async resolver that calls an async function": (
        f"import anyio\nasync def fetch() -> int:\n{SLEEPER}async def find() -> int: return await fetch()\n{ACT}"
    ),
    "RP103 a partial of an async resolver": (
        f"import anyio, functools\nasync def fetch() -> int:\n{SLEEPER}find = functools.partial(fetch)\n{ACT}"
    ),
    "RP104 a sleep in a sync resolver": f"import time\ndef find() -> int:\n    time.sleep(0.001)\n    return 1\n{ACT}",
    "RP104 a sleep in a thread": (
        "import anyio.to_thread, time\nasync def find() -> int:\n"
        "    await anyio.to_thread.run_sync(time.sleep, 1)\n"
        f"    await anyio.to_thread.run_sync(lambda: time.sleep(1))\n    return 1\n{ACT}"
    ),
    "RP104 a sleep in a function that is only defined": (
        f"import time\nasync def find() -> int:\n    def later(): time.sleep(1)\n    return 1\n{ACT}"
    ),
    "RP104 a sleep of nothing": f"import time\nasync def find() -> int:\n    time.sleep(0)\n    return 1\n{ACT}",
    "RP104 a sleep of something else that is called time": (
        "class Clock:\n    def sleep(self, seconds): pass\ntime = Clock()\n"
        f"async def find() -> int:\n    time.sleep(1)\n    return 1\n{ACT}"
    ),
    "RP104 a sleep of an argument": (
        f"async def find(title: Any) -> int:\n    title.sleep(1)\n    return 1\n{WITH_TITLE}"
    ),
    "RP104 a sleep that is awaited": (
        f"from anyio import sleep\nasync def find() -> int:\n    await sleep(0)\n    return 1\n{ACT}"
    ),
    "RP104 a sleep in the tool": (
        "import time\ndef find() -> int: return 1\n" + ACT.replace("return str", "time.sleep(1); return str")
    ),
    "RP105 a question that is declared": f"def find() -> Sure | Elicit[Sure]: return Elicit('Sure?', Sure)\n{ACT}",
    "RP105 a question of a class that inherits from Elicit": (
        f"class Ask(Elicit[Sure]): pass\ndef find() -> Ask: return Ask('Sure?', Sure)\n{ACT}"
    ),
    "RP105 a question that is a value": f"def find() -> list[Any]: return [Elicit('Sure?', Sure)]\n{ACT}",
    "RP105 a question of a function inside": (
        f"def find() -> int:\n    def ask(): return Elicit('Sure?', Sure)\n    return 1\n{ACT}"
    ),
    "RP105 something else that is called Elicit": (
        f"def find(title: str) -> str:\n    Elicit = str\n    return Elicit(title)\n{WITH_TITLE}"
    ),
    "RP205 no context": (f"def find() -> Sample: return Sample([], max_tokens=1, include_context='none')\n{ACT}"),
    "RP205 no word about context": f"def find() -> Sample: return Sample([], max_tokens=1)\n{ACT}",
    "RP205 a context that is not known": (
        "def find(title: str) -> Sample: return Sample([], max_tokens=1, include_context=title)\n" + WITH_TITLE
    ),
}


@pytest.mark.parametrize("case", SILENT)
def test_it_stays_silent_on_a_near_miss(tmp_path: Path, case: str) -> None:
    findings = checked(tmp_path, HEAD + SILENT[case])
    assert [one for one in findings if one["severity"] == "warning"] == []


WHO_FILLS = [
    (
        FIRES["RP101 a marker of a resolver in a union"],
        "The marker of 'number' of find stands inside a union or another annotation, so it has no effect. "
        "find takes what the client sends for the argument 'number'.",
    ),
    (
        FIRES["RP101 a marker of a resolver in a union"].replace("number: int, a", "a"),
        "The marker of 'number' of find stands inside a union or another annotation, so it has no effect. "
        "act has no argument 'number' either, so nothing fills it.",
    ),
    (
        FIRES["RP101 a marker behind an alias"],
        "The marker of 'number' of act stands behind a type alias, so it has no effect. "
        "'number' stands in the input schema: the client fills it.",
    ),
    (
        FIRES["RP101 a marker as the default"],
        "The marker of 'number' of act is its default, so it has no effect. 'number' stands in the input schema: "
        "the client fills it, and the tool gets the marker where it sends none.",
    ),
    (
        FIRES["RP102 a marker in a text that cannot be evaluated"],
        "The annotations of find cannot be evaluated (NameError: name 'Missing' is not defined), so the marker of "
        "'number' has no effect. find takes what the client sends for the argument 'number'.",
    ),
]


@pytest.mark.parametrize(("text", "message"), WHO_FILLS)
def test_a_marker_without_effect_is_told_with_who_fills_the_parameter(tmp_path: Path, text: str, message: str) -> None:
    found = checked(tmp_path, HEAD + text.replace("«", ""))
    assert [one["message"] for one in found if one["severity"] == "warning"] == [message]


def test_a_hidden_question_is_told_with_the_place_where_it_is_returned(tmp_path: Path) -> None:
    text, expected = marked(HEAD + f"def find() -> object:\n    return «Elicit('Sure?', Sure)\n{ACT}")
    [finding] = [one for one in checked(tmp_path, text) if one["severity"] == "warning"]
    assert finding["message"].startswith("find asks with Elicit, and declares that it returns object: ")
    assert places([{**one, "code": ""} for one in finding["related"]], "") == expected
