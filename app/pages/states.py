"""How a node is doing: its view at this moment, and the state and words it is drawn with."""

from __future__ import annotations

from app.layout import draw
from app.pages import words
from app.pages.words import Mark
from app.view import CallView, NodeView
from resolver_runtime.graph import Node


def shown_of(view: CallView, node: Node) -> NodeView:
    """The node's view; what stands in a cycle has failed, and the tool behind it is not reached."""
    if is_in_ring(view, node):
        return NodeView("failed")
    if node.kind == "tool" and draw(view.graph).ring:
        return NodeView("not_reached")
    return view.nodes.get(node.id) or NodeView()


def is_in_ring(view: CallView, node: Node) -> bool:
    return node.id in draw(view.graph).ring


def status_of(view: CallView, node: Node) -> Mark:
    """The icon and words of the node's state."""
    if is_in_ring(view, node):
        return words.IN_CYCLE
    state = shown_of(view, node).state
    return words.NOT_REACHED_YET if state == "not_reached" and not view.ended else words.STATES[state]
