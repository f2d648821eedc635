"""How much output of a call is told."""

from __future__ import annotations

from resolver_runtime import events as ev
from resolver_runtime.host.meter import CHARACTERS_PER_SECOND, LINES_PER_SECOND, Meter

Told = list[tuple[str | None, ev.Event]]
LINE = ev.Printed("stdout", "x")


class Clock:
    now = 5.0

    def __call__(self) -> float:
        return self.now


def metered() -> tuple[Meter, Told, Clock]:
    told: Told = []
    clock = Clock()
    return Meter(lambda call, event: told.append((call, event)), clock), told, clock


def test_lines_beyond_what_a_second_holds_are_counted_when_it_settles() -> None:
    meter, told, _ = metered()
    for _ in range(LINES_PER_SECOND + 3):
        meter.pass_on("call", LINE, 1)
    assert len(told) == LINES_PER_SECOND
    meter.settle()
    assert told[LINES_PER_SECOND:] == [("call", ev.OutputDropped(3))]


def test_the_count_comes_before_the_first_line_of_the_next_second() -> None:
    meter, told, clock = metered()
    meter.pass_on("call", LINE, CHARACTERS_PER_SECOND)
    meter.pass_on("call", LINE, 1)
    clock.now += 1
    meter.pass_on("call", LINE, 1)
    assert told == [("call", LINE), ("call", ev.OutputDropped(1)), ("call", LINE)]


def test_a_call_that_floods_takes_nothing_from_the_others() -> None:
    meter, told, _ = metered()
    meter.pass_on("loud", LINE, CHARACTERS_PER_SECOND)
    meter.pass_on("loud", LINE, 1)
    meter.pass_on("quiet", LINE, 1)
    assert told == [("loud", LINE), ("quiet", LINE)]


def test_what_was_dropped_is_told_once() -> None:
    meter, told, clock = metered()
    meter.pass_on(None, LINE, CHARACTERS_PER_SECOND)
    meter.pass_on(None, LINE, 1)
    meter.settle()
    clock.now += 1
    meter.settle()
    meter.settle()
    assert told == [(None, LINE), (None, ev.OutputDropped(1))]
