"""The lines between web process and worker."""

from __future__ import annotations

from typing import Any

import pytest

from resolver_runtime import events as ev
from resolver_runtime import wire

FAILURE = ev.Failure("KeyError", "'x'", (ev.Frame("shop.py", 3, "act", "d['x']", True),), ev.Failure("OSError", "gone"))
EVENTS: list[ev.Event] = [
    ev.ToolStarted(),
    ev.Printed("stdout", "a lone \ud800 surrogate"),
    ev.ToolFailed("body", FAILURE),
    ev.QuestionSent(7, None),
    ev.QuestionPending("n", "k", "elicit", {"message": "?", "requestedSchema": {"type": "object"}}, False, None),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
def test_an_event_comes_up_as_it_was(event: ev.Event) -> None:
    report = wire.Report("call", 1.5, event)
    assert wire.report_of(wire.decoded(wire.report_line(report))) == report


@pytest.mark.parametrize("line", [b"[]\n", b"1\n", b"not json\n", b"\xff\n"])
def test_a_line_that_is_no_object_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
        wire.decoded(line)


class Unspeakable:
    def __str__(self) -> str:
        raise KeyError


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"in": value}
    return value


@pytest.mark.parametrize(
    "request_",
    [
        {"text": "x" * 10_000_000},
        {str(number): "x" * 5_000 for number in range(5_000)},
        {"nested": [["x" * 3_000] * 60] * 60},
        {"object": object()},
        {"object": Unspeakable()},
        deep(100_000),
    ],
    ids=["a long text", "many members", "many lists", "an object", "an object without a text", "a deep value"],
)
def test_whatever_an_event_holds_becomes_one_bounded_line(request_: dict[str, Any]) -> None:
    line = wire.report_line(wire.Report("call", 1.5, ev.QuestionPending("n", "k", "elicit", request_, False, None)))
    assert len(line) <= wire.MAX_EVENT
    assert line.count(b"\n") == 1
    assert wire.report_of(wire.decoded(line)).call == "call"


def test_a_text_that_was_cut_says_how_much_is_missing() -> None:
    line = wire.report_line(wire.Report(None, 0.0, ev.Printed("stdout", "x" * 100_000)))
    event = wire.report_of(wire.decoded(line)).event
    assert isinstance(event, ev.Printed)
    assert event.text.endswith("... 98000 more characters")
