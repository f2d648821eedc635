"""Contexts of the graph: node, edges, the whole group, the panel of a selected node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from app.layout import ROW, Arc, Card, Drawing, Label, Path, arcs_of, draw
from app.pages import words
from app.pages.naming import Place, dom_id
from app.pages.words import Mark, Origin
from app.view import CallView, NodeView
from resolver_runtime.events import Failure
from resolver_runtime.graph import Edge, Node


@dataclass(frozen=True, slots=True)
class Row:
    """One parameter of a card: `reused` when its value came from a run that another parameter had caused."""

    name: str
    reused: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class NodeCard:
    """`_node.html`: one node. `id` is the element's id, `state` the CSS state, `label` the whole accessible name.

    `value` is what it holds, or its type with an arrow (`is_type`) before it holds anything; None: no such row.
    `number` is the question's number where several wait at once. `supplied` and `influenced` say whose value it is.
    """

    template: ClassVar[str] = "_node.html"
    id: str
    node: Node
    href: str
    label: str
    kind: Mark
    asks: tuple[Mark, ...]
    state: str
    status: Mark
    rows: tuple[Row, ...]
    value: str | None
    is_type: bool
    runs: int
    number: int | None
    supplied: Mark | None
    influenced: tuple[Mark, ...]

    @classmethod
    def of(cls, view: CallView, place: Place, node: Node) -> NodeCard:
        shown = _shown(view, node)
        ring = _in_ring(view, node)
        state, status = _state(view, node)
        supplied = origin_of(node, shown)
        settled = not ring and shown.state in _HOLDING
        return cls(
            id=f"node-{dom_id(node.id)}",
            node=node,
            href=place.node_href(view.id, node.id),
            label=f"{node.name}, {node.kind}, {(words.IN_CYCLE if ring else words.STATES[shown.state]).word.lower()}",
            kind=words.KINDS[node.kind],
            asks=tuple(words.MAY_ASK[ask] for ask in node.asks),
            state=state,
            status=status,
            rows=() if ring else tuple(_rows(view, node)),
            value=None if ring else _value(node, shown),
            is_type=shown.value is None,
            runs=shown.runs,
            number=_number(view, shown),
            supplied=words.ORIGINS[supplied] if settled else None,
            influenced=tuple(words.ORIGINS[one] for one in influences(view, node)) if settled else (),
        )


def _shown(view: CallView, node: Node) -> NodeView:
    """The node's view; the tool that a cycle keeps from being built is not reached."""
    if node.kind == "tool" and draw(view.graph).ring:
        return NodeView("not_reached")
    return view.nodes.get(node.id) or NodeView()


_HOLDING = ("done", "answered", "reused", "restored")


def _in_ring(view: CallView, node: Node) -> bool:
    return node.id in draw(view.graph).ring


def _state(view: CallView, node: Node) -> tuple[str, Mark]:
    """The node's CSS state and its words."""
    if _in_ring(view, node):
        return "failed", words.IN_CYCLE
    state = _shown(view, node).state
    if state == "not_reached" and not view.ended:
        return state, words.NOT_REACHED_YET
    return state, words.STATES[state]


def _rows(view: CallView, node: Node) -> Iterator[Row]:
    for edge in view.graph.inputs(node.id):
        yield Row(edge.parameter, (node.id, edge.parameter) in view.reused, edge.receives == "outcome")


def _value(node: Node, shown: NodeView) -> str | None:
    if node.kind == "context":
        return None
    return shown.value if shown.value is not None else node.returns


def _number(view: CallView, shown: NodeView) -> int | None:
    if shown.state != "waiting" or shown.question not in view.questions:
        return None
    question = view.questions[shown.question]
    batch = [other for other in view.questions.values() if other.round == question.round]
    return question.number if len(batch) > 1 else None


def origin_of(node: Node, shown: NodeView) -> Origin:
    """Who supplied the node's value: for a resolver that asked, whoever answered."""
    if node.kind == "argument":
        return "model"
    if node.kind == "resolver" and shown.state in ("answered", "restored") and node.asks:
        return words.ASKED[node.asks[0]]
    return "server"


def influences(view: CallView, node: Node) -> list[Origin]:
    """Who else could bear on it: the origins of everything upstream, in the key's order."""
    seen: set[str] = set()
    waiting = [edge.source for edge in view.graph.inputs(node.id)]
    while waiting:
        source = waiting.pop()
        if source not in seen and source in view.graph.by_id:
            seen.add(source)
            waiting += [edge.source for edge in view.graph.inputs(source)]
    own = origin_of(node, view.nodes.get(node.id) or NodeView())
    found = {
        origin_of(view.graph.by_id[source], view.nodes.get(source) or NodeView())
        for source in seen
        if view.graph.by_id[source].kind != "context"
    }
    return [origin for origin in words.ORIGINS if origin in found - {own}]


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
class ListRow:
    """`_row.html`: the same node as one row of the list, for those who do not see graphs."""

    template: ClassVar[str] = "_row.html"
    id: str
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
        nodes = [NodeCard.of(view, place, node) for node in view.graph.nodes]
        return cls(
            width=drawing.width,
            height=drawing.height,
            edges=Edges.of(view),
            nodes=tuple(Placed(drawing.cards[card.node.id], card) for card in nodes),
            arcs=Arcs.of(view),
            rows=tuple(list_row(card) for card in nodes),
        )


def list_row(card: NodeCard) -> ListRow:
    return ListRow(card.id.replace("node-", "row-", 1), card)


@dataclass(frozen=True, slots=True)
class Given:
    """One parameter of a node: what it received, and from whom."""

    parameter: str
    value: str | None
    source: Node
    origin: Mark


def given_to(view: CallView, node_id: str) -> tuple[Given, ...]:
    """What a node's parameters hold, in the order of its signature."""
    return tuple(
        Given(edge.parameter, shown.value, source, words.ORIGINS[origin_of(source, shown)])
        for edge in view.graph.inputs(node_id)
        if (source := view.graph.by_id.get(edge.source)) is not None
        for shown in [view.nodes.get(edge.source) or NodeView()]
    )


@dataclass(frozen=True, slots=True)
class NodePanel:
    """`_node_panel.html`: what there is to know of the selected node, in `#node-panel`."""

    template: ClassVar[str] = "_node_panel.html"
    node: Node
    kind: Mark
    asks: tuple[Mark, ...]
    state: str
    status: Mark
    given: tuple[Given, ...]
    value: str | None
    seconds: float | None
    answer: Mapping[str, Any] | None
    message: str | None
    runs: tuple[str, ...]
    reason: str | None
    failure: Failure | None

    @classmethod
    def of(cls, view: CallView, node_id: str) -> NodePanel:
        """
        Raises:
            KeyError: the graph has no such node.
        """
        node = view.graph.by_id[node_id]
        shown = _shown(view, node)
        state, status = _state(view, node)
        question = view.questions.get(shown.question or "")
        return cls(
            node=node,
            kind=words.KINDS[node.kind],
            asks=tuple(words.MAY_ASK[ask] for ask in node.asks),
            state=state,
            status=status,
            given=given_to(view, node_id),
            value=shown.value,
            seconds=shown.seconds,
            answer=shown.answer,
            message=None if question is None else question.request.get("message"),
            runs=tuple(_runs(shown)),
            reason=shown.reason,
            failure=shown.failure,
        )


def _runs(shown: NodeView) -> Iterator[str]:
    for number, times in sorted(shown.runs_per_round.items()):
        yield f"Round {number}: {'once' if times == 1 else f'{times} times'}"
