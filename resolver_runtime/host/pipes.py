"""File descriptors 1 and 2 of a worker: what C code and child processes write there, by line, of no known call.

The other end of each pipe is also held by the warm parent, so that the last words of a worker that crashes are read.
"""

from __future__ import annotations

import os
import select
import threading

from resolver_runtime.events import Printed
from resolver_runtime.host.meter import Meter
from resolver_runtime.host.words import StreamName, pieces

CAPACITY = 1 << 20
"""Bytes read at once: more than a pipe holds, so one reading has all that was written before it."""


def open_pipe() -> tuple[int, int]:
    """Its ends to read and to write; reading does not wait."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    return read, write


def read_waiting(descriptor: int) -> bytes | None:
    """What has been written and not been read yet: `b""` is nothing, None that nobody can write any more."""
    try:
        return os.read(descriptor, CAPACITY) or None
    except BlockingIOError:
        return b""


class Pipe:
    """One descriptor, followed by a thread of its own."""

    def __init__(self, name: StreamName, read: int, meter: Meter) -> None:
        self._name: StreamName = name
        self._read = read
        self._meter = meter
        self._lock = threading.Lock()
        self._rest = b""
        threading.Thread(target=self._follow, name=f"playground-{name}", daemon=True).start()

    def settle(self) -> None:
        """Tell everything that was written before now, lines that have not ended included."""
        try:
            self._take()
        except OSError:  # the user's code has closed what it did not open
            return
        with self._lock:
            rest, self._rest = self._rest, b""
            if rest:
                self._tell(rest)

    def _follow(self) -> None:
        try:
            while self._take():
                select.select([self._read], [], [])
        except (OSError, ValueError):
            return

    def _take(self) -> bool:
        """Whether more may come."""
        with self._lock:
            waiting = read_waiting(self._read)
            *lines, rest = (self._rest + (waiting or b"")).split(b"\n")
            for line in lines:
                self._tell(line)
            *full, self._rest = pieces(rest)
            for piece in full:
                self._tell(piece)
        return waiting is not None

    def _tell(self, line: bytes) -> None:
        for piece in pieces(line):
            self._meter.pass_on(None, Printed(self._name, piece.decode(errors="replace")), len(piece))
