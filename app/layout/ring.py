"""A cycle as a ring: its members in two rows, one after the other clockwise, each edge with its number and parameter.

What feeds the ring stands on its left, what it should have fed on its right; those lines end at the ring's frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from app.layout.cards import FOOT, HEAD, Card, Shape, shape_of
from app.layout.drawing import MARGIN_BOTTOM, MARGIN_TOP, MARGIN_X, Drawing, Label, Path
from app.layout.lines import Point, simplified
from resolver_runtime.graph import Edge, Graph

HEIGHT = HEAD + FOOT
BETWEEN = 108
"""Between two members of a row, and between the rows: a label's room."""
LABEL, LABEL_CHARACTER = 36, 8
"""Widths of a label: its number, and each character of the parameter."""
AROUND = 20
"""From the members to the ring's outer lines."""


def cycle_of(graph: Graph) -> tuple[str, ...]:
    """The node ids of one cycle, each filling a parameter of the next; empty when there is none."""
    done: set[str] = set()

    def search(node_id: str, path: list[str]) -> tuple[str, ...]:
        if node_id in path:
            return tuple(path[path.index(node_id) :])
        if node_id in done:
            return ()
        for edge in graph.outputs(node_id):
            if found := search(edge.target, [*path, node_id]):
                return found
        done.add(node_id)
        return ()

    return next((found for node in graph.nodes if (found := search(node.id, []))), ())


def draw_ring(graph: Graph, cycle: tuple[str, ...]) -> Drawing:
    given = [node for node in graph.nodes if node.id not in cycle and node.kind != "tool"]
    left = _column(graph, [node.id for node in given], MARGIN_X)
    beside = _room_beside(graph, cycle)
    x = max((card.right + beside for card in left), default=MARGIN_X + beside)
    members = _members(graph, cycle, x + AROUND)
    right_edge = max(card.right for card in members.values()) + AROUND
    tools = [node.id for node in graph.nodes if node.kind == "tool" and node.id not in cycle]
    right = _column(graph, tools, right_edge + beside)
    cards = {card.node: card for card in (*left, *members.values(), *right)}
    edges, labels = _ring_edges(graph, cycle, members)
    others = [path for edge in graph.edges if (path := _outside(edge, cards, cycle, (x, right_edge))) is not None]
    bottom = max(card.bottom for card in cards.values())
    width = max(card.right for card in cards.values()) + MARGIN_X + (0 if right else AROUND)
    frame = (
        x,
        MARGIN_TOP - AROUND + 4,
        right_edge - x,
        max(card.bottom for card in members.values()) + AROUND - MARGIN_TOP + AROUND - 4,
    )
    return Drawing(width, bottom + MARGIN_BOTTOM + AROUND, cards, (*others, *edges), cycle, labels, frame)


def _room_beside(graph: Graph, cycle: tuple[str, ...]) -> int:
    """For the half of a label that stands out of the ring where its line goes up or down."""
    names = [edge.parameter for edge in graph.edges if edge.source in cycle and edge.target in cycle]
    return AROUND + max(LABEL + LABEL_CHARACTER * len(name) for name in names) // 2


def _column(graph: Graph, node_ids: Sequence[str], x: int) -> list[Card]:
    cards: list[Card] = []
    y = MARGIN_TOP + HEIGHT // 2
    for node_id in node_ids:
        shape = shape_of(graph, graph.by_id[node_id])
        cards.append(Card(node_id, x, y, shape.width, shape))
        y = cards[-1].bottom + 36
    return cards


