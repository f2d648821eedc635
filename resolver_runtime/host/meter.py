"""How much output is told: of each call what a person could ever look at; the rest is counted. Knows no streams."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from resolver_runtime.events import Event, OutputDropped

LINES_PER_SECOND = 1_000
CHARACTERS_PER_SECOND = 1_000_000

Tell = Callable[[str | None, Event], None]
"""Given the call (None: of no call) and the event."""


@dataclass
class _Second:
    """What one call has put out in the second `number` of the clock."""

    number: int
    lines: int = 0
    characters: int = 0
    dropped: int = 0

    @property
    def is_full(self) -> bool:
        return self.lines >= LINES_PER_SECOND or self.characters >= CHARACTERS_PER_SECOND


class Meter:
    """Shared by all threads. A call that floods takes nothing from the others."""

    def __init__(self, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        self._tell = tell
        self._clock = clock
        self._lock = threading.Lock()
        self._seconds: dict[str | None, _Second] = {}

    def pass_on(self, call: str | None, event: Event, size: int) -> None:
        """Tell the event, of `size` characters, or count it as dropped."""
        with self._lock:
            second = self._this_second(call)
            if second.is_full:
                second.dropped += 1
                return
            second.lines += 1
            second.characters += size
            self._tell(call, event)

    def settle(self) -> None:
        """Tell how much has been dropped until now."""
        now = int(self._clock())
        with self._lock:
            for call, second in list(self._seconds.items()):
                self._tell_dropped(call, second)
                if second.number != now:
                    del self._seconds[call]

    def _this_second(self, call: str | None) -> _Second:
        now = int(self._clock())
        second = self._seconds.get(call)
        if second is None or second.number != now:
            if second is not None:
                self._tell_dropped(call, second)
            second = self._seconds[call] = _Second(now)
        return second

    def _tell_dropped(self, call: str | None, second: _Second) -> None:
        if second.dropped:
            self._tell(call, OutputDropped(second.dropped))
            second.dropped = 0
