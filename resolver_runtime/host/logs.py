"""Log records of the user's process, as events."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

from resolver_runtime.describe import failure_of
from resolver_runtime.events import Logged
from resolver_runtime.host.meter import Meter
from resolver_runtime.host.reporter import current_call
from resolver_runtime.host.streams import Stream
from resolver_runtime.host.words import LINE_LENGTH
from resolver_runtime.patches import Patches

INTERNAL = ("mcp", "uvicorn", "resolver_runtime", "asyncio", "httpx2", "anyio", "sse_starlette")
"""Loggers whose lines below a warning tell of our serving, not of the user's code."""


def divert_logs(meter: Meter) -> None:
    """Every record becomes an event, and goes to the user's handlers but those of the console.

    A handler of our own at the root logger would turn the user's `logging.basicConfig` into nothing.
    """
    Patches().replace(logging.Logger, "callHandlers", _handled(meter))


def _handled(meter: Meter) -> Callable[[logging.Logger, logging.LogRecord], None]:
    def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING or record.name.split(".")[0] not in INTERNAL:
            event = _logged(record)
            meter.pass_on(current_call.get(), event, len(event.text))
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
    return Logged(record.levelname, record.name, text[:LINE_LENGTH], None if error is None else failure_of(error))


def _is_console(handler: Any) -> bool:
    stream = getattr(handler, "stream", None)
    return isinstance(stream, Stream) or stream in (sys.__stdout__, sys.__stderr__) or hasattr(handler, "console")
