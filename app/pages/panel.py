"""Contexts of the panel of a selected node, and of what its parameters were given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from app.pages import words
from app.pages.origins import Sentence, influences, marks, provenance_in, shaped, suppliers
from app.pages.states import shown_of, status_of
from app.pages.words import Mark
from app.view import CallView, NodeView
from resolver_runtime.events import Failure
from resolver_runtime.graph import Node


@dataclass(frozen=True, slots=True)
class Given:
    """One parameter of a node: what it received, from whom (`supplied`), and who could have shaped that, in words."""

    parameter: str
    value: str | None
    source: Node
    supplied: tuple[Mark, ...]
    shaped: Sentence


def given_to(view: CallView, node_id: str) -> tuple[Given, ...]:
    """What a node's parameters hold, in the order of its signature; nothing of a node that the graph does not hold."""
    provenance = provenance_in(view)
    return tuple(
        Given(
            edge.parameter,
            (view.nodes.get(edge.source) or NodeView()).value,
            view.graph.by_id[edge.source],
            marks(provenance[edge.source].supplied),
            shaped(view.graph, edge.source, provenance[edge.source]),
        )
        for edge in view.graph.inputs(node_id)
    )


@dataclass(frozen=True, slots=True)
class NodePanel:
    """`_node_panel.html`: what there is to know of the selected node, in `#node-panel`.

    `suppliers` and `influences` are who could have shaped its value, and how.
    """

    template: ClassVar[str] = "_node_panel.html"
    node: Node
    kind: Mark
    asks: tuple[Mark, ...]
    state: str
    status: Mark
    given: tuple[Given, ...]
    value: str | None
    suppliers: tuple[tuple[Mark, str], ...]
    influences: tuple[tuple[Mark, Sentence], ...]
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
        shown = shown_of(view, node)
        whose = provenance_in(view)[node_id]
        question = view.questions.get(shown.question or "")
        return cls(
            node=node,
            kind=words.KINDS[node.kind],
            asks=tuple(words.MAY_ASK[ask] for ask in node.asks),
            state=shown.state,
            status=status_of(view, node),
            given=given_to(view, node_id),
            value=shown.value,
            suppliers=suppliers(node, whose),
            influences=influences(view.graph, node_id, whose),
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
