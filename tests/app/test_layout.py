"""The layout, on a table of graphs: what holds for every drawing, and what a ring looks like."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from app.layout import Card, Drawing, arcs_of, draw
from resolver_runtime.graph import TOOL, Edge, Graph, Node, argument_id, resolver_id


def graph(*signatures: str) -> Graph:
    """`name: source, source` per resolver, the last for the tool; a name without signature is an argument."""
    rows = [(name.strip(), sources.split()) for name, _, sources in (text.partition(":") for text in signatures)]
    resolvers = {name for name, _ in rows}
    named = dict.fromkeys(source for _, sources in rows for source in sources)
    arguments = [name for name in named if name not in resolvers]
    ids = {name: argument_id(name) for name in arguments} | {name: resolver_id(name) for name in resolvers}
    ids[rows[-1][0]] = TOOL
    nodes = [Node(argument_id(name), "argument", name, returns="str") for name in arguments]
    nodes += [Node(ids[name], "resolver", name, ("elicit",), name) for name, _ in rows[:-1]]
    nodes.append(Node(TOOL, "tool", rows[-1][0]))
    edges = [Edge(ids[source], ids[name], source) for name, sources in rows for source in sources]
    return Graph(tuple(nodes), tuple(edges))


def random_graph(size: int, seed: int) -> Graph:
    chance = random.Random(seed)
    names = [f"argument_{number}" for number in range(3)]
    signatures = []
    for number in range(size):
        sources = chance.sample(names[-10:], k=chance.randint(1, 3))
        signatures.append(f"resolver_{number}: {' '.join(sources)}")
        names.append(f"resolver_{number}")
    return graph(*signatures, f"the_tool: {' '.join(chance.sample(names, k=min(8, len(names))))}")


ACYCLIC = {
    "a tool alone": graph("ping:"),
    "one argument": graph("reserve: title"),
    "the bookshop": graph("stock: title", "confirm: title stock", "order: title stock confirm"),
    "a chain": graph("a: x", "b: a", "c: b", "d: c", "run: d"),
    "independent questions": graph("a: x", "b: x", "c:", "run: a b c"),
    "a diamond": graph("a: x", "b: a", "c: a", "d: b c", "run: d"),
    "long ways": graph("a: x", "b: a y", "c: b", "run: x y a b c"),
    "a very long name": graph(f"{'resolver_' * 9}: x", f"run: {'resolver_' * 9} x"),
    **{f"random {size}, {seed}": random_graph(size, seed) for size in (8, 20, 55) for seed in (1, 2, 3)},
}
CYCLIC = {
    "itself": graph("a: a x", "run: a x"),
    "two": graph("a: b", "b: a", "run: a x"),
    "three": graph("a: c x", "b: a", "c: b", "run: a x"),
    "five, fed and feeding": graph("a: e x", "b: a", "c: b", "d: c", "e: d", "run: e x"),
}
EVERY = ACYCLIC | CYCLIC
every_graph = pytest.mark.parametrize("subject", EVERY.values(), ids=EVERY.keys())
acyclic_graphs = pytest.mark.parametrize("subject", ACYCLIC.values(), ids=ACYCLIC.keys())
cyclic_graphs = pytest.mark.parametrize("subject", CYCLIC.values(), ids=CYCLIC.keys())


def overlap(one: Card, other: Card) -> bool:
    beside = one.x < other.right and other.x < one.right
    return beside and one.y < other.bottom + other.below and other.y < one.bottom + one.below


def steps(drawing: Drawing) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [step for path in drawing.paths for step in zip(path.points, path.points[1:], strict=False)]


@every_graph
def test_every_node_has_a_card_inside_the_drawing(subject: Graph) -> None:
    drawing = draw(subject)
    assert set(drawing.cards) == set(subject.by_id)
    for card in drawing.cards.values():
        assert min(card.x, card.y) >= 0
        assert card.right <= drawing.width
        assert card.bottom + card.below <= drawing.height


@every_graph
def test_no_two_cards_overlap_with_their_captions(subject: Graph) -> None:
    cards = draw(subject).cards.values()
    assert not [(one.node, other.node) for one, other in combinations(cards, 2) if overlap(one, other)]


@acyclic_graphs
def test_every_edge_leaves_at_its_source_and_ends_at_the_row_of_its_parameter(subject: Graph) -> None:
    drawing = draw(subject)
    assert [path.edge for path in drawing.paths] == list(subject.edges)
    for path in drawing.paths:
        source, target = drawing.cards[path.edge.source], drawing.cards[path.edge.target]
        assert path.start == (source.right, source.exit)
        assert path.end == (target.x, target.entry(path.edge.parameter))


@every_graph
def test_every_line_runs_along_the_axes(subject: Graph) -> None:
    assert all(one[0] == other[0] or one[1] == other[1] for one, other in steps(draw(subject)))


@acyclic_graphs
def test_no_line_runs_through_a_card(subject: Graph) -> None:
    drawing = draw(subject)
    for one, other in steps(drawing):
        left, right = sorted((one[0], other[0]))
        top, bottom = sorted((one[1], other[1]))
        for card in drawing.cards.values():
            assert right <= card.x or left >= card.right or bottom <= card.y or top >= card.bottom, (one, other, card)


@acyclic_graphs
def test_arguments_stand_in_the_first_column_and_the_tool_in_the_last(subject: Graph) -> None:
    cards = draw(subject).cards
    first = min(card.x for card in cards.values())
    assert all(cards[node.id].x == first for node in subject.nodes if node.kind == "argument")
    assert all(card.right < cards[TOOL].x for node_id, card in cards.items() if node_id != TOOL)


def test_edges_of_one_source_share_the_way_to_their_first_bend() -> None:
    paths = draw(ACYCLIC["the bookshop"]).paths
    from_title = [path for path in paths if path.edge.source == argument_id("title") and len(path.points) > 2]
    assert len({path.points[:2] for path in from_title}) == 1


@pytest.mark.parametrize(("resolvers", "compact"), [(11, False), (12, True), (56, True)])
def test_from_sixteen_nodes_on_cards_are_compact(resolvers: int, compact: bool) -> None:
    subject = random_graph(resolvers, 1)
    drawing = draw(subject)
    assert (len(subject.nodes) > 15) == compact
    assert drawing.compact == compact
    assert {card.height for card in drawing.cards.values()} == {44} or not compact


def test_sixty_nodes_are_no_higher_than_a_screen_of_900_pixels_shows() -> None:
    assert all(draw(random_graph(56, seed)).height <= 740 for seed in range(1, 6))


def test_the_bookshop_fits_a_screen_of_1280_pixels() -> None:
    drawing = draw(graph("stock: title", "backorder: title stock", "order_book: title stock backorder"))
    assert (drawing.width, drawing.height) <= (720, 328)


@cyclic_graphs
def test_a_cycle_becomes_a_ring_with_a_numbered_label_on_each_edge(subject: Graph) -> None:
    drawing = draw(subject)
    assert [label.number for label in drawing.labels] == list(range(1, len(drawing.ring) + 1))
    edges = {(path.edge.source, path.edge.target): path.edge.parameter for path in drawing.paths}
    for label, source in zip(drawing.labels, drawing.ring, strict=True):
        assert edges[source, drawing.ring[label.number % len(drawing.ring)]] == label.text


@acyclic_graphs
def test_a_graph_without_a_cycle_has_no_ring(subject: Graph) -> None:
    assert draw(subject).ring == ()


def test_a_drawing_is_remembered() -> None:
    assert draw(ACYCLIC["a chain"]) is draw(Graph(ACYCLIC["a chain"].nodes, ACYCLIC["a chain"].edges))


@every_graph
def test_the_list_has_an_arc_for_each_edge(subject: Graph) -> None:
    assert [arc.edge for arc in arcs_of(subject)] == list(subject.edges)
