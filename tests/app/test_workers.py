"""Real workers: what they find in a module, what they tell, how they end."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from app.calling import Made, Request, call_on
from app.client.settings import ClientSettings
from app.workers import ModuleSpec, Worker, WorkerFailed, Workers
from resolver_runtime import events as ev
from resolver_runtime.host.process import tree_of

pytestmark = pytest.mark.anyio

WAIT_SECONDS = 30
HEAD = "from mcp.server.mcpserver import MCPServer\n"
TOOL = "@{0}.tool()\ndef {1}() -> str:\n    return '{1}'\n"


@asynccontextmanager
async def working(directory: Path, text: str, target: str = "shop.py", **spec: Any) -> AsyncIterator[Worker]:
    """A worker for `shop.py` with this text."""
    (directory / "shop.py").write_text(text)
    async with Workers() as workers:
        with anyio.fail_after(WAIT_SECONDS):
            yield await workers.start(ModuleSpec(str(directory / target), **spec))


async def surveyed(directory: Path, text: str, target: str = "shop.py") -> dict[str, Any]:
    async with working(directory, text, target) as worker:
        return worker.survey


async def called(worker: Worker, tool: str = "act") -> Made:
    request = Request(ModuleSpec("shop.py"), tool, {}, ClientSettings(), {})

    async def nobody(asked: ev.QuestionAsked) -> None:
        return None

    return await call_on(worker, request, nobody, lambda _: None)


def tools(survey: dict[str, Any]) -> list[list[str]]:
    return [[tool["name"] for tool in server["tools"]] for server in survey["servers"]]


SERVED = {
    "any name": (f"{HEAD}the_shop = MCPServer('s')\n" + TOOL.format("the_shop", "act"), [["act"]]),
    "two servers": (
        f"{HEAD}a, b = MCPServer('a'), MCPServer('b')\n" + TOOL.format("a", "act") + TOOL.format("b", "act"),
        [["act"], ["act"]],
    ),
    "one server under two names": (f"{HEAD}a = b = MCPServer('a')\n", [[]]),
    "a factory": (f"{HEAD}def create_server():\n    return MCPServer('made')\n", [[]]),
    "run at import": (f"{HEAD}def main():\n    MCPServer('ran').run()\nmain()\n", [[]]),
    "async run at import": (
        f"import asyncio\n{HEAD}def main():\n    asyncio.run(MCPServer('ran').run_stdio_async())\nmain()\n",
        [[]],
    ),
    "postponed annotations in a dataclass": (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        f"{HEAD}mcp = MCPServer('s')\n@dataclass\nclass Book:\n    title: str\n",
        [[]],
    ),
    "a main that is guarded": (f"{HEAD}mcp = MCPServer('s')\nif __name__ == '__main__':\n    raise SystemExit\n", [[]]),
}


@pytest.mark.parametrize(("text", "expected"), SERVED.values(), ids=SERVED.keys())
async def test_a_module_loads_as_it_is(tmp_path: Path, text: str, expected: list[list[str]]) -> None:
    survey = await surveyed(tmp_path, text)
    assert survey["problems"] == []
    assert tools(survey) == expected


async def test_a_server_can_be_named(tmp_path: Path) -> None:
    text = f"{HEAD}a, b = MCPServer('first'), MCPServer('second')\n"
    survey = await surveyed(tmp_path, text, "shop.py:b")
    assert [server["name"] for server in survey["servers"]] == ["second"]


async def test_a_file_of_a_package_is_imported_with_its_relatives(tmp_path: Path) -> None:
    package = tmp_path / "books"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "data.py").write_text("NAME = 'from data'\n")
    (package / "server.py").write_text(f"from .data import NAME\n{HEAD}mcp = MCPServer(NAME)\n")
    survey = await surveyed(tmp_path, "", "books/server.py")
    assert [server["name"] for server in survey["servers"]] == ["from data"]


PROBLEMS = {
    "an exception": ("x = 1\nx / 0\n", "import", "ZeroDivisionError: division by zero", 2),
    "a fault of syntax": ("def (:\n", "syntax", "SyntaxError", 1),
    "mcp 1": ("from mcp.server.fastmcp import FastMCP\n", "mcp_v1", "mcp.server.fastmcp", 1),
    "the package fastmcp": ("from fastmcp import FastMCP\n", "fastmcp", "fastmcp", 1),
    "a package that is not there": ("import books_of_mine\n", "missing_package", "books_of_mine", 1),
    "an exit": ("import sys\nsys.exit(3)\n", "exit", "SystemExit: 3", 2),
    "no server": ("x = 1\n", "no_server", "holds no MCPServer", None),
    "a lifespan that raises": (
        "from contextlib import asynccontextmanager\n"
        f"{HEAD}@asynccontextmanager\nasync def life(server):\n    raise OSError('no database')\n    yield\n"
        "mcp = MCPServer('s', lifespan=life)\n",
        "lifespan",
        "OSError: no database",
        5,
    ),
    "a broken tool": (
        f"from typing import Annotated\nfrom mcp.server.mcpserver import Resolve\n{HEAD}mcp = MCPServer('s')\n"
        "def shelf(titel: str) -> str: return titel\n"
        "@mcp.tool()\ndef find(title: str, at: Annotated[str, Resolve(shelf)]) -> str: return at\n"
        + TOOL.format("mcp", "act"),
        "unresolvable_parameter",
        "'titel' cannot be resolved",
        5,
    ),
}


@pytest.mark.parametrize(("text", "code", "words", "line"), PROBLEMS.values(), ids=PROBLEMS.keys())
async def test_what_is_wrong_with_a_module_is_a_problem_with_its_place(
    tmp_path: Path, text: str, code: str, words: str, line: int | None
) -> None:
    survey = await surveyed(tmp_path, text)
    problem = survey["problems"][0]
    assert problem["code"] == code
    assert words in problem["message"]
    assert problem["line"] == line
    assert problem["hint"]


async def test_beside_a_broken_tool_the_others_are_surveyed_and_none_is_served(tmp_path: Path) -> None:
    text = PROBLEMS["a broken tool"][0]
    survey = await surveyed(tmp_path, text)
    assert tools(survey) == [["act", "find"]]
    assert [server["served"] for server in survey["servers"]] == [False]
    assert "Did you mean 'title'?" in survey["problems"][0]["hint"]


ACT = f"import os, sys, signal, subprocess, logging, time\n{HEAD}mcp = MCPServer('s')\n@mcp.tool()\ndef act() -> str:\n"

DEATHS = {
    "an exit code": ("    os._exit(3)\n", "exit code 3"),
    "a signal": ("    os.kill(os.getpid(), signal.SIGSEGV)\n", "Segmentation fault"),
    "a kill from outside": ("    os.kill(os.getpid(), signal.SIGKILL)\n", "killed from outside"),
}


@pytest.mark.parametrize(("body", "words"), DEATHS.values(), ids=DEATHS.keys())
async def test_a_worker_that_dies_ends_its_call_with_the_cause(tmp_path: Path, body: str, words: str) -> None:
    async with working(tmp_path, ACT + body) as worker:
        made = await called(worker)
        assert made.code == 5
        assert words in made.document["error"]["message"]


async def test_an_exit_in_a_tool_fails_its_call_and_no_other(tmp_path: Path) -> None:
    async with working(tmp_path, f"{ACT}    sys.exit('enough')\n" + TOOL.format("mcp", "other")) as worker:
        made = await called(worker)
        assert made.code == 1
        failed = [event for event in made.document["events"] if event["type"] == "tool_failed"]
        assert failed[0]["failure"]["kind"] == "SystemExit"
        assert (await called(worker, "other")).code == 0


async def test_what_a_tool_prints_and_logs_is_told_with_its_call(tmp_path: Path) -> None:
    body = (
        "    print('by print')\n    logging.getLogger('shop').warning('by %s', 'log')\n"
        "    os.write(1, b'by descriptor\\n')\n    subprocess.run(['echo', 'by child'])\n    time.sleep(0.1)\n"
        "    return 'done'\n"
    )
    async with working(tmp_path, ACT + body) as worker:
        made = await called(worker)
    told = {event["text"] for event in made.document["events"] if event["type"] in ("printed", "logged")}
    assert {"by print", "by log", "by descriptor", "by child"} <= told


async def test_a_flood_of_output_is_counted_instead_of_told(tmp_path: Path) -> None:
    body = (
        "    for number in range(20_000): print(number)\n    time.sleep(1.1)\n    print('after')\n    return 'done'\n"
    )
    async with working(tmp_path, ACT + body) as worker:
        made = await called(worker)
    events = made.document["events"]
    printed = [event for event in events if event["type"] == "printed"]
    dropped = sum(event["lines"] for event in events if event["type"] == "output_dropped")
    assert printed[-1]["text"] == "after"
    assert len(printed) + dropped == 20_001
    assert dropped > 0


async def test_what_a_module_prints_at_import_is_kept(tmp_path: Path) -> None:
    async with working(tmp_path, f"print('hello')\n{HEAD}mcp = MCPServer('s')\n") as worker:
        await worker.fence()
        assert worker.output == ["hello"]


async def test_a_worker_sees_nothing_of_our_environment_but_what_programs_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYGROUND_CANARY", "secret")
    async with working(tmp_path, f"{ACT}    return repr(dict(os.environ))\n") as worker:
        made = await called(worker)
    assert "PATH" in made.document["result"]["content"][0]["text"]
    assert "secret" not in made.document["result"]["content"][0]["text"]


LEFT_BEHIND = """
def leave():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            with open({file!r}, 'w') as file: file.write(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    return 'left'
signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""


async def test_a_killed_worker_leaves_no_process_behind_whatever_it_did(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    text = ACT.replace("@mcp", LEFT_BEHIND.format(file=str(file)) + "@mcp") + "    return leave()\n"
    async with working(tmp_path, text) as worker:
        await called(worker)
        while not (file.exists() and file.read_text()):
            await anyio.lowlevel.checkpoint()
        grandchild = int(file.read_text())
        assert grandchild in tree_of(worker.pid)
        await worker.kill()
        while _runs(grandchild):
            await anyio.lowlevel.checkpoint()
        assert worker.death is not None
        assert worker.death.cause == "killed"


def _runs(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


async def test_no_worker_outlives_the_workers(tmp_path: Path) -> None:
    async with working(tmp_path, f"{HEAD}mcp = MCPServer('s')\n") as worker:
        pid = worker.pid
    with anyio.fail_after(WAIT_SECONDS):
        while _runs(pid):
            await anyio.lowlevel.checkpoint()


async def test_an_interpreter_that_is_not_there_is_said(tmp_path: Path) -> None:
    async with Workers() as workers:
        with pytest.raises(WorkerFailed, match="cannot be run"):
            await workers.start(ModuleSpec("shop.py", python=str(tmp_path / "python")))


async def test_an_interpreter_without_mcp_is_said(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'No module named mcp' >&2\nexit 1\n")
    python.chmod(0o755)
    async with Workers() as workers:
        with anyio.fail_after(WAIT_SECONDS), pytest.raises(WorkerFailed, match="may lack `mcp`") as failed:
            await workers.start(ModuleSpec("shop.py", python=str(python)))
    assert "No module named mcp" in failed.value.output


async def test_a_module_by_its_name_is_found_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "named.py").write_text(f"{HEAD}mcp = MCPServer('found')\n")
    async with Workers() as workers:
        worker = await workers.start(ModuleSpec("named"))
    assert [server["name"] for server in worker.survey["servers"]] == ["found"]
    assert os.getcwd() == str(tmp_path)
