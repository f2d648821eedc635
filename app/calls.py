"""The log of one call: what happened, in order, with numbers to resume from.

Knows neither who records nor who listens or keeps it; what a call looks like is a fold over these records (`view`).
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import anyio

from resolver_runtime import events as ev

MAX_RECORDS = 50_000
"""Records kept of one call. Beyond it, output and wire messages are counted only: they alone come without end."""
KEPT_CALLS = 200
"""Calls kept that have ended; the oldest go first."""

INTERRUPTED = ev.CallEnded(
    "interrupted",
    error={
        "code": None,
        "message": "The playground ended while this call was under way, and its worker with it. Nothing has been run "
        "again. Run the call again with the answers it had so far, or press Call for a new one.",
        "data": None,
    },
)

_OUTPUT = (ev.Printed, ev.Logged, ev.OutputDropped, ev.Progressed, ev.ClientLogged, ev.WireMessage)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One event in its place. `seq` counts from 1; `at` is in seconds since the call began.

    `epoch` is the start of the web process that recorded it: the numbers of a call go on from one to the next.
    """

    seq: int
    at: float
    event: ev.Event
    epoch: int = 0

    def to_json(self) -> dict[str, Any]:
        """`{"seq", "at", "type", ...}`, the event's own fields beside them."""
        return {"seq": self.seq, "at": self.at, **ev.to_json(self.event)}


Subscriber = Callable[[Recorded], None]


class CallLog:
    """Append, read from a number on, follow. All on one thread."""

    def __init__(self, epoch: int = 0, max_records: int = MAX_RECORDS) -> None:
        self._epoch = epoch
        self._max_records = max_records
        self._records: list[Recorded] = []
        self._subscribers: list[Subscriber] = []
        self._dropped = 0
        self._began: float | None = None

    @classmethod
    def of(cls, records: Iterable[Recorded]) -> CallLog:
        """The log of a call that is over."""
        log = cls()
        log._records = list(records)
        return log

    def append(self, event: ev.Event, time: float | None = None) -> None:
        """Record an event; `time` is when it happened on the monotonic clock, now if it is not given."""
        if len(self._records) >= self._max_records and isinstance(event, _OUTPUT):
            self._dropped += 1
            return
        if self._dropped and isinstance(event, ev.CallEnded):
            self._put(ev.OutputDropped(self._dropped), time)
        self._put(event, time)

    def records(self, after: int = 0) -> list[Recorded]:
        """The records with a number above `after`."""
        return self._records[after:]

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Tell `callback`, which must not raise, each record from now on; the return value ends that."""
        self._subscribers.append(callback)

        def unsubscribe() -> None:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

        return unsubscribe

    async def follow(self) -> AsyncIterator[Recorded]:
        """Each record from the first on, until the call has ended."""
        changed = anyio.Event()
        leave = self.subscribe(lambda _: changed.set())
        seen = 0
        try:
            while True:
                changed = anyio.Event()
                for record in self.records(seen):
                    seen = record.seq
                    yield record
                    if isinstance(record.event, ev.CallEnded):
                        return
                await changed.wait()
        finally:
            leave()

    async def wait_for(self, kind: type[ev.Event]) -> None:
        """Until an event of this kind is recorded; at once if there is one."""
        found = anyio.Event()

        def look(record: Recorded) -> None:
            if isinstance(record.event, kind):
                found.set()

        leave = self.subscribe(look)
        try:
            if not any(isinstance(record.event, kind) for record in self._records):
                await found.wait()
        finally:
            leave()

    def to_json(self) -> list[dict[str, Any]]:
        return [record.to_json() for record in self._records]

    def _put(self, event: ev.Event, when: float | None) -> None:
        when = time.monotonic() if when is None else when
        if self._began is None:
            self._began = when
        at = round(max(0.0, when - self._began), 6)
        record = Recorded(len(self._records) + 1, at, event, self._epoch)
        self._records.append(record)
        for callback in tuple(self._subscribers):
            callback(record)
