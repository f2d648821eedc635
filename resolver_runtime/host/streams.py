"""`sys.stdout` and `sys.stderr` of a worker: text in, an event for each line, with the call that wrote it."""

from __future__ import annotations

import io
import threading

from resolver_runtime.events import Printed
from resolver_runtime.host.meter import Meter
from resolver_runtime.host.reporter import current_call
from resolver_runtime.host.words import StreamName, pieces


class Stream(io.TextIOWrapper):
    """All that a text file offers. What is written as bytes, through `buffer`, comes over the descriptor instead."""

    def __init__(self, name: StreamName, descriptor: int, meter: Meter) -> None:
        raw = io.FileIO(descriptor, "w", closefd=False)
        super().__init__(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
        self._stream: StreamName = name
        self._meter = meter
        self._parts: dict[tuple[str | None, int], str] = {}
        self._is_copy = False

    def write(self, text: str, /) -> int:
        if self._is_copy:
            return super().write(text)
        writer = (current_call.get(), threading.get_ident())
        *lines, rest = (self._parts.pop(writer, "") + text).split("\n")
        for line in lines:
            self._tell(writer[0], line)
        *full, rest = pieces(rest)
        for piece in full:
            self._tell(writer[0], piece)
        if rest:
            self._parts[writer] = rest
        return len(text)

    def flush(self) -> None:
        """Tell what this thread has begun to write for this call."""
        if self._is_copy:
            super().flush()
        else:
            self._finish([(current_call.get(), threading.get_ident())])

    def finish(self, call: str | None) -> None:
        """Tell what anyone has begun to write for this call: it has ended."""
        self._finish([writer for writer in list(self._parts) if writer[0] == call])

    def forked(self) -> None:
        """In a child process of the user's nobody listens here: write to the descriptor, which the worker reads."""
        self._is_copy = True

    def _finish(self, writers: list[tuple[str | None, int]]) -> None:
        for writer in writers:
            if rest := self._parts.pop(writer, ""):
                self._tell(writer[0], rest)

    def _tell(self, call: str | None, line: str) -> None:
        for piece in pieces(line):
            self._meter.pass_on(call, Printed(self._stream, piece), len(piece))
