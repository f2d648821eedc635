"""The warm parent of one interpreter: a process of ours that has imported everything, and forks workers on demand."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.abc

from app.workers.death import KILLED, NO_PARENT, PARENT_GONE, Death, WorkerFailed, death_of, no_interpreter, not_started
from app.workers.environment import environment
from app.workers.worker import Worker
from resolver_runtime import wire

ENTRY = Path(wire.__file__).parent / "host" / "__main__.py"
"""By its path: a foreign interpreter does not find our packages by name, and shall not."""

START_SECONDS = 60.0
"""For the parent to warm up and fork, on a machine under load."""
GOODBYE_SECONDS = 2
LAST_WORDS = 4_000


@dataclass
class Parent:
    """Orders go to its standard input, answers come from its standard output; both are JSON lines."""

    _process: anyio.abc.Process
    _tasks: anyio.abc.TaskGroup
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _workers: dict[int, Worker] = field(default_factory=dict)
    _ended: anyio.Event = field(default_factory=anyio.Event)
    _is_ready: bool = False
    _is_closing: bool = False
    _words: bytes = b""

    @property
    def gone(self) -> bool:
        return self._ended.is_set()

    async def start(self, worker: Worker, job: Mapping[str, Any]) -> None:
        """Fork the process of this worker.

        Raises:
            WorkerFailed: it did not come to that.
        """
        number = next(self._numbers)
        self._workers[number] = worker
        worker.order_end = partial(self._order, kind="kill", number=number)
        with anyio.move_on_after(START_SECONDS):
            await self._order(kind="start", number=number, job=dict(job))
            await worker.wait_started()
        if not worker.pid:
            raise WorkerFailed(worker.death or not_started(START_SECONDS), self._words.decode(errors="replace"))

    async def wait_gone(self) -> None:
        await self._ended.wait()

    async def follow(self) -> None:
        """Hear what it says, to its end, which is the end of its workers too."""
        death = KILLED
        try:
            async with anyio.create_task_group() as both:
                both.start_soon(self._follow_answers)
                both.start_soon(self._follow_errors)
            if not self._is_closing:
                death = PARENT_GONE if self._is_ready else NO_PARENT
        finally:
            self._ended.set()
            self._mourn(death)

    def _mourn(self, death: Death) -> None:
        for worker in self._workers.values():
            worker.kill_group()  # only Linux ends them with their parent
            self._tasks.start_soon(worker.end, death, {})
        self._workers.clear()

    async def close(self) -> None:
        """End it, and every worker with it."""
        self._is_closing = True
        assert self._process.stdin is not None
        await self._process.stdin.aclose()
        with anyio.move_on_after(GOODBYE_SECONDS):
            await self._process.wait()
            return
        self._process.kill()
        await self._process.wait()

    async def _follow_answers(self) -> None:
        assert self._process.stdout is not None
        rest = b""
        async for piece in self._process.stdout:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self._hear(json.loads(line))

    async def _follow_errors(self) -> None:
        assert self._process.stderr is not None
        async for piece in self._process.stderr:
            self._words = (self._words + piece)[-LAST_WORDS:]

    def _hear(self, frame: Mapping[str, Any]) -> None:
        match frame["kind"]:
            case "ready":
                self._is_ready = True
            case "started":
                self._workers[frame["number"]].started(frame["pid"])
            case "ended":
                worker = self._workers.pop(frame["number"])
                self._tasks.start_soon(worker.end, death_of(frame["status"]), frame["words"])

    async def _order(self, **order: Any) -> None:
        assert self._process.stdin is not None
        try:
            await self._process.stdin.send(json.dumps(order).encode() + b"\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # its end is told to all its workers


@asynccontextmanager
async def warm_parent(python: str | None) -> AsyncIterator[Parent]:
    """The parent for this interpreter.

    Raises:
        WorkerFailed: there is no such interpreter.
    """
    command = [python or sys.executable, str(ENTRY)]
    try:
        process = await anyio.open_process(command, stderr=subprocess.PIPE, env=environment(), start_new_session=True)
    except OSError as error:
        raise WorkerFailed(no_interpreter(command[0], error.strerror or str(error))) from None
    async with process, anyio.create_task_group() as tasks:
        parent = Parent(process, tasks)
        tasks.start_soon(parent.follow)
        try:
            yield parent
        finally:
            with anyio.CancelScope(shield=True):
                await parent.close()
            tasks.cancel_scope.cancel()
