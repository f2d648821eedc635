"""How high each slot stands: as near as may be to where its edges would be straight, in order, without touching."""

from __future__ import annotations

from itertools import pairwise

from app.layout.columns import Columns, Link, Slot

SWEEPS = 8
BEND = 60.0
"""What a bend costs, in pixels of line."""
NUDGE = 12
"""How far a card may be moved for a line to be straight."""
TRIES = 5
ROOM = 250
"""How many heights of the last card are tried, and the height over which a low graph may spread."""


def align(columns: Columns) -> None:
    """Give every slot its `y`; the highest stands at 0."""
    for slots in columns.slots:
        _stack(slots, [0.0] * len(slots))
    best, cheapest = _heights(columns), float("inf")
    for sweep in range(SWEEPS):
        order = range(len(columns.slots)) if sweep % 2 == 0 else range(len(columns.slots) - 1, -1, -1)
        for column in order:
            _settle(columns, column, leftwards=sweep % 2 == 0)
        if (cost := _cost(columns)) < cheapest:
            best, cheapest = _heights(columns), cost
    for slot, y in best.items():
        slot.y = y
    _compact(columns)
    _finish(columns)


def _heights(columns: Columns) -> dict[Slot, float]:
    return {slot: slot.y for slots in columns.slots for slot in slots}


def _cost(columns: Columns) -> float:
    return sum(
        _price(link.left.y + link.left_offset - link.right.y - link.right_offset)
        for links in columns.links
        for link in links
    )


def _settle(columns: Columns, column: int, leftwards: bool) -> None:
    """Move a column's slots towards their neighbours; those on the side we come from count, others only without."""
    wishes: dict[Slot, tuple[list[float], list[float]]] = {slot: ([], []) for slot in columns.slots[column]}
    for link in columns.links_at(column):
        from_left = link.right.column == column
        slot = link.right if from_left else link.left
        wishes[slot][from_left != leftwards].append(_straight_y(link, slot))
    slots = columns.slots[column]
    _stack(slots, [_median(wishes[slot][0] or wishes[slot][1] or [slot.y]) for slot in slots])


def _compact(columns: Columns) -> None:
    """Keep every column within the height of the tallest, or within `ROOM` where all are low; its top becomes 0."""
    tallest = max(columns.slots, key=_extent, default=[])
    if not tallest:
        return
    spare = max(0.0, ROOM - _extent(tallest)) / 2
    top, bottom = tallest[0].y - spare, tallest[-1].y + tallest[-1].height + spare
    for slots in columns.slots:
        offsets = _offsets(slots)
        for slot, offset in zip(slots, offsets, strict=True):
            lowest = bottom - _extent(slots) + offset
            slot.y = round(min(max(slot.y, top + offset), max(lowest, top + offset)) - top)


def _extent(slots: list[Slot]) -> float:
    return _offsets(slots)[-1] + slots[-1].height if slots else 0.0


def _finish(columns: Columns) -> None:
    """Straighten what can be, for the height of the last card that leaves the fewest bends; then put the top at 0."""
    last = columns.slots[-1][-1]
    bounds = [slot.y for slots in columns.slots for slot in slots]
    wishes = {_straight_y(link, last) for link in columns.links_at(len(columns.slots) - 1) if link.right is last}
    allowed = [y for y in wishes if len(columns.slots[-1]) == 1 and min(bounds) <= y <= max(bounds)]
    tries: list[tuple[float, int, dict[Slot, float]]] = []
    before = _heights(columns)
    for y in sorted({last.y, *allowed}, key=lambda y: abs(y - last.y))[:TRIES]:
        _restore(before)
        last.y = y
        for column in (*range(len(columns.slots)), *range(len(columns.slots) - 2, -1, -1)):
            _straighten(columns, column)
        tries.append((_cost(columns), len(tries), _heights(columns)))
    best = min(tries, key=lambda one: one[:2])[2]
    top = min(best.values())
    _restore({slot: y - top for slot, y in best.items()})


def _restore(heights: dict[Slot, float]) -> None:
    for slot, y in heights.items():
        slot.y = round(y)


def _straighten(columns: Columns, column: int) -> None:
    """Move slots by the little that saves a bend, where there is room; lines that only pass may move far."""
    slots = columns.slots[column]
    links: dict[Slot, list[Link]] = {slot: [] for slot in slots}
    for link in columns.links_at(column):
        links[link.right if link.right.column == column else link.left].append(link)
    for place, slot in enumerate(slots):
        highest, lowest = _free_room(slots, place)
        reach = NUDGE if slot.is_card else float("inf")
        wishes = [_straight_y(link, slot) for link in links[slot]]
        near = [y for y in wishes if abs(y - slot.y) <= reach and highest <= y <= lowest]
        slot.y = _cheapest([slot.y, *near], wishes)


def _free_room(slots: list[Slot], place: int) -> tuple[float, float]:
    """Between which heights a slot can move without coming too near to its neighbours."""
    slot, highest, lowest = slots[place], 0.0, float("inf")
    if place > 0:
        above = slots[place - 1]
        highest = above.y + above.height + above.shape.below
    if place + 1 < len(slots):
        lowest = slots[place + 1].y - slot.height - slot.shape.below
    return highest, lowest


def _cheapest(heights: list[float], wishes: list[float]) -> float:
    return min(heights, key=lambda y: sum(_price(wish - y) for wish in wishes))


def _price(drop: float) -> float:
    return abs(drop) + BEND * (abs(drop) >= 1)


def _straight_y(link: Link, slot: Slot) -> float:
    """Where `slot` stands when the link is straight."""
    drop = link.left_offset - link.right_offset
    return link.left.y + drop if link.right is slot else link.right.y - drop


def _median(values: list[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


def _stack(slots: list[Slot], wishes: list[float]) -> None:
    """The heights nearest to `wishes` that keep order and distance: pool neighbours that would overlap."""
    pools: list[tuple[float, int]] = []
    offsets = _offsets(slots)
    for wish, offset in zip(wishes, offsets, strict=True):
        total, count = wish - offset, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            more, others = pools.pop()
            total, count = total + more, count + others
        pools.append((total, count))
    bases = [total / count for total, count in pools for _ in range(count)]
    for slot, base, offset in zip(slots, bases, offsets, strict=True):
        slot.y = base + offset


def _offsets(slots: list[Slot]) -> list[float]:
    """How far below the first slot each must stand at least."""
    offsets = [0.0]
    for above, below in pairwise(slots):
        offsets.append(offsets[-1] + above.height + _distance(above, below))
    return offsets[: len(slots)]


def _distance(above: Slot, below: Slot) -> int:
    if not above.is_card:
        return 16 if below.is_card else 12
    return above.shape.below + (4 if below.is_card else 0)
