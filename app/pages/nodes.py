"""Contexts of one node: its card in the graph, its row in the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from app.layout import draw
from app.pages import words
from app.pages.naming import Place, dom_id
from app.pages.origins import Caption, caption_of, provenance_in
from app.pages.states import is_in_ring, shown_of, status_of
from app.pages.words import Mark
from app.provenance import Provenance
from app.view import CallView, NodeView
from resolver_runtime.graph import Node


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
    `number` is the question's number where several wait at once. `caption` says whose value it is. A `compact` card has
    neither rows nor value.
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
    caption: Caption | None
    compact: bool

    @classmethod
    def of(cls, view: CallView, place: Place, node: Node, whose: Provenance) -> NodeCard:
        shown = shown_of(view, node)
        ring = is_in_ring(view, node)
        return cls(
            id=f"node-{dom_id(node.id)}",
            node=node,
            href=place.node_href(view.id, node.id),
            label=f"{node.name}, {node.kind}, {(words.IN_CYCLE if ring else words.STATES[shown.state]).word.lower()}",
            kind=words.KINDS[node.kind],
            asks=tuple(words.MAY_ASK[ask] for ask in node.asks),
            state=shown.state,
            status=status_of(view, node),
            rows=() if ring else tuple(_rows(view, node)),
            value=None if ring else _value(node, shown),
            is_type=shown.value is None,
            runs=shown.runs,
            number=_number(view, shown),
            caption=caption_of(whose),
            compact=draw(view.graph).compact,
        )


def cards_of(view: CallView, place: Place) -> list[NodeCard]:
    """The cards of all nodes, in the graph's order."""
    provenance = provenance_in(view)
    return [NodeCard.of(view, place, node, provenance[node.id]) for node in view.graph.nodes]


def _rows(view: CallView, node: Node) -> Iterator[Row]:
    for edge in view.graph.inputs(node.id):
        yield Row(edge.parameter, (node.id, edge.parameter) in view.reused, edge.receives == "outcome")


def _value(node: Node, shown: NodeView) -> str | None:
    if node.kind == "context":
        return None
    return shown.value if shown.value is not None else node.returns or "not annotated"


def _number(view: CallView, shown: NodeView) -> int | None:
    if shown.state != "waiting" or shown.question not in view.questions:
        return None
    question = view.questions[shown.question]
    batch = [other for other in view.questions.values() if other.round == question.round]
    return question.number if len(batch) > 1 else None


@dataclass(frozen=True, slots=True)
class ListRow:
    """`_row.html`: the same node as one row of the list, for those who do not see graphs."""

    template: ClassVar[str] = "_row.html"
    id: str
    node: NodeCard


def list_row(card: NodeCard) -> ListRow:
    return ListRow(card.id.replace("node-", "row-", 1), card)
