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
        self._waiting: deque[wire.Report | bytes] = deque()
        self._wake = threading.Event()
        self._closing = False
        self._writer = threading.Thread(target=self._write, name="playground-reporter", daemon=True)
        self._writer.start()

    def emit(self, event: Event) -> None:
        """Report an event of the current call."""
        self._put(wire.Report(current_call.get(), time.monotonic(), event))

    def emit_for_no_call(self, event: Event) -> None:
        self._put(wire.Report(None, time.monotonic(), event))

    def send(self, kind: str, **fields: Any) -> None:
        self._put(wire.encoded({"kind": kind, **fields}))

    def listen(self, shut_down: Callable[[], None]) -> None:
        """Answer fences, and call `shut_down` when told to or when nobody listens any more; on another thread."""
        threading.Thread(target=self._read, args=(shut_down,), name="playground-control", daemon=True).start()

    def close(self) -> None:
        """Let the last lines leave."""
        self._closing = True
        self._wake.set()
        self._writer.join(FLUSH_SECONDS)

    def _put(self, item: wire.Report | bytes) -> None:
        self._waiting.append(item)
        self._wake.set()

    def _write(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            try:
                self._drain()
            except OSError:  # nobody listens: the parent ends this process in a moment
                return
            if self._closing:
                return

    def _drain(self) -> None:
        batch = bytearray()
        while self._waiting:
            item = self._waiting.popleft()
            batch += item if isinstance(item, bytes) else wire.report_line(item)
            if len(batch) >= wire.MAX_EVENT or not self._waiting:
                self._connection.sendall(batch)
                batch.clear()

    def _read(self, shut_down: Callable[[], None]) -> None:
        with self._connection.makefile("rb") as lines:
            try:
                for line in lines:
                    frame = wire.decoded(line)
                    if frame["kind"] != "fence":
                        break
                    self.send("fenced", number=frame["number"])
            except OSError:
                pass
        shut_down()
