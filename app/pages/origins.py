"""Whose value a node holds, in marks and words: the caption under it, and the sentences of its panel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.pages import words
from app.pages.states import shown_of
from app.pages.words import Mark
from app.provenance import ANSWERED_BY, Influence, Origin, Origins, Provenance, provenance_of, suppliers_of
from app.view import CallView, NodeView
from resolver_runtime.graph import Graph, Node, NodeKind

NAMED = 3
"""How many nodes a sentence names; the rest it counts."""

Sentence = tuple[tuple[str, bool], ...]
"""Pieces of text, and whether each is a name in code."""


@dataclass(frozen=True, slots=True)
class Caption:
    """Marks of who supplies a value (of several: one of them) and of who else could influence it; `text` says it."""

    supplied: tuple[Mark, ...]
    influenced: tuple[Mark, ...]
    text: str


def caption_of(whose: Provenance) -> Caption | None:
    """None where there is no value."""
    if not whose.supplied:
        return None
    text = f"supplied by {_listed(whose.supplied, 'or')}"
    if whose.influences:
        text += f", influenced by {_listed(whose.influenced, 'and')}"
    return Caption(marks(whose.supplied), marks(whose.influenced), text)


def marks(origins: Origins) -> tuple[Mark, ...]:
    return tuple(words.ORIGINS[origin] for origin in origins)


def provenance_in(view: CallView) -> dict[str, Provenance]:
    """The provenance of every node by its id, as far as the call has settled it."""
    settled = {node.id: _suppliers_in(view, node) for node in view.graph.nodes}
    return provenance_of(view.graph, {node: origins for node, origins in settled.items() if origins is not None})


def _suppliers_in(view: CallView, node: Node) -> Origins | None:
    """Who supplied the node's value in this call; None where that is not settled yet."""
    shown = shown_of(view, node)
    if shown.state in ("failed", "not_reached"):
        return ()
    if shown.state in ("idle", "running"):
        return None
    if node.kind == "argument" and node.name in view.arguments:
        return ("model",)
    return ("server",) if shown.state in ("done", "reused") else _asked(view, node, shown)


def _asked(view: CallView, node: Node, shown: NodeView) -> Origins:
    """Of whom the node's question was; what its signature allows where nobody told which one it was."""
    question = view.questions.get(shown.question or "")
    return suppliers_of(node) if question is None else (ANSWERED_BY[question.kind],)


def shaped(graph: Graph, node_id: str, whose: Provenance) -> Sentence:
    """The whole of it: `supplied by the server; the model influences it through title`. Empty without a value."""
    return tuple(_shaped(graph, node_id, whose)) if whose.supplied else ()


def _shaped(graph: Graph, node_id: str, whose: Provenance) -> Iterator[tuple[str, bool]]:
    yield f"supplied by {_listed(whose.supplied, 'or')}", False
    for place, influence in enumerate(whose.influences):
        yield (", " if place else "; ") + words.WHO[influence.origin] + (" " if place else " influences it "), False
        yield from _ways(graph, node_id, influence)


def suppliers(node: Node, whose: Provenance) -> tuple[tuple[Mark, str], ...]:
    """Each who may have supplied a node's value: the mark, and by what."""
    return tuple((words.ORIGINS[origin], _means(node.kind, origin)) for origin in whose.supplied)


def influences(graph: Graph, node_id: str, whose: Provenance) -> tuple[tuple[Mark, Sentence], ...]:
    """Each who else could have influenced it: the mark, and the ways."""
    return tuple((words.ORIGINS[one.origin], tuple(_ways(graph, node_id, one))) for one in whose.influences)


_AT_ITSELF: Mapping[NodeKind, str] = {
    "argument": "by leaving it out",
    "context": "through its headers",
    "resolver": "by writing the question",
}
_MEANS: Mapping[Origin, str] = {
    "person": "by answering",
    "model": "among the arguments",
    "llm": "by answering",
    "client": "by naming its roots",
    "server": "by its code",
    "unknown": "for the annotation does not tell",
}


def _means(kind: NodeKind, origin: Origin) -> str:
    return "by its default" if (kind, origin) == ("argument", "server") else _MEANS[origin]


def _ways(graph: Graph, node_id: str, influence: Influence) -> Iterator[tuple[str, bool]]:
    others = [graph.by_id[other].name for other in influence.through if other != node_id]
    if len(others) < len(influence.through):
        yield _AT_ITSELF[graph.by_id[node_id].kind] + (" and " if others else ""), False
    if others:
        yield "through ", False
        yield from _names(others)


def _names(names: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """`a`, `a and b`, `a, b and c`, `a, b, c and 2 more`."""
    rest = len(names) - NAMED
    for place, name in enumerate(names[:NAMED]):
        is_last = place == len(names) - 1
        yield "" if place == 0 else " and " if is_last else ", ", False
        yield name, True
    if rest > 0:
        yield f" and {rest} more", False


def _listed(origins: Origins, word: str) -> str:
    *others, last = (words.WHO[origin] for origin in origins)
    return f"{', '.join(others)} {word} {last}" if others else last
