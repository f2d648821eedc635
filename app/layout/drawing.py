"""The drawing of a graph in layers: cards, paths, size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.layout.cards import Card, is_crowded
from app.layout.columns import Columns, Link, Slot, arrange
from app.layout.heights import align
from app.layout.lanes import FIRST, STEP, gap_width, lanes_of
from app.layout.lines import Point, rounded, simplified
from resolver_runtime.graph import Edge, Graph

MARGIN_X = 14
MARGIN_TOP = 20
MARGIN_BOTTOM = 32


@dataclass(frozen=True, slots=True)
class Path:
    """The line of one edge: from the right side of the source's name to the row of the parameter it fills."""

    edge: Edge
    points: tuple[Point, ...]

    @property
    def d(self) -> str:
        return rounded(self.points)

    @property
    def start(self) -> Point:
        return self.points[0]

    @property
    def end(self) -> Point:
        return self.points[-1]


@dataclass(frozen=True, slots=True)
class Label:
    """A numbered parameter name on an edge of a cycle; `x` and `y` are its middle."""

    number: int
    text: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything of one graph, in CSS pixels. `compact`: its cards are. `ring` holds the node ids of a cycle, in its
    order (empty: none), `frame` its x, y, width and height."""

    width: int
    height: int
    cards: Mapping[str, Card]
    paths: tuple[Path, ...]
    ring: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    frame: tuple[int, int, int, int] | None = None
    compact: bool = False


def draw_layers(graph: Graph) -> Drawing:
    """The drawing of a graph, by columns; edges that lead back are left out."""
    columns = arrange(graph)
    align(columns)
    lanes = [lanes_of(links) for links in columns.links]
    lefts, rights = _edges_of_columns(columns, lanes)
    cards = {
        slot.node: _card(slot, lefts[slot.column], rights[slot.column])
        for slots in columns.slots
        for slot in slots
        if slot.is_card
    }
    paths = tuple(
        Path(edge, _points(route, lanes, cards, rights))
        for edge, route in zip(graph.edges, columns.routes, strict=True)
        if route
    )
    bottom = max((slot.y + slot.height for slots in columns.slots for slot in slots), default=0)
    width = rights[-1] + MARGIN_X if rights else 2 * MARGIN_X
    height = round(bottom) + MARGIN_TOP + MARGIN_BOTTOM
    return Drawing(width, height, cards, paths, compact=is_crowded(graph))


def _edges_of_columns(columns: Columns, lanes: list[dict[Slot, int]]) -> tuple[list[int], list[int]]:
    lefts: list[int] = []
    rights: list[int] = []
    x = MARGIN_X
    for column, slots in enumerate(columns.slots):
        widest = max((slot.shape.width for slot in slots), default=0)
        lefts.append(x)
        rights.append(x + widest)
        x = rights[-1] + (gap_width(lanes[column]) if column < len(lanes) else 0)
    return lefts, rights


def _card(slot: Slot, left: int, right: int) -> Card:
    """Cards of a column have one width: their edges leave and end on one line."""
    return Card(slot.node, left, _y(slot, 0), right - left, slot.shape)


def _y(slot: Slot, offset: int) -> int:
    return round(slot.y) + offset + MARGIN_TOP


def _points(
    route: list[Link], lanes: list[dict[Slot, int]], cards: Mapping[str, Card], rights: list[int]
) -> tuple[Point, ...]:
    source, target = cards[route[0].left.node], cards[route[-1].right.node]
    points: list[Point] = [(source.right, _y(route[0].left, route[0].left_offset))]
    for link in route:
        gap = link.left.column
        x = rights[gap] + FIRST + STEP * lanes[gap].get(link.left, 0)
        points += [(x, points[-1][1]), (x, _y(link.right, link.right_offset))]
    points.append((target.x, points[-1][1]))
    return tuple(simplified(points))
