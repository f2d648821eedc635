"""The lines between web process and worker: one JSON object each, in order, in both directions.

Up come `hello`, `loaded` (the survey), `report` (an event with its call and its moment) and `fenced`; down go `fence`
and `shutdown`. A `fenced` answers its `fence` on the same ordered stream: what was emitted before is in by then.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from resolver_runtime.events import EVENT_CLASSES, Event, Logged, from_json, to_json

MAX_EVENT = 64 * 1024
"""Bytes of the line of one event; its texts are cut to fit."""
MAX_FRAME = 32 * 1024 * 1024
"""Bytes of one line. Only a survey comes near; whoever sends more is cut off."""
_LIMITS = (2_000, 200, 20)
"""What texts are cut to, one after the other, until the event fits."""


@dataclass(frozen=True, slots=True)
class Report:
    """An event of the call `call` (None: of no call), at `time` seconds on the machine's monotonic clock."""

    call: str | None
    time: float
    event: Event


_NAMES = {name: tuple(field.name for field in dataclasses.fields(cls)) for name, cls in EVENT_CLASSES.items()}


def encoded(frame: Mapping[str, Any]) -> bytes:
    """One line."""
    # Lone surrogates stay escaped.
    return _JSON.encode(frame).encode() + b"\n"


def decoded(line: bytes) -> dict[str, Any]:
    """The inverse.

    Raises:
        ValueError: the line is no JSON object.
    """
    frame = json.loads(line)
    if not isinstance(frame, dict):
        raise ValueError("a frame is a JSON object")
    return frame


def event_text(event: Event, limit: int) -> str:
    """The JSON of an event, as `events.from_json` reads it; its texts are cut if it has more than `limit` characters.

    Raises:
        TypeError, ValueError, RuntimeError: a value that JSON cannot hold: a key, a cycle, nested too deep.
    """
    flat = _flat(event)
    return _JSON.encode(_shortened(flat, _LIMITS[0]) if _is_larger(flat, limit) else flat)


def report_line(report: Report) -> bytes:
    """The line of one event, its texts cut as far as it takes for the line not to become too long.

    An event that cannot be written is told as a log line of its own: the stream goes on.
    """
    try:
        line = encoded(_report_frame(report, _flat(report.event)))
        return line if len(line) <= MAX_EVENT else _cut_line(report)
    except (TypeError, ValueError, RuntimeError) as error:  # values of the user's that JSON cannot hold
        return _unwritable(report, type(error).__name__)


def report_of(frame: Mapping[str, Any]) -> Report:
    """
    Raises:
        KeyError, TypeError: the frame holds no event of ours.
    """
    return Report(frame["call"], frame["time"], from_json(frame["event"]))


def _report_frame(report: Report, event: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "report", "call": report.call, "time": report.time, "event": event}


def _flat(event: Event) -> dict[str, Any]:
    """As `to_json`, but for the nested values, which the encoder takes as they are: a third of the time."""
    return {"type": event.type, **{name: getattr(event, name) for name in _NAMES[event.type]}}


def _plain(value: Any) -> Any:
    """For what JSON does not know: our own nested values, and else a text rather than a lost event."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    try:
        return str(value)
    except Exception:  # a user's __str__ may raise anything
        return f"<{type(value).__name__}>"


_JSON = json.JSONEncoder(separators=(",", ":"), default=_plain)


def _cut_line(report: Report) -> bytes:
    event = to_json(report.event)
    for limit in _LIMITS:
        line = encoded(_report_frame(report, _shortened(event, limit)))
        if len(line) <= MAX_EVENT:
            return line
    return _unwritable(report, "it is too large")


def _unwritable(report: Report, reason: str) -> bytes:
    text = f"An event {report.event.type!r} could not be told: {reason}."
    return encoded(_report_frame(report, to_json(Logged("ERROR", "resolver_runtime", text))))


def _is_larger(value: Any, limit: int) -> bool:
    """Whether there is more text in the value than that. Counted without encoding it, which would stop all threads."""
    rest, left = [value], limit
    while rest and left >= 0:
        left -= 2  # a container, too, or one within itself would never end
        match rest.pop():
            case str() as text:
                left -= len(text)
            case dict() as members:
                rest.extend(members.keys())
                rest.extend(members.values())
            case list() | tuple() as members:
                rest.extend(members)
            case _:
                left -= 6
    return left < 0


def _shortened(value: Any, limit: int) -> Any:
    """The value with texts of at most `limit` characters, and as many members."""
    if isinstance(value, str):
        rest = len(value) - limit
        return value if rest <= 0 else f"{value[:limit]}... {rest} more characters"
    if isinstance(value, Mapping):
        return {key: _shortened(one, limit) for key, one in islice(value.items(), limit)}
    if isinstance(value, list | tuple):
        return [_shortened(one, limit) for one in value[:limit]]
    return value
