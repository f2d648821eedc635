"""Graph → where its cards stand and how its edges run: a layered layout of our own.

Pure: knows graphs and numbers (CSS pixels, y downwards), neither calls nor pages. Arguments and `Context` stand in the
first column, the tool in the last; every edge ends at the row of the parameter it fills; one trunk per source.
A cycle is drawn as a ring of its own.
"""

from functools import lru_cache

from app.layout.arcs import ROW, Arc, arcs_of
from app.layout.cards import Card
from app.layout.drawing import Drawing, Label, Path, draw_layers
from app.layout.ring import cycle_of, draw_ring
from resolver_runtime.graph import Graph

__all__ = ["ROW", "Arc", "Card", "Drawing", "Label", "Path", "arcs_of", "cycle_of", "draw"]


@lru_cache(maxsize=128)
def draw(graph: Graph) -> Drawing:
    """The drawing of a graph: a ring if it holds a cycle, layers otherwise. The last ones are remembered."""
    cycle = cycle_of(graph)
    return draw_ring(graph, cycle) if cycle else draw_layers(graph)
