"""Sends events to the web process, from a thread of its own: they leave also while the user's code holds the loop."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from resolver_runtime import wire
from resolver_runtime.events import Event

current_call: ContextVar[str | None] = ContextVar("current_call", default=None)
"""The call on whose behalf this task or thread runs; threads that user code started have none."""

FLUSH_SECONDS = 2
"""At the end of the process, for the last lines to leave."""


class Reporter:
    """One connection: `emit` never blocks; lines leave in the order in which they were put."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._waiting: deque[wire.Report | bytes | threading.Event] = deque()
        self._wake = threading.Event()
        self._is_mute = False
        self._writer = threading.Thread(target=self._write, name="playground-reporter", daemon=True)
        self._writer.start()

    def emit(self, event: Event) -> None:
        """Report an event of the current call."""
        self._put(wire.Report(current_call.get(), time.monotonic(), event))

    def tell(self, call: str | None, event: Event) -> None:
        """Report an event of this call; None: of no call."""
        self._put(wire.Report(call, time.monotonic(), event))

    def send(self, kind: str, **fields: Any) -> None:
        self._put(wire.encoded({"kind": kind, **fields}))

    def listen(self, settle: Callable[[], None], shut_down: Callable[[], None]) -> None:
        """On another thread: answer fences, once `settle` has put what was on its way.

        `shut_down` is called when told to, or when nobody listens any more.
        """
        threading.Thread(target=self._read, args=(settle, shut_down), name="playground-control", daemon=True).start()

    def flush(self) -> None:
        """Wait until everything that was put has left, or nobody listens; for a bounded time."""
        left = threading.Event()
        self._put(left)
        if not self._is_mute:
            left.wait(FLUSH_SECONDS)

    def mute(self) -> None:
        """Send nothing any more, and keep nobody waiting: as in a child process, which lacks the thread that writes."""
        self._is_mute = True
        for item in tuple(self._waiting):
            if isinstance(item, threading.Event):
                item.set()

    def _put(self, item: wire.Report | bytes | threading.Event) -> None:
        if self._is_mute:
            return
        self._waiting.append(item)
        # Cheaper than to set it again.
        if not self._wake.is_set():
            self._wake.set()

    def _write(self) -> None:
        try:
            while True:
                self._wake.wait()
                self._wake.clear()
                self._drain()
        except OSError:  # nobody listens: the web process ends this one in a moment
            self.mute()

    def _drain(self) -> None:
        batch = bytearray()
        while self._waiting:
            item = self._waiting[0]
            if isinstance(item, threading.Event):
                self._connection.sendall(batch)
                batch.clear()
                item.set()
                self._waiting.popleft()
                continue
            self._waiting.popleft()
            batch += item if isinstance(item, bytes) else wire.report_line(item)
            if len(batch) >= wire.MAX_EVENT or not self._waiting:
                self._connection.sendall(batch)
                batch.clear()

    def _read(self, settle: Callable[[], None], shut_down: Callable[[], None]) -> None:
        with self._connection.makefile("rb") as lines:
            try:
                for line in lines:
                    frame = wire.decoded(line)
                    if frame["kind"] != "fence":
                        break
                    settle()
                    self.send("fenced", number=frame["number"])
            except OSError:
                pass
        shut_down()
