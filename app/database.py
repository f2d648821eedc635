"""The file behind the store: where it is, what stands in it, and that it is ours alone.

Knows neither threads nor who reads or writes.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from app.calls import INTERRUPTED, KEPT_CALLS
from resolver_runtime import events as ev

LOCK_SECONDS = 2
"""For a playground on the same port that is just ending to let go of its file."""
UNUSED_SECONDS = 30 * 24 * 3600
"""After it the file of a playground that was not started again goes: `--port 0` leaves one at each start."""

_VERSION = 1
_SCHEMA = f"""
BEGIN;
CREATE TABLE epochs (epoch INTEGER PRIMARY KEY, began REAL NOT NULL);
CREATE TABLE calls (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    about TEXT NOT NULL,
    tool TEXT NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE events (
    call INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    at REAL NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (call, seq)
) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
COMMIT;
"""


def file_for(port: int) -> Path:
    """The file of the playground on this port: no two can have the same at once.

    Raises:
        RuntimeError: there is no home directory.
    """
    if chosen := os.environ.get("PLAYGROUND_DATA"):
        return Path(chosen) / f"calls-{port}.db"
    shared = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(shared) / "resolver-playground" / f"calls-{port}.db"


def opened(path: Path) -> sqlite3.Connection:
    """The file, ours alone until the connection closes.

    Raises:
        OSError, sqlite3.Error: it cannot be made, is no file of ours, or another process has it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Arguments, answers and headers are nobody else's; SQLite gives its other files the mode of this one.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    os.utime(path)
    connection = sqlite3.connect(path, timeout=LOCK_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        with connection:
            _bring_up_to_date(connection)
        return connection
    except BaseException:
        connection.close()
        raise


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        connection.executescript(_SCHEMA)
    elif version != _VERSION:
        raise sqlite3.DatabaseError("the file was written by another version of the playground")


def begin_epoch(connection: sqlite3.Connection) -> int:
    """The number of this start; calls that an earlier one left unfinished have their end from here on."""
    epoch = connection.execute("INSERT INTO epochs (began) VALUES (?)", (time.time(),)).lastrowid
    assert epoch is not None, "an insert has a row"
    _interrupt(connection, epoch)
    thin(connection)
    return epoch


def _interrupt(connection: sqlite3.Connection, epoch: int) -> None:
    """The end of each call that has none: whoever ran it is gone, for the file is ours."""
    connection.execute(
        "INSERT INTO events SELECT number, MAX(seq) + 1, ?, MAX(at), ? FROM calls JOIN events ON call = number "
        "WHERE NOT ended GROUP BY number",
        (epoch, json.dumps(ev.to_json(INTERRUPTED))),
    )
    connection.execute("UPDATE calls SET ended = 1")


def thin(connection: sqlite3.Connection) -> None:
    """Let the oldest calls go that have ended."""
    connection.execute(
        "DELETE FROM calls WHERE ended AND number NOT IN "
        "(SELECT number FROM calls WHERE ended ORDER BY number DESC LIMIT ?)",
        (KEPT_CALLS,),
    )


def sweep(directory: Path) -> None:
    """Remove the files of playgrounds that were not started for long, unless one is still running."""
    for path in directory.glob("calls-*.db"):
        with contextlib.suppress(OSError, sqlite3.Error):  # another start may be at it, or have it
            if time.time() - path.stat().st_mtime > UNUSED_SECONDS:
                _remove(path)


def _remove(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, timeout=0)) as file:
        file.execute("PRAGMA locking_mode = EXCLUSIVE")
        file.execute("BEGIN EXCLUSIVE")
        for one in _files_of(path):
            one.unlink(missing_ok=True)


def _files_of(path: Path) -> Iterable[Path]:
    return (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm")))
