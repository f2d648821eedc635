"""The calls of one playground on disk: each call, and each of its events, in SQLite, written by a thread of its own.

Knows neither who makes a call nor what it looks like. What comes back of a call is its first events, in order and
without gaps: all of them, but for the last moment before a process was killed. A disk that fails is said once; from
then on nothing more is written, and whoever puts events here notices nothing.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from queue import Empty, SimpleQueue
from typing import Any

import anyio.to_thread

from app import database
from app.calls import Recorded
from resolver_runtime import events as ev
from resolver_runtime import wire

WRITE_SECONDS = 1
"""For an answer to reach the disk before it is confirmed."""
CLOSE_SECONDS = 5
BATCH = 1000
"""Events of one transaction: few enough that a reader waits for milliseconds."""
MAX_EVENT = 4 * 1024 * 1024
"""Characters of one event; of a larger one the texts are cut: encoding 64 MiB at once stops every page for a second."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """A call as it is kept. `about` and `tool` are JSON objects that mean something to whoever put them here."""

    id: str
    about: Mapping[str, Any]
    tool: Mapping[str, Any]


@dataclass(frozen=True)
class _Line:
    call: Kept
    record: Recorded


_Item = _Line | threading.Event | None
"""What the writer is given: an event; somebody who waits for all that came before; the end."""


@contextlib.asynccontextmanager
async def kept_calls(port: int) -> AsyncIterator[Store]:
    """The store of the playground on this port."""
    store = await anyio.to_thread.run_sync(open_store, port)
    try:
        yield store
    finally:
        store.close()


def open_store(port: int) -> Store:
    """The calls in the file for this port. Without a usable file the store holds nothing, and says so."""
    try:
        path = database.file_for(port)
        database.sweep(path.parent)
        return Store(database.opened(path))
    except (OSError, RuntimeError, sqlite3.Error) as error:
        store = Store()
        store.fail(error)
        return store


@dataclass
class Store:
    """Puts calls on disk and reads those of earlier processes; without a connection it forgets everything.

    `epoch` is the number of this start of the web process. `trouble` says why nothing is kept any more, if so.
    """

    connection: sqlite3.Connection | None = None
    epoch: int = 0
    trouble: str | None = None
    _queue: SimpleQueue[_Item] = field(default_factory=SimpleQueue)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _writer: threading.Thread | None = None

    def __post_init__(self) -> None:
        if self.connection is not None:
            with self.connection as connection:
                self.epoch = database.begin_epoch(connection)
            # A disk that hangs must not keep the process from ending.
            self._writer = threading.Thread(target=self._write, name="store", daemon=True)
            self._writer.start()

    def put(self, call: Kept, record: Recorded) -> None:
        """Keep an event, in a moment. The first of a call brings the call with it. Never raises, never waits."""
        if self.connection is not None and self.trouble is None:
            self._queue.put(_Line(call, record))

    async def written(self) -> None:
        """Until everything put so far is on disk; at once if nothing is kept, and after a bounded time in any case."""
        if self._writer is not None:
            marker = threading.Event()
            self._queue.put(marker)
            await anyio.to_thread.run_sync(marker.wait, WRITE_SECONDS)

    def calls(self) -> list[Kept]:
        """Every call, the oldest first."""
        rows = self._read("SELECT id, about, tool FROM calls ORDER BY number")
        return [Kept(call, _parsed(about), _parsed(tool)) for call, about, tool in rows]

    def records(self, call: str) -> list[Recorded]:
        """The events of a call; none if it is not here, or cannot be read."""
        sql = "SELECT seq, at, event, epoch FROM events WHERE call = (SELECT number FROM calls WHERE id = ?) ORDER BY 1"
        return [
            Recorded(seq, at, ev.from_json(json.loads(event)), epoch)
            for seq, at, event, epoch in self._read(sql, (call,))
        ]

    def close(self) -> None:
        """Write what is left, and let go of the file."""
        if self.connection is None or self._writer is None:
            return
        self._queue.put(None)
        self._writer.join(CLOSE_SECONDS)
        if not self._writer.is_alive():
            with contextlib.suppress(sqlite3.Error):  # a disk that failed has been told of
                self.connection.close()

    def fail(self, error: Exception) -> None:
        """Nothing is kept from here on; the first reason is the one that is told."""
        if self.trouble is not None:
            return
        is_taken = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
        reason = "another playground has the file" if is_taken else str(error)
        self.trouble = (
            f"Calls are not kept on disk: {reason}. The page goes on, but a restart of the playground loses what "
            "happens from here on. Make room or name another directory in PLAYGROUND_DATA, then start it again."
        )
        _logger.error("%s", self.trouble)

    def _read(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        if self.connection is None:
            return []
        try:
            with self._lock:
                return self.connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            self.fail(error)
            return []

    def _write(self) -> None:
        is_open = True
        while is_open:
            batch = self._next_batch()
            is_open = None not in batch
            if self.trouble is None:
                self._commit([item for item in batch if isinstance(item, _Line)])
            for item in batch:
                if isinstance(item, threading.Event):
                    item.set()

    def _next_batch(self) -> list[_Item]:
        batch = [self._queue.get()]
        with contextlib.suppress(Empty):
            while len(batch) < BATCH:
                batch.append(self._queue.get_nowait())
        return batch

    def _commit(self, lines: list[_Line]) -> None:
        assert self.connection is not None, "there is no writer without a connection"
        rows = [_row(line) for line in lines]
        begun = [_call_row(line.call) for line in lines if line.record.seq == 1]
        ended = [(line.call.id,) for line in lines if isinstance(line.record.event, ev.CallEnded)]
        try:
            with self._lock, self.connection as connection:
                connection.executemany("INSERT INTO calls (id, about, tool) VALUES (?, ?, ?)", begun)
                connection.executemany("INSERT INTO events SELECT number, ?, ?, ?, ? FROM calls WHERE id = ?", rows)
                connection.executemany("UPDATE calls SET ended = 1 WHERE id = ?", ended)
                if ended:
                    database.thin(connection)
        except sqlite3.Error as error:
            self.fail(error)


def _row(line: _Line) -> tuple[Any, ...]:
    record = line.record
    try:
        text = wire.event_text(record.event, MAX_EVENT)
    except (TypeError, ValueError, RuntimeError):  # a message nested too deep: its number must not be missing
        text = wire.event_text(ev.OutputDropped(1), MAX_EVENT)
    return record.seq, record.epoch, record.at, text, line.call.id


def _call_row(call: Kept) -> tuple[str, str, str]:
    return call.id, json.dumps(call.about), json.dumps(call.tool)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Any:
    """Calls of one tool share what the tool was."""
    return json.loads(text)
