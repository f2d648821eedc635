"""The edges of the list: arcs on its left, from row to row. For those who have no room for the graph."""

from __future__ import annotations

from dataclasses import dataclass

from resolver_runtime.graph import Edge, Graph

ROW = 52
DOT_X = 40
DOT_Y = 16
STEP = 6
WIDEST = 34


@dataclass(frozen=True, slots=True)
class Arc:
    """The line of one edge in the list."""

    edge: Edge
    d: str


def arcs_of(graph: Graph) -> tuple[Arc, ...]:
    """An arc for each edge: straight to the next row, the further to the left the longer it is."""
    rows = {node.id: row for row, node in enumerate(graph.nodes)}
    return tuple(Arc(edge, _d(rows[edge.source], rows[edge.target])) for edge in graph.edges)


def _d(source: int, target: int) -> str:
    start, end = ROW * source + DOT_Y, ROW * target + DOT_Y
    if abs(target - source) == 1:
        return f"M{DOT_X} {start}V{end}"
    x = DOT_X - min(WIDEST, 10 + STEP * abs(target - source - 1))
    down = 1 if end > start else -1
    bend, back = start + 24 * down, end - 24 * down
    return f"M{DOT_X} {start}Q{x} {start} {x} {bend}V{back}Q{x} {end} {DOT_X} {end}"
