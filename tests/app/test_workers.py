"""What real workers find in a module."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import pytest

from app.workers import ModuleSpec, WorkerFailed, Workers
from tests.app.working import HEAD, TOOL, WAIT_SECONDS, surveyed, tools

pytestmark = pytest.mark.anyio

SERVED = {
    "any name": (f"{HEAD}the_shop = MCPServer('s')\n" + TOOL.format("the_shop", "act"), [["act"]]),
    "two servers": (
        f"{HEAD}a, b = MCPServer('a'), MCPServer('b')\n" + TOOL.format("a", "act") + TOOL.format("b", "act"),
        [["act"], ["act"]],
    ),
    "one server under two names": (f"{HEAD}a = b = MCPServer('a')\n", [[]]),
    "a factory": (f"{HEAD}def create_server():\n    return MCPServer('made')\n", [[]]),
    "run at import": (f"{HEAD}def main():\n    MCPServer('ran').run()\nmain()\n", [[]]),
    "an application served at import": (
        f"import uvicorn\n{HEAD}mcp = MCPServer('s')\nuvicorn.run(mcp.streamable_http_app(), port=1)\n",
        [[]],
    ),
    "a tool added by the lifespan": (
        f"from contextlib import asynccontextmanager\n{HEAD}@asynccontextmanager\nasync def life(server):\n"
        "    server.add_tool(lambda: '', name='late')\n    yield\nmcp = MCPServer('s', lifespan=life)\n",
        [["late"]],
    ),
    "a factory among others that need something": (
        f"{HEAD}def build_server(name):\n    return MCPServer(name)\ndef make_server(name='made'):\n"
        "    return MCPServer(name)\n",
        [[]],
    ),
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
    "a server of another kind": (
        "from mcp.server import Server\nlow = Server('low')\n",
        "no_server",
        "'low' is a server of another kind: mcp.server.lowlevel.server.Server",
        None,
    ),
    "a factory that needs something": (
        f"{HEAD}def create_server(name):\n    return MCPServer(name)\n",
        "no_server",
        "holds no MCPServer",
        None,
    ),
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


async def test_a_directory_too_long_for_a_socket_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert await surveyed(tmp_path, f"{HEAD}mcp = MCPServer('s')\n")
    assert list(deep.iterdir()) == []


def test_the_web_process_starts_workers_without_importing_mcp() -> None:
    check = "import sys, app.workers; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
