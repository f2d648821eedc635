"""The warm parent of one interpreter: a process of ours that has imported everything, and forks workers on demand."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.abc

from app.workers.death import WorkerFailed, start_death
from resolver_runtime import wire

BOOTSTRAP = """
import importlib.util, sys
place = sys.argv.pop(1)
sys.path[:] = [entry for entry in sys.path if entry]
spec = importlib.util.spec_from_file_location(
    "resolver_runtime", place + "/__init__.py", submodule_search_locations=[place]
)
sys.modules["resolver_runtime"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from resolver_runtime.host.parent import main
main()
"""
"""Loads our runtime by its place, and nothing else of where it stands: a foreign interpreter keeps its own packages."""

PASSED_ON = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONHOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SYSTEMROOT",
)
"""The environment a module sees: what programs need to work, and no secret of whoever started the playground."""

GOODBYE_SECONDS = 2


@dataclass
class Parent:
    """Orders go to its standard input, answers come from its standard output; both are JSON lines."""

    _process: anyio.abc.Process
    _ended: Callable[[int, int], None]
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _started: dict[int, int] = field(default_factory=dict)
    _heard: anyio.Event = field(default_factory=anyio.Event)
    _gone: bool = False
    _words: bytes = b""

    async def start(self, job: Mapping[str, Any]) -> int:
        """Fork a worker for this job; its process id.

        Raises:
            WorkerFailed: the parent could not start, or is gone.
        """
        number = next(self._numbers)
        await self._order(kind="start", number=number, job=dict(job))
        while number not in self._started:
            if self._gone:
                raise WorkerFailed(_no_parent(), self._words.decode(errors="replace"))
            await self._heard.wait()
        return self._started.pop(number)

    async def kill(self, pid: int) -> None:
        await self._order(kind="kill", pid=pid)

    async def follow(self) -> None:
        """Hear what it says, to its end."""
        assert self._process.stdout is not None
        rest = b""
        async for piece in self._process.stdout:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self._hear(json.loads(line))
        self._gone = True
        self._wake()

    async def follow_errors(self) -> None:
        assert self._process.stderr is not None
        async for piece in self._process.stderr:
            self._words = (self._words + piece)[-4_000:]

    async def close(self) -> None:
        """End it, and every worker with it."""
        assert self._process.stdin is not None
        await self._process.stdin.aclose()
        with anyio.move_on_after(GOODBYE_SECONDS):
            await self._process.wait()
            return
        self._process.kill()
        await self._process.wait()

    def _hear(self, frame: Mapping[str, Any]) -> None:
        if frame["kind"] == "started":
            self._started[frame["number"]] = frame["pid"]
        elif frame["kind"] == "ended":
            self._ended(frame["pid"], frame["status"])
        self._wake()

    def _wake(self) -> None:
        self._heard.set()
        self._heard = anyio.Event()

    async def _order(self, **order: Any) -> None:
        assert self._process.stdin is not None
        try:
            await self._process.stdin.send(json.dumps(order).encode() + b"\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._gone = True
            self._wake()


@asynccontextmanager
async def warm_parent(python: str | None, ended: Callable[[int, int], None]) -> AsyncIterator[Parent]:
    """The parent for this interpreter; `ended` gets each worker's process id and status.

    Raises:
        WorkerFailed: there is no such interpreter.
    """
    place = str(Path(wire.__file__).parent)
    command = [python or sys.executable, "-c", BOOTSTRAP, place]
    try:
        process = await anyio.open_process(command, stderr=subprocess.PIPE, env=environment(), start_new_session=True)
    except OSError as error:
        raise WorkerFailed(_no_interpreter(command[0], error)) from None
    parent = Parent(process, ended)
    async with process, anyio.create_task_group() as tasks:
        tasks.start_soon(parent.follow)
        tasks.start_soon(parent.follow_errors)
        try:
            yield parent
        finally:
            with anyio.CancelScope(shield=True):
                await parent.close()
            tasks.cancel_scope.cancel()


def environment() -> dict[str, str]:
    """What a worker sees of this process's environment."""
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ}


def _no_parent() -> Any:
    return start_death(
        "The process that starts workers has ended: its interpreter may lack `mcp` 2.x, or be older than 3.10.",
        "Look at its last words, and name the interpreter of a project that has `mcp` with --python.",
    )


def _no_interpreter(python: str, error: OSError) -> Any:
    return start_death(
        f"{python} cannot be run: {error.strerror}.", "Name an interpreter that exists with --python path/to/python."
    )
