"""The dependency graph of one tool, as plain values.

Knows nothing of functions, signatures or the SDK: `analysis` makes graphs, everybody else reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

NodeKind = Literal["argument", "resolver", "context", "tool"]
Ask = Literal["elicit", "sample", "list_roots"]
Receives = Literal["value", "outcome"]

TOOL = "tool"
CONTEXT = "context"


def argument_id(name: str) -> str:
    """The node id of the tool argument called `name` (its public name, as in the schema)."""
    return f"argument:{name}"


def resolver_id(key: str) -> str:
    """The node id of the resolver with wire key `key`."""
    return f"resolver:{key}"


@dataclass(frozen=True, slots=True)
class Node:
    """One box of the graph.

    `id` is unique in its graph and stable while the code is: `argument:<name>`, `resolver:<wire key>`, `context` or
    `tool`.
    `asks` is what the resolver's return annotation declares, `key` its wire key; both empty for other kinds.
    `plain_value`: whether that annotation admits a value without a question; None where it does not tell.
    `signature` is the source form of the function's parameters and return, `returns` of the value alone
    (for an argument: its type); `file` and `line` say where the function stands.
    """

    id: str
    kind: NodeKind
    name: str
    asks: tuple[Ask, ...] = ()
    key: str | None = None
    file: str | None = None
    line: int | None = None
    signature: str = ""
    returns: str = ""
    plain_value: bool | None = True

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "asks": list(self.asks),
            "key": self.key,
            "file": self.file,
            "line": self.line,
            "signature": self.signature,
            "returns": self.returns,
            "plain_value": self.plain_value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Node:
        return cls(**{**data, "asks": tuple(data["asks"])})


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` fills the parameter `parameter` of `target`, with the value or with the whole outcome."""

    source: str
    target: str
    parameter: str
    receives: Receives = "value"

    def to_json(self) -> dict[str, Any]:
        return {"from": self.source, "to": self.target, "parameter": self.parameter, "receives": self.receives}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Edge:
        return cls(data["from"], data["to"], data["parameter"], data["receives"])


@dataclass(frozen=True)
class Graph:
    """Nodes in discovery order (the tool last), edges grouped by target in signature order."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = field(default=())

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Kept: drawings are looked up by their graph, for every node of every part that is drawn."""
        return hash((self.nodes, self.edges))

    @cached_property
    def by_id(self) -> Mapping[str, Node]:
        return {node.id: node for node in self.nodes}

    def inputs(self, node_id: str) -> tuple[Edge, ...]:
        """The edges into a node, in the order of its signature."""
        return self._inputs.get(node_id, ())

    def outputs(self, node_id: str) -> tuple[Edge, ...]:
        return self._outputs.get(node_id, ())

    @cached_property
    def ancestors(self) -> Mapping[str, frozenset[str]]:
        """Of each node, those whose values reach it over however many edges; in a cycle, itself too."""
        return {node.id: self._before(node.id) for node in self.nodes}

    def _before(self, node_id: str) -> frozenset[str]:
        found: set[str] = set()
        waiting = [node_id]
        while waiting:
            sources = {edge.source for edge in self.inputs(waiting.pop())} - found
            found |= sources
            waiting += sources
        return frozenset(found)

    @cached_property
    def _inputs(self) -> Mapping[str, tuple[Edge, ...]]:
        return _grouped((edge.target, edge) for edge in self.edges)

    @cached_property
    def _outputs(self) -> Mapping[str, tuple[Edge, ...]]:
        return _grouped((edge.source, edge) for edge in self.edges)

    def to_json(self) -> dict[str, Any]:
        return {"nodes": [node.to_json() for node in self.nodes], "edges": [edge.to_json() for edge in self.edges]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Graph:
        return cls(
            tuple(Node.from_json(node) for node in data["nodes"]),
            tuple(Edge.from_json(edge) for edge in data["edges"]),
        )


def _grouped(edges: Iterable[tuple[str, Edge]]) -> Mapping[str, tuple[Edge, ...]]:
    groups: dict[str, tuple[Edge, ...]] = {}
    for node_id, edge in edges:
        groups[node_id] = (*groups.get(node_id, ()), edge)
    return groups
