"""The workers that a warm parent has: who they are, when they die, and what they said last."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from resolver_runtime.host.pipes import read_waiting

LAST_WORDS = 8 * 1024
"""Bytes kept of what a dead worker wrote and nobody has read."""


@dataclass
class Child:
    """`pipes` maps the name of a stream to the descriptor at which it can be read; closed with the last words."""

    number: int
    pid: int
    pipes: dict[str, int] = field(default_factory=dict)

    def last_words(self) -> dict[str, str]:
        return {name: _rest(descriptor).decode(errors="replace") for name, descriptor in self.pipes.items()}


class Children:
    def __init__(self) -> None:
        self._by_pid: dict[int, Child] = {}
        self._dying: dict[int, float] = {}

    def add(self, child: Child) -> None:
        self._by_pid[child.pid] = child

    def pop(self, pid: int) -> Child | None:
        self._dying.pop(pid, None)
        return self._by_pid.pop(pid, None)

    def numbered(self, number: int) -> Child | None:
        return next((child for child in self._by_pid.values() if child.number == number), None)

    def pids(self) -> tuple[int, ...]:
        return tuple(self._by_pid)

    def descriptors(self) -> Iterator[int]:
        """Of all pipes: a worker must not hold another's."""
        for child in self._by_pid.values():
            yield from child.pipes.values()

    def let_die(self, child: Child, deadline: float) -> None:
        self._dying.setdefault(child.pid, deadline)

    def any_dying(self) -> bool:
        return bool(self._dying)

    def due(self, now: float) -> list[int]:
        """The process ids of those whose time is over; each is told once."""
        over = [pid for pid, deadline in self._dying.items() if deadline <= now]
        for pid in over:
            del self._dying[pid]
        return over


def _rest(descriptor: int) -> bytes:
    rest = b""
    try:
        while waiting := read_waiting(descriptor):
            rest = (rest + waiting)[-LAST_WORDS:]
    finally:
        os.close(descriptor)
    return rest
