"""A graph of 60 nodes, from the survey to HTML: its layout, the contexts, the templates."""

from __future__ import annotations

import random
import time
from statistics import median

from app.layout import draw
from app.pages import GraphPane, Place, render
from app.view import CallView
from benchmarks.rows import Row
from resolver_runtime.graph import TOOL, Edge, Graph, Node

NODES = 60
GRAPHS = 9


def run() -> list[Row]:
    graphs = [_graph(random.Random(seed)) for seed in range(GRAPHS)]
    render(GraphPane.of(CallView.idle(graphs[0]), Place("", 0, "")))
    layouts, drawings = zip(*(_milliseconds(graph) for graph in graphs[1:]), strict=True)
    return [
        Row(f"layout of {NODES} nodes, median", f"{median(layouts):.0f} ms", ""),
        Row(f"layout and HTML of {NODES} nodes, median", f"{median(drawings):.0f} ms", "< 50 ms"),
    ]


def _milliseconds(graph: Graph) -> tuple[float, float]:
    began = time.perf_counter()
    draw(graph)
    laid_out = time.perf_counter()
    render(GraphPane.of(CallView.idle(graph), Place("", 0, "")))
    return 1000 * (laid_out - began), 1000 * (time.perf_counter() - began)


def _graph(chance: random.Random) -> Graph:
    """Four arguments; resolvers that each take one to three of the nodes shortly before them."""
    nodes = [Node(f"argument:{number}", "argument", f"argument_{number}") for number in range(4)]
    edges: list[Edge] = []
    for number in range(NODES - 5):
        node = Node(f"resolver:{number}", "resolver", f"resolver_{number}")
        sources = chance.sample(nodes[-12:], k=min(len(nodes), chance.randint(1, 3)))
        edges += [Edge(source.id, node.id, f"parameter_{place}") for place, source in enumerate(sources)]
        nodes.append(node)
    used = {edge.source for edge in edges}
    unused = [node for node in nodes if node.id not in used]
    edges += [Edge(node.id, TOOL, f"parameter_{place}") for place, node in enumerate(unused)]
    return Graph((*nodes, Node(TOOL, "tool", "the_tool")), tuple(edges))
