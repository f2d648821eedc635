"""Which column each node stands in, and in which order: ranks by longest path, few crossings by sweeping.

An edge over several columns passes each of them in a slot, so that no line runs under a card. Where the order lays
slots of one source side by side, they become one: its trunk.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from app.layout.cards import Shape, compact_shape_of, is_crowded, shape_of
from resolver_runtime.graph import Graph

SWEEPS = 6
PASS = Shape(width=0, height=8, leaves=4, below=6)
"""What the way of a line through a column takes; `below` is how near it may come to a card."""


@dataclass(eq=False, slots=True)
class Slot:
    """One place in a column: the card of `node`, or the way of `node`'s trunk through it. `y` is the top."""

    node: str
    column: int
    shape: Shape
    y: float = 0.0

    @property
    def is_card(self) -> bool:
        return self.shape is not PASS

    @property
    def height(self) -> int:
        return self.shape.height


@dataclass(frozen=True, slots=True)
class Link:
    """One step of an edge between neighbouring columns, with the heights of its ends below the tops of the slots."""

    left: Slot
    left_offset: int
    right: Slot
    right_offset: int


@dataclass(slots=True)
class Columns:
    """Slots by column, top to bottom; for each edge (by position in the graph) the slots it goes through."""

    slots: list[list[Slot]]
    links: list[list[Link]]
    routes: list[list[Link]] = field(default_factory=list)

    def links_at(self, column: int) -> Iterable[Link]:
        """The links on both sides of a column."""
        for gap in (column - 1, column):
            if 0 <= gap < len(self.links):
                yield from self.links[gap]


def arrange(graph: Graph) -> Columns:
    """Columns in a good order; the slots have no heights yet."""
    ranks = _ranks(graph)
    columns = _slots(graph, ranks)
    _order(columns)
    _join_trunks(columns)
    return columns


def _ranks(graph: Graph) -> dict[str, int]:
    ranks: dict[str, int] = {}

    def rank(node_id: str, path: frozenset[str]) -> int:
        if node_id not in ranks:
            sources = [edge.source for edge in graph.inputs(node_id) if edge.source not in path]
            depths = [rank(source, path | {source}) for source in sources]
            is_given = graph.by_id[node_id].kind in ("argument", "context")
            ranks[node_id] = 0 if is_given else 1 + max(depths, default=0)
        return ranks[node_id]

    for node in graph.nodes:
        rank(node.id, frozenset({node.id}))
    last = max((value for node_id, value in ranks.items() if graph.by_id[node_id].kind != "tool"), default=0) + 1
    return {node_id: last if graph.by_id[node_id].kind == "tool" else value for node_id, value in ranks.items()}


def _slots(graph: Graph, ranks: Mapping[str, int]) -> Columns:
    width = max(ranks.values(), default=0) + 1
    columns = Columns([[] for _ in range(width)], [[] for _ in range(width - 1)])
    cards: dict[str, Slot] = {}
    crowded = is_crowded(graph)
    for node in graph.nodes:
        shape = compact_shape_of(node) if crowded else shape_of(graph, node)
        cards[node.id] = Slot(node.id, ranks[node.id], shape)
        columns.slots[ranks[node.id]].append(cards[node.id])
    for edge in graph.edges:
        columns.routes.append(_route(columns, cards[edge.source], cards[edge.target], edge.parameter))
    _index_links(columns)
    return columns


def _route(columns: Columns, source: Slot, target: Slot, parameter: str) -> list[Link]:
    """The links of one edge; makes the slots it passes. An edge that does not lead to the right has none."""
    route: list[Link] = []
    here = source
    for column in range(source.column + 1, target.column):
        slot = Slot(source.node, column, PASS)
        columns.slots[column].append(slot)
        route.append(Link(here, here.shape.leaves, slot, PASS.leaves))
        here = slot
    if source.column < target.column:
        route.append(Link(here, here.shape.leaves, target, target.shape.enters(parameter)))
    return route


def _index_links(columns: Columns) -> None:
    columns.links = [[] for _ in columns.links]
    for link in dict.fromkeys(link for route in columns.routes for link in route):
        columns.links[link.left.column].append(link)


def _join_trunks(columns: Columns) -> None:
    """Make one slot of neighbours that carry the same source's line from the same slot."""
    origins = {link.right: link.left for links in columns.links for link in links if not link.right.is_card}
    joined: dict[Slot, Slot] = {}
    for slots in columns.slots:
        for above, below in pairwise(slots):
            lines = [joined.get(origins[slot], origins[slot]) for slot in (above, below) if slot in origins]
            if len(lines) == 2 and lines[0] is lines[1]:
                joined[below] = joined.get(above, above)
    columns.slots = [[slot for slot in slots if slot not in joined] for slots in columns.slots]
    columns.routes = [[_joined(link, joined) for link in route] for route in columns.routes]
    _index_links(columns)


def _joined(link: Link, joined: Mapping[Slot, Slot]) -> Link:
    left, right = joined.get(link.left, link.left), joined.get(link.right, link.right)
    return Link(left, link.left_offset, right, link.right_offset)


def _order(columns: Columns) -> None:
    best, fewest = [list(slots) for slots in columns.slots], _crossings(columns)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for column in _sweep(len(columns.slots), forward):
            _sort_column(columns, column, forward)
        if (crossings := _crossings(columns)) < fewest:
            best, fewest = [list(slots) for slots in columns.slots], crossings
    columns.slots = best


def _sweep(count: int, forward: bool) -> Iterable[int]:
    return range(1, count) if forward else range(count - 2, -1, -1)


def _sort_column(columns: Columns, column: int, forward: bool) -> None:
    """Each slot to the mean place of its neighbours on one side."""
    places = _places(columns.slots[column - 1 if forward else column + 1])
    wishes: dict[Slot, list[float]] = {}
    for link in columns.links[column - 1 if forward else column]:
        slot, other, offset = (
            (link.right, link.left, link.left_offset) if forward else (link.left, link.right, link.right_offset)
        )
        wishes.setdefault(slot, []).append(places[other] + offset / (other.height + 1))
    current = _places(columns.slots[column])
    columns.slots[column].sort(key=lambda slot: _mean(wishes.get(slot, [current[slot]])))


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _places(slots: list[Slot]) -> dict[Slot, int]:
    return {slot: place for place, slot in enumerate(slots)}


def _crossings(columns: Columns) -> int:
    return sum(_crossings_in(columns, gap) for gap in range(len(columns.links)))


def _crossings_in(columns: Columns, gap: int) -> int:
    left, right = _places(columns.slots[gap]), _places(columns.slots[gap + 1])
    ends = {
        ((left[link.left], link.left_offset), (right[link.right], link.right_offset)) for link in columns.links[gap]
    }
    seen: list[tuple[int, int]] = []
    crossings = 0
    for _, end in sorted(ends):
        crossings += len(seen) - bisect_right(seen, end)
        insort(seen, end)
    return crossings
