"""Streams and pipes of a worker: text in, lines out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from resolver_runtime import events as ev
from resolver_runtime.host.meter import Meter
from resolver_runtime.host.pipes import Pipe, open_pipe
from resolver_runtime.host.reporter import current_call
from resolver_runtime.host.streams import Stream
from resolver_runtime.host.words import LINE_LENGTH

Told = list[tuple[str | None, str]]


def streamed() -> tuple[Stream, Told]:
    told: Told = []
    return Stream("stdout", 1, meter_of(told)), told


def meter_of(told: Told) -> Meter:
    def tell(call: str | None, event: ev.Event) -> None:
        assert isinstance(event, ev.Printed)
        told.append((call, event.text))

    return Meter(tell)


@contextmanager
def on_behalf_of(call: str) -> Iterator[None]:
    token = current_call.set(call)
    yield
    current_call.reset(token)


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (["one\ntwo\n"], ["one", "two"]),
        (["on", "e", "\n"], ["one"]),
        (["\n\n"], ["", ""]),
        (["rest"], []),
        (["x" * LINE_LENGTH + "y\n"], ["x" * LINE_LENGTH, "y"]),
        (["x" * LINE_LENGTH + "y"], ["x" * LINE_LENGTH]),
    ],
    ids=["two lines", "in parts", "empty lines", "no end", "a long line", "a long line without an end"],
)
def test_text_becomes_lines(written: list[str], lines: list[str]) -> None:
    stream, told = streamed()
    for text in written:
        stream.write(text)
    assert [line for _, line in told] == lines


def test_a_line_begun_by_one_call_is_not_ended_by_another() -> None:
    stream, told = streamed()
    with on_behalf_of("a"):
        stream.write("from a")
    with on_behalf_of("b"):
        stream.write("from b\n")
    stream.finish("a")
    assert told == [("b", "from b"), ("a", "from a")]


def test_flush_tells_a_line_that_has_only_begun() -> None:
    stream, told = streamed()
    stream.write("...")
    stream.flush()
    stream.flush()
    assert told == [(None, "...")]


def test_a_stream_offers_what_a_text_file_offers() -> None:
    stream, told = streamed()
    stream.reconfigure(encoding="utf-8", line_buffering=True)
    stream.writelines(["one\n", "two\n"])
    assert (stream.encoding, stream.fileno(), stream.writable(), stream.isatty()) == ("utf-8", 1, True, False)
    assert [line for _, line in told] == ["one", "two"]


def test_in_a_forked_process_text_goes_to_the_descriptor() -> None:
    read, write = open_pipe()
    told: Told = []
    stream = Stream("stdout", write, meter_of(told))
    stream.forked()
    stream.write("from the child\n")
    assert os.read(read, 100) == b"from the child\n"
    assert told == []


def test_settling_tells_what_was_written_before_it_whole_lines_or_not() -> None:
    read, write = open_pipe()
    told: Told = []
    pipe = Pipe("stderr", read, meter_of(told))
    os.write(write, b"one\ntwo\xff")
    pipe.settle()
    assert told == [(None, "one"), (None, "two\N{REPLACEMENT CHARACTER}")]


def test_a_descriptor_that_the_user_has_closed_does_no_harm() -> None:
    read, _ = open_pipe()
    told: Told = []
    pipe = Pipe("stdout", read, meter_of(told))
    os.close(read)
    pipe.settle()
    assert told == []
