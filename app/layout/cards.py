"""The size of a card: a node as a signature, with one row for each parameter and one for its value.

A card's size never depends on a call: nothing may grow or jump while one runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from resolver_runtime.graph import Graph, Node

NAME_CHARACTER = 8.43
CODE_CHARACTER = 7.83
MARK = 20
REUSED_MARK = 66
"""Widths of a character of the name (14 px) and of a parameter (13 px), of a mark of whom it asks, of "reused"."""
HEAD = 48
ROW = 20
FOOT = 32
ENTRY = 58
EXIT = 34
TAIL = 12
CAPTION = 24
"""Heights, from the top: kind and name; a row; the state; the first row's middle; the name's middle, where the value
leaves. Below the card: the speech tail of one that may ask, and the caption that says who supplied its value."""
WIDTHS = {"argument": (128, 184), "context": (128, 184), "resolver": (144, 232), "tool": (148, 232)}
"""Narrowest and widest card of each kind; what does not fit is cut with an ellipsis."""


@dataclass(frozen=True, slots=True)
class Card:
    """Where one node stands. `parameters` are its rows; `compact` cards (in a ring) have none."""

    node: str
    x: int
    y: int
    width: int
    height: int
    parameters: tuple[str, ...] = ()

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def exit(self) -> int:
        """The height at which the value leaves, on the right side."""
        return self.y + EXIT

    def entry(self, parameter: str) -> int:
        """The height at which the value of `parameter` comes in, on the left side."""
        return self.y + entry_offset(self.parameters, parameter)


def entry_offset(parameters: tuple[str, ...], parameter: str) -> int:
    return ENTRY + ROW * parameters.index(parameter) if parameter in parameters else EXIT


def parameters_of(graph: Graph, node_id: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(edge.parameter for edge in graph.inputs(node_id)))


def height_of(node: Node, rows: int) -> int:
    """`Context` has no value worth a row."""
    return HEAD + ROW * (rows + (node.kind != "context")) + FOOT


def width_of(graph: Graph, node: Node) -> int:
    narrowest, widest = WIDTHS[node.kind]
    padding = 32 if node.kind == "argument" else 25
    head = 90 + MARK * len(node.asks)
    rows = [CODE_CHARACTER * len(edge.parameter) + _mark_width(graph, edge.source) for edge in graph.inputs(node.id)]
    wanted = padding + max(NAME_CHARACTER * len(node.name), head, *rows)
    return 4 * round(min(widest, max(narrowest, wanted)) / 4)


def _mark_width(graph: Graph, source: str) -> float:
    shared = len(graph.outputs(source)) > 1 and graph.by_id[source].kind == "resolver"
    return REUSED_MARK if shared else 0
