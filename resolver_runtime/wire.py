"""The lines between web process and worker: one JSON object each, in order, in both directions.

Up come `hello`, `loaded` (the survey), `report` (an event with its call and its moment) and `fenced`; down go `fence`
and `shutdown`. A `fenced` answers its `fence` on the same ordered stream: what was emitted before is in by then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resolver_runtime.events import Event, from_json, to_json

MAX_EVENT = 64 * 1024
"""Characters of one event; its longest texts are cut to fit."""
MAX_FRAME = 32 * 1024 * 1024
"""Bytes of one line. Only a survey comes near; whoever sends more is cut off."""
CUT_TO = 2_000


@dataclass(frozen=True, slots=True)
class Report:
    """An event of the call `call` (None: of no call), at `time` seconds on the machine's monotonic clock."""

    call: str | None
    time: float
    event: Event


def encoded(frame: Mapping[str, Any]) -> bytes:
    """One line."""
    # Lone surrogates stay escaped; what JSON does not know becomes text rather than a lost event.
    return json.dumps(frame, separators=(",", ":"), default=str).encode() + b"\n"


def decoded(line: bytes) -> dict[str, Any]:
    """The inverse.

    Raises:
        ValueError: the line is no JSON object.
    """
    frame = json.loads(line)
    if not isinstance(frame, dict):
        raise ValueError("a frame is a JSON object")
    return frame


def report_line(report: Report) -> bytes:
    """The line of one event, its texts cut if it would become too long."""
    line = encoded(_report_frame(report, to_json(report.event)))
    if len(line) <= MAX_EVENT:
        return line
    return encoded(_report_frame(report, _shortened(to_json(report.event))))


def report_of(frame: Mapping[str, Any]) -> Report:
    """
    Raises:
        KeyError, TypeError: the frame holds no event of ours.
    """
    return Report(frame["call"], frame["time"], from_json(frame["event"]))


def _report_frame(report: Report, event: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "report", "call": report.call, "time": report.time, "event": event}


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        rest = len(value) - CUT_TO
        return value if rest <= 0 else f"{value[:CUT_TO]}... {rest} more characters"
    if isinstance(value, Mapping):
        return {key: _shortened(one) for key, one in list(value.items())[:CUT_TO]}
    if isinstance(value, list | tuple):
        return [_shortened(one) for one in value[:CUT_TO]]
    return value
