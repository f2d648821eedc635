"""Who could have shaped a value: who supplied it, and who else could have influenced it, followed through the graph.

Pure: of a call it is told only who supplied what. docs/provenance.md states the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from resolver_runtime.events import QuestionKind
from resolver_runtime.graph import Graph, Node

Origin = Literal["person", "model", "llm", "client", "server", "unknown"]
"""`llm` is the client's; `client` stands for what the client itself sends: its roots, its headers, its session."""
ORIGINS: tuple[Origin, ...] = get_args(Origin)
ANSWERED_BY: Mapping[QuestionKind, Origin] = {
    "elicit": "person",
    "elicit_url": "person",
    "sample": "llm",
    "list_roots": "client",
}
_WITHOUT_QUESTION: Mapping[bool | None, tuple[Origin, ...]] = {True: ("server",), False: (), None: ("unknown",)}

Origins = tuple[Origin, ...]


@dataclass(frozen=True, slots=True)
class Influence:
    """One who could bear on a value; `through` are the ids of the nodes at which that enters, in the graph's order."""

    origin: Origin
    through: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who supplies a node's value (several: one of them; none: it has no value), and who else could influence it.

    Both in the order of `ORIGINS`; who supplies is no influence as well.
    """

    supplied: Origins
    influences: tuple[Influence, ...] = ()

    @property
    def influenced(self) -> Origins:
        return tuple(influence.origin for influence in self.influences)


def provenance_of(graph: Graph, known: Mapping[str, Origins] | None = None) -> dict[str, Provenance]:
    """The provenance of every node, by its id.

    `known` tells of a call who supplied the values of these nodes (none: it has no value); of the others, and without
    it, this is what their signatures allow.
    """
    supplied = {node.id: suppliers_of(node) for node in graph.nodes} | dict(known or {})
    bearing = {node.id: _bearing(node, supplied[node.id]) for node in graph.nodes}
    entering = {origin: [node for node, origins in bearing.items() if origin in origins] for origin in ORIGINS}
    return {node.id: _provenance(graph, node.id, supplied[node.id], entering) for node in graph.nodes}


def suppliers_of(node: Node) -> Origins:
    """Who may supply a node's value, as far as its signature tells."""
    if node.kind == "argument":
        return ("model",)
    return _in_order({*(ANSWERED_BY[ask] for ask in node.asks), *_WITHOUT_QUESTION[node.plain_value]})


def _bearing(node: Node, supplied: Origins) -> frozenset[Origin]:
    """Who bears on a value at this node: those who supply it, and those who decide what is supplied."""
    if not supplied:
        return frozenset()
    if node.kind == "context":
        return frozenset({*supplied, "client"})
    if node.kind == "argument":
        return frozenset({*supplied, "model"})
    return frozenset({*supplied, "server"})


def _provenance(graph: Graph, node_id: str, supplied: Origins, entering: Mapping[Origin, Sequence[str]]) -> Provenance:
    if not supplied:
        return Provenance(())
    reaching = graph.ancestors[node_id] | {node_id}
    through = {
        origin: tuple(filter(reaching.__contains__, entering[origin])) for origin in ORIGINS if origin not in supplied
    }
    return Provenance(supplied, tuple(Influence(origin, nodes) for origin, nodes in through.items() if nodes))


def _in_order(origins: Iterable[Origin]) -> Origins:
    found = {*origins}
    return tuple(origin for origin in ORIGINS if origin in found)
