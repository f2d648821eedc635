"""The log of a call: order, numbers, time, followers, bounds."""

from __future__ import annotations

from app.calls import CallLog, Recorded
from resolver_runtime import events as ev


def test_records_are_numbered_from_one_and_read_from_a_number_on() -> None:
    log = CallLog()
    for number in (1, 2, 3):
        log.append(ev.RoundStarted(number))
    assert [record.seq for record in log.records()] == [1, 2, 3]
    assert [record.event for record in log.records(after=2)] == [ev.RoundStarted(3)]


def test_time_is_told_from_the_first_record_and_never_negative() -> None:
    log = CallLog()
    log.append(ev.RoundStarted(1), 10.0)
    log.append(ev.ToolStarted(), 10.25)
    log.append(ev.ToolStarted(), 9.0)
    assert [record.at for record in log.records()] == [0.0, 0.25, 0.0]


def test_a_follower_hears_each_record_until_it_leaves() -> None:
    log = CallLog()
    heard: list[Recorded] = []
    leave = log.subscribe(heard.append)
    log.append(ev.RoundStarted(1))
    leave()
    leave()
    log.append(ev.RoundEnded(1))
    assert [record.event for record in heard] == [ev.RoundStarted(1)]


def test_a_record_in_json_is_its_number_its_time_and_the_event() -> None:
    log = CallLog()
    log.append(ev.RoundStarted(1), 5.0)
    assert log.to_json() == [{"seq": 1, "at": 0.0, "type": "round_started", "number": 1}]


def test_a_full_log_counts_output_and_keeps_what_the_call_did() -> None:
    log = CallLog(max_records=2)
    for _ in range(4):
        log.append(ev.Printed("stdout", "again\n"))
    log.append(ev.ToolStarted())
    log.append(ev.CallEnded("done"))
    kinds = [record.event.type for record in log.records()]
    assert kinds == ["printed", "printed", "tool_started", "output_dropped", "call_ended"]
    assert log.records()[-2].event == ev.OutputDropped(2)
