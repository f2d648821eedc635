"""Every signature that no call could fill, with its exact place; and its nearest neighbour that can."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checking import HEAD, checked, marked, places

CIRCLE = """\
def ping(other: "Annotated[int, Resolve(pong)]") -> int: return other
def pong(first: str, other: Annotated[int, Resolve(ping)]) -> int: return other
@mcp.tool()
def act(first: str, number: Annotated[int, Resolve(ping)]) -> str: return ""
"""

FIRES = {
    "a cycle of two": ("RP001", CIRCLE.replace("ping(other", "ping(«other")),
    "a resolver that needs itself": (
        "RP001",
        'def alone(«me: "Annotated[int, Resolve(alone)]") -> int: return me\n'
        "@mcp.tool()\ndef act(number: Annotated[int, Resolve(alone)]) -> str: return ''\n",
    ),
    "a cycle of methods": (
        "RP001",
        "class Shelf:\n    def a(self, «b: 'Annotated[int, Resolve(shelf.b)]') -> int: return b\n"
        "    def b(self, a: 'Annotated[int, Resolve(shelf.a)]') -> int: return a\nshelf = Shelf()\n"
        "@mcp.tool()\ndef act(number: Annotated[int, Resolve(shelf.a)]) -> str: return ''\n",
    ),
    "a parameter nobody fills": (
        "RP002",
        "def find(\n    title: str,\n    «isbn: str,\n) -> str: return isbn\n"
        "@mcp.tool()\ndef act(title: str, at: Annotated[str, Resolve(find)]) -> str: return at\n",
    ),
    "a parameter with a default that nobody fills": (
        "RP002",
        "def find(«isbn: str = '') -> str: return isbn\n"
        "@mcp.tool()\ndef act(at: Annotated[str, Resolve(find)]) -> str: return at\n",
    ),
    "keywords that nobody fills": (
        "RP002",
        "def find(**«others: str) -> str: return ''\n"
        "@mcp.tool()\ndef act(at: Annotated[str, Resolve(find)]) -> str: return at\n",
    ),
    "two parameters nobody fills": (
        "RP002",
        "def find(«isbn: str, «shelf: str) -> str: return isbn\n"
        "@mcp.tool()\ndef act(at: Annotated[str, Resolve(find)]) -> str: return at\n",
    ),
    "another parameter that a resolver fills": (
        "RP002",
        "def one() -> int: return 1\ndef two(«number: int) -> int: return number\n"
        "@mcp.tool()\n"
        "def act(number: Annotated[int, Resolve(one)], n: Annotated[int, Resolve(two)]) -> str: return ''\n",
    ),
    "a parameter of a decorated function, behind letters of two bytes": (
        "RP002",
        "import functools\ndef loud(fn):\n    @functools.wraps(fn)\n    def shout(*a, **k): return fn(*a, **k)\n"
        "    return shout\n"
        "@loud\n@loud\ndef find(título: str, «isbn: str) -> str: return isbn\n"
        "@mcp.tool()\ndef act(título: str, at: Annotated[str, Resolve(find)]) -> str: return at\n",
    ),
    "a parameter of an object that is called": (
        "RP002",
        "class Find:\n    def __call__(self, «isbn: str) -> str: return isbn\n"
        "@mcp.tool()\ndef act(at: Annotated[str, Resolve(Find())]) -> str: return at\n",
    ),
    "a marker in a union": (
        "RP003",
        "def one() -> int: return 1\n"
        "@mcp.tool()\ndef act(title: str, «number: Annotated[int, Resolve(one)] | None) -> str: return ''\n",
    ),
    "a marker in a list": (
        "RP003",
        "def one() -> int: return 1\n"
        "@mcp.tool()\ndef act(«numbers: list[Annotated[int, Resolve(one)]]) -> str: return ''\n",
    ),
    "two questions": (
        "RP004",
        "def ask() -> «Elicit[Sure] | Sample: return Elicit('Sure?', Sure)\n"
        "@mcp.tool()\nasync def act(sure: Annotated[Any, Resolve(ask)]) -> str: return ''\n",
    ),
    "two flows": (
        "RP005",
        "from mcp_types import InputRequiredResult\ndef one() -> int: return 1\n"
        "@mcp.tool()\ndef act(number: Annotated[int, Resolve(one)]) -> «str | InputRequiredResult: return ''\n",
    ),
    "annotations of a tool that cannot be evaluated": (
        "RP006",
        "@mcp.tool()\n«def act(number: 'Missing') -> str: return ''\n",
    ),
    "a parameter with an underscore": ("RP006", "@mcp.tool()\n«def act(_number: int) -> str: return ''\n"),
}


@pytest.mark.parametrize(("code", "text"), FIRES.values(), ids=FIRES.keys())
def test_a_signature_that_cannot_be_filled_is_found_where_it_stands(tmp_path: Path, code: str, text: str) -> None:
    text, expected = marked(HEAD + text)
    findings = checked(tmp_path, text)
    assert expected
    assert places(findings, code) == expected
    assert {one["code"] for one in findings if one["severity"] == "error"} == {code}


SILENT = {
    "a resolver that two need": (
        "def one() -> int: return 1\ndef two(a: Annotated[int, Resolve(one)]) -> int: return a\n"
        "def three(a: Annotated[int, Resolve(one)], b: Annotated[int, Resolve(two)]) -> int: return a\n"
        "@mcp.tool()\ndef act(number: Annotated[int, Resolve(three)]) -> str: return ''\n"
    ),
    "two instances of one class": (
        "class Shelf:\n    def a(self) -> int: return 1\n"
        "    def b(self, a: 'Annotated[int, Resolve(other.a)]') -> int: return a\nshelf, other = Shelf(), Shelf()\n"
        "@mcp.tool()\ndef act(number: Annotated[int, Resolve(shelf.b)]) -> str: return ''\n"
    ),
    "a parameter under the public name of an argument": (
        "def find(isbn: str) -> str: return isbn\n@mcp.tool()\n"
        "def act(code: Annotated[str, Field(alias='isbn')], at: Annotated[str, Resolve(find)]) -> str: return at\n"
    ),
    "a value that may be None": (
        "def one() -> int | None: return 1\n"
        "@mcp.tool()\ndef act(number: Annotated[int | None, Resolve(one)]) -> str: return ''\n"
    ),
    "a question or its answer": (
        "def ask() -> Sure | Elicit[Sure]: return Elicit('Sure?', Sure)\n"
        "@mcp.tool()\ndef act(sure: Annotated[Sure, Resolve(ask)]) -> str: return ''\n"
    ),
    "rounds of the tool's own": (
        "from mcp_types import InputRequiredResult\n@mcp.tool()\ndef act() -> str | InputRequiredResult: return ''\n"
    ),
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_a_signature_that_can_be_filled_is_left_alone(tmp_path: Path, text: str) -> None:
    assert [one for one in checked(tmp_path, HEAD + text) if one["severity"] == "error"] == []


def test_a_cycle_is_told_whole_with_the_parameter_of_each_edge(tmp_path: Path) -> None:
    text, expected = marked(HEAD + CIRCLE.replace("ping(other", "ping(«other").replace("str, other", "str, «other"))
    [finding] = checked(tmp_path, text)
    assert finding["message"] == ("Resolver 'ping' has a cyclic dependency: ping(other) needs pong(other) needs ping.")
    assert [one["message"] for one in finding["related"]] == [
        "pong fills 'other' of ping",
        "ping fills 'other' of pong",
    ]
    assert places([{**one, "code": "edge"} for one in finding["related"]], "edge") == expected


def test_a_parameter_from_nowhere_is_told_the_nearest_name(tmp_path: Path) -> None:
    [finding] = checked(
        tmp_path,
        HEAD + "def find(titel: str) -> str: return titel\n"
        "@mcp.tool()\ndef act(title: str, at: Annotated[str, Resolve(find)]) -> str: return at\n",
    )
    assert finding["hint"].startswith("Did you mean 'title'? ")
    assert (finding["tool"], finding["resolver"], finding["parameter"]) == ("act", "find", "titel")


def test_every_problem_of_a_tool_is_found_and_not_only_the_first(tmp_path: Path) -> None:
    findings = checked(
        tmp_path,
        HEAD + CIRCLE.replace("first: str, number", "number").replace("-> int: return other", "-> int: return 1", 1),
    )
    assert [one["code"] for one in findings] == ["RP001", "RP002"]


def test_what_has_no_source_is_placed_as_well_as_the_interpreter_knows(tmp_path: Path) -> None:
    text = "scope = {}\nexec(compile('\\ndef find(isbn): return isbn', 'made', 'exec'), scope)\nfind = scope['find']\n"
    tool = "@mcp.tool()\ndef act(at: Annotated[str, Resolve(find)]) -> str: return at\n"
    [finding] = checked(tmp_path, HEAD + text + tool)
    assert (finding["file"], finding["line"], finding["column"]) == ("made", 2, None)
