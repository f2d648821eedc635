"""One worker, as the web process sees it: its survey, its events, its end."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from app.workers.death import KILLED, Death
from resolver_runtime import wire
from resolver_runtime.events import Event, Printed

Listener = Callable[[float, Event], None]
LAST_WORDS = 50
"""Lines kept of what a worker printed outside any call."""


@dataclass
class Worker:
    """A worker process. `socket` is where it speaks MCP; `survey` what it found in its module.

    `ending`: it was told to end, and takes no more calls.
    """

    pid: int
    socket: str
    _connection: asyncio.StreamWriter
    _kill: Callable[[int], Awaitable[None]]
    survey: dict[str, Any] = field(default_factory=dict)
    death: Death | None = None
    output: list[str] = field(default_factory=list)
    _listeners: dict[str | None, list[Listener]] = field(default_factory=dict)
    _fences: dict[int, anyio.Event] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _loaded: anyio.Event = field(default_factory=anyio.Event)
    _dead: anyio.Event = field(default_factory=anyio.Event)
    _writing: anyio.Lock = field(default_factory=anyio.Lock)
    ending: bool = False

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
        if self.death is not None:
            return
        number = next(self._numbers)
        self._fences[number] = answered = anyio.Event()
        try:
            await self._send({"kind": "fence", "number": number})
            await answered.wait()
        finally:
            self._fences.pop(number, None)

    async def kill(self) -> None:
        """End the worker with every process it started; returns when it has ended, within a second."""
        self.ending = True
        if self.death is None:
            await self._kill(self.pid)
            await self._dead.wait()

    async def wait_dead(self) -> Death:
        await self._dead.wait()
        assert self.death is not None
        return self.death

    async def wait_loaded(self) -> None:
        """Until it has surveyed its module, or died."""
        await self._loaded.wait()

    def hear(self, line: bytes) -> None:
        """Take one line of the worker's. What is none of ours is passed over: user code may write to the socket."""
        try:
            frame = wire.decoded(line)
            self._obey(frame)
        except (ValueError, KeyError, TypeError):
            return

    def died(self, death: Death) -> None:
        """It has ended: wake everybody who waits."""
        if self.death is None:
            self.death = KILLED if self.ending else death
            for event in (self._loaded, self._dead, *self._fences.values()):
                event.set()

    async def _send(self, frame: dict[str, Any]) -> None:
        async with self._writing:
            try:
                self._connection.write(wire.encoded(frame))
                await self._connection.drain()
            except OSError:
                await self._dead.wait()

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
        # What belongs to no call is shown with every call that runs: it may be what that one waits for.
        calls = [report.call] if report.call is not None else list(self._listeners)
        for call in calls:
            for emit in tuple(self._listeners.get(call, ())):
                emit(report.time, report.event)
