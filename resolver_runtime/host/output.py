"""What the user's process prints and logs, as events: by line, with its call where that is known, and never a flood.

`sys.stdout` and `sys.stderr` know the call that writes; what comes over the file descriptors, from C code and from
child processes, does not.
"""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from resolver_runtime.describe import failure_of
from resolver_runtime.events import Event, Logged, OutputDropped, Printed
from resolver_runtime.patches import Patches

LINES_PER_SECOND = 1_000
CHARACTERS_PER_SECOND = 1_000_000
LINE_CHARACTERS = 16 * 1024

INTERNAL = ("mcp", "uvicorn", "resolver_runtime", "asyncio", "httpx2", "anyio", "sse_starlette")
"""Loggers whose lines below a warning tell of our serving, not of the user's code."""

Emit = Callable[[Event], None]


class Meter:
    """Lets through what a person could ever look at, and counts the rest. Shared by all threads."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._second = 0
        self._lines = self._characters = self._dropped = 0

    def pass_on(self, event: Event, size: int) -> None:
        with self._lock:
            self._turn(int(time.monotonic()))
            if self._lines >= LINES_PER_SECOND or self._characters >= CHARACTERS_PER_SECOND:
                self._dropped += 1
                return
            self._lines += 1
            self._characters += size
        self._emit(event)

    def _turn(self, second: int) -> None:
        if second == self._second:
            return
        self._second, self._lines, self._characters = second, 0, 0
        if self._dropped:
            self._emit(OutputDropped(self._dropped))
            self._dropped = 0

    def close(self) -> None:
        with self._lock:
            self._turn(-1)


class Stream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr`: text in, an event for each line."""

    def __init__(self, name: Literal["stdout", "stderr"], descriptor: int, meter: Meter) -> None:
        self._name: Literal["stdout", "stderr"] = name
        self._descriptor = descriptor
        self._meter = meter
        self._parts = threading.local()

    @property
    def encoding(self) -> str:  # type: ignore[override] # the parent's is a plain attribute, and None
        return "utf-8"

    @property
    def buffer(self) -> io.FileIO:
        """For who writes bytes: they come without a call."""
        return io.FileIO(self._descriptor, "w", closefd=False)

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        *lines, rest = (getattr(self._parts, "text", "") + text).split("\n")
        for line in lines:
            self._tell(line)
        while len(rest) > LINE_CHARACTERS:
            self._tell(rest[:LINE_CHARACTERS])
            rest = rest[LINE_CHARACTERS:]
        self._parts.text = rest
        return len(text)

    def flush(self) -> None:
        rest = getattr(self._parts, "text", "")
        self._parts.text = ""
        if rest:
            self._tell(rest)

    def _tell(self, line: str) -> None:
        self._meter.pass_on(Printed(self._name, line[:LINE_CHARACTERS]), len(line))


def capture(emit: Emit, emit_for_no_call: Emit) -> Meter:
    """Divert everything this process prints and logs."""
    meter, other = Meter(emit), Meter(emit_for_no_call)
    _read_descriptor(1, "stdout", other)
    _read_descriptor(2, "stderr", other)
    sys.stdout, sys.stderr = Stream("stdout", 1, meter), Stream("stderr", 2, meter)
    Patches().replace(logging.Logger, "callHandlers", _handled(meter))
    return meter


def _read_descriptor(descriptor: int, name: Literal["stdout", "stderr"], meter: Meter) -> None:
    read, write = os.pipe()
    os.dup2(write, descriptor)
    os.close(write)

    def follow() -> None:
        with open(read, "rb", buffering=0) as pipe:
            rest = b""
            while piece := pipe.read(65_536):
                *lines, rest = (rest + piece).split(b"\n")
                if len(rest) > LINE_CHARACTERS:
                    lines, rest = [*lines, rest], b""
                for line in lines:
                    text = line[:LINE_CHARACTERS].decode(errors="replace")
                    meter.pass_on(Printed(name, text), len(line))

    threading.Thread(target=follow, name=f"playground-{name}", daemon=True).start()


def _handled(meter: Meter) -> Callable[[logging.Logger, logging.LogRecord], None]:
    """`Logger.callHandlers`: every record becomes an event, and goes to the user's handlers but those of the console.

    A handler of our own at the root logger would turn the user's `logging.basicConfig` into nothing.
    """

    def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING or record.name.split(".")[0] not in INTERNAL:
            event = _logged(record)
            meter.pass_on(event, len(event.text))
        where: logging.Logger | None = logger
        while where is not None:
            for handler in where.handlers:
                if record.levelno >= handler.level and not _is_console(handler):
                    handler.handle(record)
            where = where.parent if where.propagate else None

    return call_handlers


def _logged(record: logging.LogRecord) -> Logged:
    try:
        text = record.getMessage()
    except Exception:  # arguments that do not fit their format
        text = f"{record.msg!r} % {record.args!r}"
    error = record.exc_info[1] if record.exc_info else None
    return Logged(record.levelname, record.name, text[:LINE_CHARACTERS], None if error is None else failure_of(error))


def _is_console(handler: Any) -> bool:
    stream = getattr(handler, "stream", None)
    return isinstance(stream, Stream) or stream in (sys.__stdout__, sys.__stderr__) or hasattr(handler, "console")
