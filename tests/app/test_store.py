"""Calls on disk: order, numbers, thinning, what a process that ended left behind, and disks that do not do."""

from __future__ import annotations

import logging
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app import database, store
from app.calls import INTERRUPTED, KEPT_CALLS, CallLog, Recorded
from app.store import Kept, Store, open_store
from resolver_runtime import events as ev
from tests.served import ROOT, START_SECONDS

PORT = 8000
ABOUT = {"module": "shop.py", "server": 0}
TOOL = {"name": "buy", "nodes": [], "edges": []}
STARTED = ev.CallStarted("buy", {"title": "Dune"}, "2026-07-28", ("roots",), "playground")
FAILURE = ev.Failure("KeyError", "'x'", (ev.Frame("a.py", 3, "f", "raise", True),))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLAYGROUND_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def kept(call: str) -> Kept:
    return Kept(call, ABOUT, TOOL)


def put(into: Store, call: str, *events: ev.Event) -> list[Recorded]:
    """A call with these events, recorded and put."""
    log = CallLog(into.epoch)
    log.subscribe(lambda record: into.put(kept(call), record))
    for event in (STARTED, *events):
        log.append(event)
    return log.records()


def filled(call: str, *events: ev.Event) -> list[Recorded]:
    """As a process that has come and gone would leave it."""
    with closing(open_store(PORT)) as opened:
        return put(opened, call, *events)


def test_events_come_back_as_they_were_in_order_and_without_gaps() -> None:
    many: list[ev.Event] = [ev.Printed("stdout", f"{number}\n") for number in range(5_000)]
    events = [*many, ev.ResolverFailed("resolver:a:b", "a:b", FAILURE), ev.CallEnded("done", {"content": []})]
    before = filled("one", *events)
    with closing(open_store(PORT)) as opened:
        assert opened.calls() == [kept("one")]
        assert opened.records("one") == before


def test_calls_that_run_at_once_keep_their_own_numbers() -> None:
    with closing(open_store(PORT)) as opened:
        logs = {name: CallLog(opened.epoch) for name in ("one", "two")}
        for name, log in logs.items():
            log.subscribe(lambda record, name=name: opened.put(kept(name), record))  # type: ignore[misc]
        for number in range(500):
            logs["one"].append(ev.RoundStarted(number))
            logs["two"].append(ev.RoundEnded(number))
    with closing(open_store(PORT)) as again:
        for name, log in logs.items():
            assert again.records(name)[:500] == log.records()


def test_a_call_without_an_end_is_interrupted_at_the_next_start_and_only_once() -> None:
    before = filled("one", ev.RoundStarted(1))
    for _ in range(2):
        with closing(open_store(PORT)) as opened:
            after = opened.records("one")
    assert after[:-1] == before
    assert (after[-1].seq, after[-1].event) == (3, INTERRUPTED)
    assert after[-1].epoch == before[-1].epoch + 1


def test_a_call_that_had_its_end_is_left_alone() -> None:
    before = filled("one", ev.CallEnded("stopped"))
    with closing(open_store(PORT)) as opened:
        assert opened.records("one") == before


def test_the_oldest_calls_go_and_one_that_runs_stays() -> None:
    with closing(open_store(PORT)) as opened:
        put(opened, "waiting", ev.RoundStarted(1))
        for number in range(KEPT_CALLS + 5):
            put(opened, f"call-{number}", ev.CallEnded("done"))
    with closing(sqlite3.connect(database.file_for(PORT))) as file:
        left = [name for (name,) in file.execute("SELECT id FROM calls ORDER BY number")]
        orphans = file.execute("SELECT COUNT(*) FROM events WHERE call NOT IN (SELECT number FROM calls)").fetchone()
    assert left == ["waiting", *(f"call-{number}" for number in range(5, KEPT_CALLS + 5))]
    assert orphans == (0,)


def test_what_json_cannot_hold_leaves_a_mark_and_no_gap() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    filled("one", ev.WireMessage("received", {"result": deep}), ev.CallEnded("done"))
    with closing(open_store(PORT)) as opened:
        assert [record.event.type for record in opened.records("one")] == [
            "call_started",
            "output_dropped",
            "call_ended",
        ]


def test_of_an_event_that_is_too_large_the_texts_are_cut() -> None:
    content = [{"type": "text", "text": "x" * store.MAX_EVENT}]
    filled("one", ev.WireMessage("received", {"id": 7, "result": content}), ev.CallEnded("done"))
    with closing(open_store(PORT)) as opened:
        message = opened.records("one")[1].event
    assert isinstance(message, ev.WireMessage)
    assert message.message["id"] == 7
    assert message.message["result"][0]["text"].endswith("more characters")


