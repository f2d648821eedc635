"""The shape of a card: a node as a signature, with one row for each parameter and one for its value.

In a graph of many nodes cards are compact: kind, name and state, and whose value it is. A card's size never depends on
a call: nothing may grow or jump while one runs.
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
TAIL = 14
CAPTION = 24
"""Heights, from the top: kind and name; a row; the state; the first row's middle; the name's middle, where the value
leaves. Below the card: the speech tail of one that may ask, and the caption that says who supplied its value."""
WIDTHS = {"argument": (128, 184), "context": (128, 184), "resolver": (144, 232), "tool": (148, 232)}
"""Narrowest and widest card of each kind; what does not fit is cut with an ellipsis."""
MOST_WHOLE = 15
"""In a graph of more nodes all cards are compact."""
COMPACT_HEIGHT = 44
COMPACT_WIDTHS = (128, 216)
COMPACT_PADDING = 96
"""What stands beside the name of a compact card: its kind, its runs, its state."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A card without its place. `leaves` is the height below its top at which the value leaves, on the right side;
    `below` the room under it. `parameters` are its rows: compact cards, and those of a ring, have none."""

    width: int
    height: int
    leaves: int = EXIT
    below: int = CAPTION
    parameters: tuple[str, ...] = ()

    def enters(self, parameter: str) -> int:
        """The height below its top at which the value of `parameter` comes in, on the left side."""
        return ENTRY + ROW * self.parameters.index(parameter) if parameter in self.parameters else self.leaves


@dataclass(frozen=True, slots=True)
class Card:
    """Where one node stands; cards of a column may be wider than their shapes."""

    node: str
    x: int
    y: int
    width: int
    shape: Shape

    @property
    def height(self) -> int:
        return self.shape.height

    @property
    def below(self) -> int:
        return self.shape.below

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def exit(self) -> int:
        return self.y + self.shape.leaves

    def entry(self, parameter: str) -> int:
        return self.y + self.shape.enters(parameter)


def is_crowded(graph: Graph) -> bool:
    """Whether there are too many nodes for whole cards."""
    return len(graph.nodes) > MOST_WHOLE


def shape_of(graph: Graph, node: Node) -> Shape:
    """The whole card: `Context` has no value worth a row."""
    parameters = tuple(dict.fromkeys(edge.parameter for edge in graph.inputs(node.id)))
    rows = len(parameters) + (node.kind != "context")
    return Shape(_width(graph, node), HEAD + ROW * rows + FOOT, parameters=parameters)


def compact_shape_of(node: Node) -> Shape:
    width = _fitted(COMPACT_PADDING + CODE_CHARACTER * len(node.name), *COMPACT_WIDTHS)
    return Shape(width, COMPACT_HEIGHT, COMPACT_HEIGHT // 2, TAIL if node.asks else TAIL // 2)


def _width(graph: Graph, node: Node) -> int:
    padding = 32 if node.kind == "argument" else 25
    head = 90 + MARK * len(node.asks)
    rows = [CODE_CHARACTER * len(edge.parameter) + _mark_width(graph, edge.source) for edge in graph.inputs(node.id)]
    return _fitted(padding + max(NAME_CHARACTER * len(node.name), head, *rows), *WIDTHS[node.kind])


def _fitted(width: float, narrowest: int, widest: int) -> int:
    return 4 * round(min(widest, max(narrowest, width)) / 4)


def _mark_width(graph: Graph, source: str) -> float:
    shared = len(graph.outputs(source)) > 1 and graph.by_id[source].kind == "resolver"
    return REUSED_MARK if shared else 0
