"""Where the vertical lines run between two columns: one lane per trunk, ordered so that few of them cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.layout.columns import Link, Slot

FIRST = 14
STEP = 8
LAST = 18
"""From the left column to the first lane, from lane to lane, and from the last to the right column: an arrow's room."""


@dataclass(frozen=True, slots=True)
class Trunk:
    """The heights at which one source's line comes in, and leaves to the right."""

    source: Slot
    start: float
    ends: tuple[float, ...]

    @property
    def top(self) -> float:
        return min(self.start, *self.ends)

    @property
    def bottom(self) -> float:
        return max(self.start, *self.ends)


def lanes_of(links: Sequence[Link]) -> dict[Slot, int]:
    """The lane (from 0) of each trunk that bends between these two columns."""
    trunks = [trunk for trunk in _trunks(links) if trunk.bottom - trunk.top >= 1]
    ordered = _ordered(sorted(trunks, key=lambda trunk: trunk.start))
    lanes: dict[Slot, int] = {}
    for index, trunk in enumerate(ordered):
        before = [lanes[other.source] for other in ordered[:index] if _touch(trunk, other)]
        lanes[trunk.source] = max(before, default=-1) + 1
    return lanes


def gap_width(lanes: dict[Slot, int]) -> int:
    return FIRST + STEP * max(lanes.values(), default=0) + LAST


def _trunks(links: Sequence[Link]) -> list[Trunk]:
    ends: dict[Slot, list[float]] = {}
    starts: dict[Slot, float] = {}
    for link in links:
        starts[link.left] = link.left.y + link.left_offset
        ends.setdefault(link.left, []).append(link.right.y + link.right_offset)
    return [Trunk(slot, starts[slot], tuple(ends[slot])) for slot in starts]


def _touch(one: Trunk, other: Trunk) -> bool:
    return one.top < other.bottom + 12 and other.top < one.bottom + 12


def _ordered(trunks: list[Trunk]) -> list[Trunk]:
    """Swap neighbours while that saves crossings; the bound is that of a bubble sort."""
    for _ in trunks:
        swapped = False
        for index in range(len(trunks) - 1):
            left, right = trunks[index], trunks[index + 1]
            if _crossings(right, left) < _crossings(left, right):
                trunks[index], trunks[index + 1] = right, left
                swapped = True
        if not swapped:
            break
    return trunks


def _crossings(left: Trunk, right: Trunk) -> int:
    """How often the two cross when `left` has the lane further left."""
    incoming = left.top < right.start < left.bottom
    outgoing = sum(right.top <= end <= right.bottom for end in left.ends)
    return incoming + outgoing