def test_lone_surrogates_come_back() -> None:
    before = filled("one", ev.Printed("stdout", "\ud800\n"), ev.CallEnded("done"))
    with closing(open_store(PORT)) as opened:
        assert opened.records("one") == before


def test_what_is_written_is_for_its_owner_only(data: Path) -> None:
    with closing(open_store(PORT)) as opened:
        put(opened, "one")
        modes = {path.stat().st_mode & 0o777 for path in data.iterdir()}
    assert modes == {0o600}
    assert data.stat().st_mode & 0o777 == 0o700


def test_two_playgrounds_keep_their_calls_apart() -> None:
    with closing(open_store(PORT)) as one, closing(open_store(PORT + 1)) as other:
        put(one, "one", ev.CallEnded("done"))
        put(other, "other", ev.CallEnded("done"))
    with closing(open_store(PORT)) as one, closing(open_store(PORT + 1)) as other:
        assert ([call.id for call in one.calls()], [call.id for call in other.calls()]) == (["one"], ["other"])


HOLDS = f"""
import time
from app.store import open_store
from tests.app.test_store import put
from resolver_runtime import events as ev
opened = open_store({PORT})
put(opened, "theirs", ev.RoundStarted(1))
import anyio
anyio.run(opened.written)
print("ready", flush=True)
time.sleep({START_SECONDS})
"""


@contextmanager
def another_process() -> Iterator[subprocess.Popen[str]]:
    """A process that has the file, and a call that runs."""
    command = [sys.executable, "-c", HOLDS]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_a_file_that_another_process_has_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.1)
    with another_process(), closing(open_store(PORT)) as second:
        assert second.trouble is not None
        assert "another playground has the file" in second.trouble
        put(second, "ours", ev.CallEnded("done"))
    with closing(open_store(PORT)) as later:
        assert [call.id for call in later.calls()] == ["theirs"]


def test_the_file_of_a_killed_process_is_free_at_once_and_whole() -> None:
    with another_process() as process:
        process.send_signal(signal.SIGKILL)
        process.wait(START_SECONDS)
        with closing(open_store(PORT)) as opened:
            assert [record.event for record in opened.records("theirs")] == [STARTED, ev.RoundStarted(1), INTERRUPTED]


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file grows beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_said_once_and_what_was_written_is_whole(caplog: pytest.LogCaptureFixture) -> None:
    line = ev.Printed("stdout", "x" * 1_000)
    filled("before", ev.CallEnded("done"))
    with closing(open_store(PORT)) as opened:
        with full_disk(300_000):
            for number in range(20):
                put(opened, f"call-{number}", *[line] * 100, ev.CallEnded("done"))
            opened.close()
        assert opened.trouble is not None
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "PLAYGROUND_DATA" in caplog.text
    with closing(open_store(PORT)) as again:
        assert again.calls()[0].id == "before"
        for call in again.calls():
            records = again.records(call.id)
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
            assert isinstance(records[-1].event, ev.CallEnded)


def test_a_directory_that_cannot_be_made_is_said_and_everything_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PLAYGROUND_DATA", str(tmp_path / "file" / "below"))
    with closing(open_store(PORT)) as opened:
        put(opened, "one", ev.CallEnded("done"))
        assert opened.trouble is not None
        assert "Not a directory" in opened.trouble
        assert (opened.calls(), opened.records("one")) == ([], [])


@pytest.mark.parametrize("text", ["no database at all, " * 100, ""], ids=["foreign", "empty"])
def test_a_file_of_something_else_is_left_as_it_is(data: Path, text: str) -> None:
    data.mkdir()
    database.file_for(PORT).write_text(text)
    with closing(open_store(PORT)) as opened:
        assert (opened.trouble is None) == (text == "")
    assert (database.file_for(PORT).read_bytes() == text.encode()) == bool(text)


def test_a_file_of_another_version_is_said(data: Path) -> None:
    filled("one")
    with closing(sqlite3.connect(database.file_for(PORT))) as file:
        file.execute("PRAGMA user_version = 99")
    with closing(open_store(PORT)) as opened:
        assert opened.trouble is not None
        assert "another version" in opened.trouble


def test_files_that_nobody_opened_for_long_go_unless_somebody_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = time.time() - database.UNUSED_SECONDS - 60
    with closing(open_store(PORT)), closing(open_store(PORT + 1)):
        pass
    with closing(open_store(PORT + 2)):
        for port in (PORT, PORT + 2):
            os.utime(database.file_for(port), (long_ago, long_ago))
        open_store(PORT + 3).close()
        assert [database.file_for(PORT + number).exists() for number in range(4)] == [False, True, True, True]


def test_the_file_is_in_the_users_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLAYGROUND_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert database.file_for(PORT) == tmp_path / "resolver-playground" / "calls-8000.db"
