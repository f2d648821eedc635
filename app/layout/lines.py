"""Points to SVG: orthogonal lines with round corners."""

from __future__ import annotations

from collections.abc import Sequence

RADIUS = 8

Point = tuple[int, int]


def rounded(points: Sequence[Point]) -> str:
    """The `d` of a path along the points, whose steps are horizontal or vertical."""
    corners = simplified(points)
    parts = [f"M{corners[0][0]} {corners[0][1]}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        radius = min(RADIUS, _length(before, corner) // 2, _length(corner, after) // 2)
        start, end = _towards(corner, before, radius), _towards(corner, after, radius)
        parts.append(f"L{start[0]} {start[1]}Q{corner[0]} {corner[1]} {end[0]} {end[1]}")
    parts.append(f"L{corners[-1][0]} {corners[-1][1]}")
    return "".join(parts)


def simplified(points: Sequence[Point]) -> list[Point]:
    """The same line without points that it only passes."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and (kept[-2][0] == kept[-1][0] == point[0] or kept[-2][1] == kept[-1][1] == point[1]):
            kept.pop()
        kept.append(point)
    return kept


def _length(one: Point, other: Point) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _towards(corner: Point, other: Point, distance: int) -> Point:
    x, y = corner
    return x + _sign(other[0] - x) * distance, y + _sign(other[1] - y) * distance


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