def _members(graph: Graph, cycle: tuple[str, ...], x: int) -> dict[str, Card]:
    """The upper row from left to right, the lower one back."""
    upper = cycle[: max(1, len(cycle) // 2)]
    lower = cycle[len(upper) :][::-1]
    widths = {node_id: max(144, shape_of(graph, graph.by_id[node_id]).width) for node_id in cycle}
    spans = [sum(widths[node_id] for node_id in row) + BETWEEN * max(0, len(row) - 1) for row in (upper, lower)]
    cards: dict[str, Card] = {}
    for row, span, y in ((upper, spans[0], MARGIN_TOP), (lower, spans[1], MARGIN_TOP + HEIGHT + BETWEEN)):
        left = x + (max(spans) - span) // 2
        for node_id in row:
            cards[node_id] = Card(node_id, left, y, widths[node_id], Shape(widths[node_id], HEIGHT))
            left += widths[node_id] + BETWEEN
    return cards


def _ring_edges(
    graph: Graph, cycle: tuple[str, ...], cards: dict[str, Card]
) -> tuple[tuple[Path, ...], tuple[Label, ...]]:
    paths: list[Path] = []
    labels: list[Label] = []
    for number, source in enumerate(cycle, start=1):
        target = cycle[number % len(cycle)]
        edge = next(edge for edge in graph.edges if (edge.source, edge.target) == (source, target))
        points = simplified(_between(cards[source], cards[target], len(cycle) == 1))
        paths.append(Path(edge, tuple(points)))
        labels.append(_label(number, edge.parameter, points))
    return tuple(paths), tuple(labels)


def _between(source: Card, target: Card, is_loop: bool) -> list[Point]:
    start, end = _middle(source), _middle(target)
    if is_loop:
        x, y = source.right + AROUND, source.bottom + AROUND
        return [(source.right, start[1]), (x, start[1]), (x, y), (start[0], y), (start[0], source.bottom)]
    if start[1] == end[1]:
        return (
            [(source.right, start[1]), (target.x, end[1])]
            if start < end
            else [(source.x, start[1]), (target.right, end[1])]
        )
    if start[1] < end[1]:
        return _down(source, target, start, end)
    return _up(source, target, start, end)


def _down(source: Card, target: Card, start: Point, end: Point) -> list[Point]:
    if end[0] > source.right + 16:
        return [(source.right, start[1]), (end[0], start[1]), (end[0], target.y)]
    x = max(source.right, target.right) + AROUND - 4
    return [(source.right, start[1]), (x, start[1]), (x, end[1]), (target.right, end[1])]


def _up(source: Card, target: Card, start: Point, end: Point) -> list[Point]:
    if start[0] < target.x - 16:
        return [(start[0], source.y), (start[0], end[1]), (target.x, end[1])]
    x = min(source.x, target.x) - AROUND + 4
    return [(source.x, start[1]), (x, start[1]), (x, end[1]), (target.x, end[1])]


def _middle(card: Card) -> Point:
    return card.x + card.width // 2, card.y + card.height // 2


def _label(number: int, text: str, points: list[Point]) -> Label:
    """In the middle of the longest vertical step, or of the longest step where there is none."""
    steps = list(pairwise(points))
    one, other = max(
        steps, key=lambda step: (step[0][0] == step[1][0], abs(step[0][1] - step[1][1]), abs(step[0][0] - step[1][0]))
    )
    return Label(number, text, (one[0] + other[0]) // 2, (one[1] + other[1]) // 2)


def _outside(edge: Edge, cards: dict[str, Card], cycle: tuple[str, ...], frame: tuple[int, int]) -> Path | None:
    """A line between the ring and what is beside it; lines that would cross the ring are left out."""
    source, target = cards[edge.source], cards[edge.target]
    if edge.source in cycle and edge.target in cycle:
        return None
    if edge.target in cycle:
        return Path(edge, ((source.right, source.exit), (frame[0], source.exit)))
    y = target.entry(edge.parameter)
    if edge.source in cycle:
        return Path(edge, ((frame[1], y), (target.x, y)))
    bottom = max(card.bottom for card in cards.values()) + AROUND + 14
    out, back = source.right + AROUND - 4, target.x - AROUND
    points = [(source.right, source.exit), (out, source.exit), (out, bottom), (back, bottom), (back, y), (target.x, y)]
    return Path(edge, tuple(simplified(points)))
