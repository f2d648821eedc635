"""One worker, as the web process sees it: its survey, its events, its end."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio

from app.workers.death import CUT_OFF, KILLED, Death, lacks_memory, without_memory
from resolver_runtime import wire
from resolver_runtime.events import Event, Printed

Listener = Callable[[float, Event], None]
LAST_WORDS = 50
"""Lines kept of what a worker printed outside any call."""
LAST_LINES_SECONDS = 0.1
"""After its process has ended, for what it had sent to be read; and the other way round."""
KILL_SECONDS = 0.8
"""For the warm parent to end a worker with its tree; then its process group is killed from here."""


@dataclass
class Worker:
    """A worker process. `socket` is where it speaks MCP; `survey` what it found in its module.

    `ending`: it was told to end, and takes no more calls.
    """

    socket: str
    pid: int = 0
    survey: dict[str, Any] = field(default_factory=dict)
    death: Death | None = None
    output: list[str] = field(default_factory=list)
    ending: bool = False
    order_end: Callable[[], Awaitable[None]] | None = None
    """Asks the warm parent to end it; set by the parent that starts it."""
    _verdict: Death | None = None
    _lacks_memory: bool = False
    _connection: asyncio.StreamWriter | None = None
    _listeners: dict[str | None, list[Listener]] = field(default_factory=dict)
    _fences: dict[int, anyio.Event] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _started: anyio.Event = field(default_factory=anyio.Event)
    _loaded: anyio.Event = field(default_factory=anyio.Event)
    _silent: anyio.Event = field(default_factory=anyio.Event)
    _dead: anyio.Event = field(default_factory=anyio.Event)
    _writing: anyio.Lock = field(default_factory=anyio.Lock)

    @contextmanager
    def listen(self, call: str | None, emit: Listener) -> Iterator[None]:
        """While the body lasts, `emit` gets each event of the call with its moment (`time.monotonic`)."""
        self._listeners.setdefault(call, []).append(emit)
        try:
            yield
        finally:
            self._listeners[call].remove(emit)
            if not self._listeners[call]:
                del self._listeners[call]

    async def fence(self) -> None:
        """Wait until everything the worker emitted before now has been heard; at once if it is dead."""
        if self.death is not None or self._connection is None:
            return
        number = next(self._numbers)
        self._fences[number] = answered = anyio.Event()
        try:
            await self._send(self._connection, {"kind": "fence", "number": number})
            await answered.wait()
        finally:
            self._fences.pop(number, None)

    async def kill(self, verdict: Death = KILLED) -> None:
        """End the worker with every process it started; returns when it has ended, within a second."""
        self.ending = True
        self._verdict = self._verdict or verdict
        if self.death is not None:
            return
        with anyio.move_on_after(KILL_SECONDS):
            if self.order_end is not None:
                await self.order_end()
            await self._dead.wait()
        if self.death is None:
            self.kill_group()
            self._die(self._verdict)

    def kill_group(self) -> None:
        """End the processes of its group, without the help of its parent."""
        if self.pid:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def wait_dead(self) -> Death:
        await self._dead.wait()
        assert self.death is not None
        return self.death

    async def wait_started(self) -> None:
        """Until its process is there, or it has died."""
        await self._started.wait()

    async def wait_loaded(self) -> None:
        """Until it has surveyed its module, or died."""
        await self._loaded.wait()

    def started(self, pid: int) -> None:
        self.pid = pid
        self._started.set()

    async def follow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hear what it tells, to its end. A worker that falls silent and lives on is ended."""
        self._connection = writer
        try:
            while line := await reader.readline():
                self._hear(line)
        except (OSError, ValueError):  # a broken connection, a line beyond the limit
            pass
        finally:
            self._silent.set()
            writer.transport.abort()
        with anyio.move_on_after(LAST_LINES_SECONDS):
            await self._dead.wait()
            return
        await self.kill(CUT_OFF)

    async def end(self, death: Death, words: Mapping[str, str]) -> None:
        """Its process has ended: what it had sent comes first, then its last words, then its death."""
        try:
            if self._connection is not None:
                with anyio.move_on_after(LAST_LINES_SECONDS):
                    await self._silent.wait()
        finally:
            for stream in ("stdout", "stderr"):
                for line in words.get(stream, "").splitlines():
                    self._report(wire.Report(None, time.monotonic(), Printed(stream, line)))
            self._die(self._verdict or (without_memory(death) if self._lacks_memory else death))

    def _die(self, death: Death) -> None:
        if self.death is None:
            self.death = death
            for event in (self._started, self._loaded, self._silent, self._dead, *self._fences.values()):
                event.set()

    async def _send(self, connection: asyncio.StreamWriter, frame: dict[str, Any]) -> None:
        async with self._writing:
            try:
                connection.write(wire.encoded(frame))
                await connection.drain()
            except OSError:
                await self._dead.wait()

    def _hear(self, line: bytes) -> None:
        """Take one line of the worker's. What is none of ours is passed over: user code may write to the socket."""
        with suppress(ValueError, KeyError, TypeError):
            self._obey(wire.decoded(line))

    def _obey(self, frame: dict[str, Any]) -> None:
        match frame["kind"]:
            case "report":
                self._report(wire.report_of(frame))
            case "fenced":
                if (answered := self._fences.get(frame["number"])) is not None:
                    answered.set()
            case "loaded":
                self.survey = frame["survey"]
                self._loaded.set()

    def _report(self, report: wire.Report) -> None:
        if report.call is None and isinstance(report.event, Printed):
            self.output = [*self.output, report.event.text][-LAST_WORDS:]
            self._lacks_memory |= lacks_memory(report.event.text)
        # What belongs to no call is shown with every call that runs: it may be what that one waits for.
        calls = [report.call] if report.call is not None else list(self._listeners)
        for call in calls:
            for emit in tuple(self._listeners.get(call, ())):
                emit(report.time, report.event)
