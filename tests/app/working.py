"""Real workers for tests: a module's text in, a worker or a call made on it out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from app.calling import Made, Request, call_on
from app.client.settings import ClientSettings
from app.workers import ModuleSpec, Worker, Workers
from resolver_runtime import events as ev

WAIT_SECONDS = 30
HEAD = "from mcp.server.mcpserver import MCPServer\n"
TOOL = "@{0}.tool()\ndef {1}() -> str:\n    return '{1}'\n"
ACT = f"import os, sys, signal, subprocess, logging, time\n{HEAD}mcp = MCPServer('s')\n@mcp.tool()\ndef act() -> str:\n"
"""The beginning of a module whose tool `act` has the body that is put behind it."""


@asynccontextmanager
async def working(directory: Path, text: str, target: str = "shop.py", **spec: Any) -> AsyncIterator[Worker]:
    """A worker for `shop.py` with this text."""
    async with Workers() as workers:
        yield await started(workers, directory, text, target, **spec)


async def started(
    workers: Workers, directory: Path, text: str, target: str = "shop.py", key: str | None = None, **spec: Any
) -> Worker:
    (directory / "shop.py").write_text(text)
    with anyio.fail_after(WAIT_SECONDS):
        return await workers.start(ModuleSpec(str(directory / target), **spec), key)


async def surveyed(directory: Path, text: str, target: str = "shop.py") -> dict[str, Any]:
    async with working(directory, text, target) as worker:
        return worker.survey


async def called(worker: Worker, tool: str = "act", answers: Mapping[str, Any] | None = None, **client: Any) -> Made:
    request = Request(ModuleSpec("shop.py"), tool, {}, ClientSettings(**client), answers or {})

    async def nobody(asked: ev.QuestionAsked) -> None:
        return None

    with anyio.fail_after(WAIT_SECONDS):
        return await call_on(worker, request, nobody, lambda _: None)


def tools(survey: dict[str, Any]) -> list[list[str]]:
    """The names of each server's tools."""
    return [[tool["name"] for tool in server["tools"]] for server in survey["servers"]]


def of_type(made: Made, *types: str) -> list[dict[str, Any]]:
    """The call's events of these types, in their order."""
    return [event for event in made.document["events"] if event["type"] in types]


def runs(pid: int) -> bool:
    """Whether the process is there and is no zombie."""
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


async def gone(pid: int) -> None:
    """Wait until the process is not there any more."""
    with anyio.fail_after(WAIT_SECONDS):
        while runs(pid):
            await anyio.lowlevel.checkpoint()
