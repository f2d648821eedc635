"""Contexts of the graph: its edges, and the whole group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.layout import ROW, Arc, Card, Drawing, Label, Path, arcs_of, draw
from app.pages.naming import Place
from app.pages.nodes import ListRow, NodeCard, cards_of, list_row
from app.view import CallView
from resolver_runtime.graph import Edge


@dataclass(frozen=True, slots=True)
class Line:
    """One drawn edge. `state`: `idle` before a call, `open` while its value has not come, `received` after."""

    path: Path
    state: str
    in_ring: bool

    @property
    def edge(self) -> Edge:
        return self.path.edge


@dataclass(frozen=True, slots=True)
class Edges:
    """`_edges.html`: every edge, as one `<svg id="edges">` that is swapped whole. Open lines come first: received ones
    lie over them where they share a trunk."""

    template: ClassVar[str] = "_edges.html"
    width: int
    height: int
    lines: tuple[Line, ...]
    labels: tuple[Label, ...]
    frame: tuple[int, int, int, int] | None

    @classmethod
    def of(cls, view: CallView) -> Edges:
        drawing = draw(view.graph)
        lines = [_line(view, drawing, path) for path in drawing.paths]
        return cls(
            drawing.width,
            drawing.height,
            tuple(sorted(lines, key=lambda line: line.state == "received")),
            drawing.labels,
            drawing.frame,
        )


def _line(view: CallView, drawing: Drawing, path: Path) -> Line:
    in_ring = path.edge.source in drawing.ring and path.edge.target in drawing.ring
    return Line(path, _line_state(view, drawing, path.edge), in_ring)


def _line_state(view: CallView, drawing: Drawing, edge: Edge) -> str:
    if drawing.ring:
        return "received" if edge.source in drawing.ring and edge.target in drawing.ring else "open"
    if (edge.source, edge.target, edge.parameter) in view.received:
        return "received"
    return "idle" if view.status == "idle" else "open"


@dataclass(frozen=True, slots=True)
class Placed:
    """A node and where its card stands."""

    card: Card
    node: NodeCard


@dataclass(frozen=True, slots=True)
class Arcs:
    """`_arcs.html`: the list's edges, as one `<svg id="arcs">` that is swapped whole; (arc, state as in `Line`)."""

    template: ClassVar[str] = "_arcs.html"
    height: int
    arcs: tuple[tuple[Arc, str], ...]

    @classmethod
    def of(cls, view: CallView) -> Arcs:
        arcs = [(arc, _line_state(view, draw(view.graph), arc.edge)) for arc in arcs_of(view.graph)]
        return cls(ROW * len(view.graph.nodes), tuple(sorted(arcs, key=lambda arc: arc[1] == "received")))


@dataclass(frozen=True, slots=True)
class GraphPane:
    """`_graph.html`: the group "Graph": cards over edges, and the same nodes as a list."""

    template: ClassVar[str] = "_graph.html"
    width: int
    height: int
    edges: Edges
    nodes: tuple[Placed, ...]
    arcs: Arcs
    rows: tuple[ListRow, ...]

    @classmethod
    def of(cls, view: CallView, place: Place) -> GraphPane:
        drawing = draw(view.graph)
        nodes = cards_of(view, place)
        return cls(
            width=drawing.width,
            height=drawing.height,
            edges=Edges.of(view),
            nodes=tuple(Placed(drawing.cards[card.node.id], card) for card in nodes),
            arcs=Arcs.of(view),
            rows=tuple(list_row(card) for card in nodes),
        )
