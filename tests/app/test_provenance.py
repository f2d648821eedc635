"""Who could have shaped a value: the rules that docs/provenance.md states, and what they come to in whole graphs."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Context, Elicit, ListRoots, Resolve, Sample
from mcp.server.mcpserver.resolve import ElicitationResult
from mcp.server.mcpserver.tools.base import Tool
from pydantic import BaseModel

from app.provenance import ORIGINS, Influence, Origin, Origins, Provenance, provenance_of, suppliers_of
from resolver_runtime.analysis import tool_graph
from resolver_runtime.graph import CONTEXT, TOOL, Edge, Graph, Node, argument_id, resolver_id

RULES = (Path(__file__).parents[2] / "docs" / "provenance.md").read_text()


class Word(BaseModel):
    ok: bool


def plain() -> int:
    return 7


def look_up(title: str) -> int:
    return 7


def ask() -> Elicit[Word]:
    return Elicit("Sure?", Word)


def sample() -> Sample:
    raise NotImplementedError


def list_roots() -> ListRoots:
    return ListRoots()


def ask_if_needed() -> Word | Elicit[Word]:
    return Word(ok=True)


def ask_about(title: str) -> Word | Elicit[Word]:
    return Word(ok=True)


def bare():  # type: ignore[no-untyped-def]
    return 7


def anything() -> Any:
    return 7


def read_headers(ctx: Context) -> str:
    return "main"


def judge(word: Annotated[ElicitationResult[Word], Resolve(ask)]) -> str:
    return word.action


def node_of(resolver: Callable[..., Any]) -> tuple[Graph, str]:
    """The graph of a tool with this resolver, and the resolver's node."""

    def tool(value: Annotated[Any, Resolve(resolver)], title: str = "") -> str:
        return str(value)

    graph = tool_graph(Tool.from_function(tool))
    return graph, graph.inputs(TOOL)[0].source


def of_the_tool(fn: Callable[..., Any], node: str) -> tuple[Graph, str]:
    return tool_graph(Tool.from_function(fn)), node


def takes_title(title: str) -> str:
    return title


def takes_context(ctx: Context) -> str:
    return ""


def takes_nothing() -> str:
    return ""


CASES: Mapping[str, tuple[Graph, str]] = {
    "an argument": of_the_tool(takes_title, argument_id("title")),
    "a resolver that returns a plain value": node_of(plain),
    "the same, with an argument as its parameter": node_of(look_up),
    "a resolver that returns an `Elicit`": node_of(ask),
    "a resolver that returns a `Sample`": node_of(sample),
    "a resolver that returns `ListRoots`": node_of(list_roots),
    "a resolver that returns a plain value or an `Elicit`": node_of(ask_if_needed),
    "the same, with an argument as its parameter, which its question may quote": node_of(ask_about),
    "a resolver without a return annotation": node_of(bare),
    "a resolver that returns `Any`": node_of(anything),
    "`Context`": of_the_tool(takes_context, CONTEXT),
    "a resolver that takes `Context`, and returns a plain value": node_of(read_headers),
    "a resolver that takes another's outcome whole": node_of(judge),
    "a tool that asks nobody and takes no argument": of_the_tool(takes_nothing, TOOL),
}


def rows_of(heading: str) -> dict[str, list[str]]:
    """The table under a heading of the page: first cell to the others."""
    table = [line for line in RULES.split(f"## {heading}\n")[1].split("\n## ")[0].splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]
    return {first: others for first, *others in cells}


@pytest.mark.parametrize("case", rows_of("Before a call"))
def test_before_a_call_each_rule_holds(case: str) -> None:
    graph, node = CASES[case]
    whose = provenance_of(graph)[node]
    assert [", ".join(whose.supplied), ", ".join(whose.influenced)] == rows_of("Before a call")[case]


def test_every_case_that_is_tried_is_a_rule_on_the_page() -> None:
    assert list(CASES) == list(rows_of("Before a call"))
    assert {line.split("|")[1].strip() for line in RULES.splitlines() if line.startswith("| ")} >= set(ORIGINS)


def graph_of(*rows: str) -> Graph:
    """`name kind: source source` per resolver, the tool last; what is no row is an argument, `ctx` is `Context`.

    Kinds: `plain` (or none), `elicit`, `sample`, `list_roots`, `either` (plain or `Elicit`), `unknown`.
    """
    parsed = [(head.split(), sources.split()) for head, _, sources in (row.partition(":") for row in rows)]
    ids = {head[0]: resolver_id(head[0]) for head, _ in parsed} | {parsed[-1][0][0]: TOOL, "ctx": CONTEXT}
    given = dict.fromkeys(source for _, sources in parsed for source in sources if source not in ids)
    ids |= {name: argument_id(name) for name in given}
    nodes = [Node(argument_id(name), "argument", name) for name in given]
    nodes += [Node(CONTEXT, "context", "Context")] if any("ctx" in sources for _, sources in parsed) else []
    nodes += [_resolver(head) for head, _ in parsed[:-1]]
    edges = [Edge(ids[source], ids[head[0]], source) for head, sources in parsed for source in sources]
    return Graph((*nodes, Node(TOOL, "tool", parsed[-1][0][0])), tuple(edges))


def _resolver(head: list[str]) -> Node:
    name, kind = (*head, "plain")[:2]
    asks: Any = {"elicit": ("elicit",), "either": ("elicit",), "sample": ("sample",), "list_roots": ("list_roots",)}
    plain_value = None if kind == "unknown" else kind in ("plain", "either")
    return Node(resolver_id(name), "resolver", name, asks.get(kind, ()), name, plain_value=plain_value)


SHOP = graph_of("stock: title", "confirm either: title stock", "order: title stock confirm")
TITLE, STOCK, CONFIRM = argument_id("title"), resolver_id("stock"), resolver_id("confirm")
DIAMOND = graph_of("a: x", "b elicit: a", "c sample: a", "d: b c", "run: d")
CHAIN = graph_of("city elicit:", "nights elicit: city", "room elicit: city nights", "book: room ctx")


@pytest.mark.parametrize(
    ("graph", "node", "expected"),
    [
        (SHOP, STOCK, Provenance(("server",), (Influence("model", (TITLE,)),))),
        (SHOP, CONFIRM, Provenance(("person", "server"), (Influence("model", (TITLE,)),))),
        (
            SHOP,
            TOOL,
            Provenance(("server",), (Influence("person", (CONFIRM,)), Influence("model", (TITLE,)))),
        ),
        (
            DIAMOND,
            resolver_id("b"),
            Provenance(
                ("person",),
                (Influence("model", (argument_id("x"),)), Influence("server", (resolver_id("a"), resolver_id("b")))),
            ),
        ),
        (
            DIAMOND,
            TOOL,
            Provenance(
                ("server",),
                (
                    Influence("person", (resolver_id("b"),)),
                    Influence("model", (argument_id("x"),)),
                    Influence("llm", (resolver_id("c"),)),
                ),
            ),
        ),
        (
            CHAIN,
            resolver_id("room"),
            Provenance(
                ("person",), (Influence("server", (resolver_id("city"), resolver_id("nights"), resolver_id("room"))),)
            ),
        ),
        (
            CHAIN,
            TOOL,
            Provenance(
                ("server",),
                (
                    Influence("person", (resolver_id("city"), resolver_id("nights"), resolver_id("room"))),
                    Influence("client", (CONTEXT,)),
                ),
            ),
        ),
    ],
)
def test_an_influence_is_followed_through_the_graph_to_where_it_enters(
    graph: Graph, node: str, expected: Provenance
) -> None:
    assert provenance_of(graph)[node] == expected


def test_round_a_cycle_an_influence_comes_back_once() -> None:
    nodes = [_resolver([name, kind]) for name, kind in (("a", "elicit"), ("b", "plain"), ("c", "plain"))]
    edges = [("a", "b"), ("b", "c"), ("c", "a")]
    graph = Graph((*nodes,), tuple(Edge(resolver_id(one), resolver_id(other), one) for one, other in edges))
    assert provenance_of(graph)[resolver_id("c")].influences == (Influence("person", (resolver_id("a"),)),)
    assert provenance_of(graph)[resolver_id("a")].influenced == ("server",)


@pytest.mark.parametrize(
    ("known", "supplied", "influenced"),
    [
        ({CONFIRM: ("server",)}, ("server",), ("model",)),
        ({CONFIRM: ("person",)}, ("server",), ("person", "model")),
        ({TITLE: ("server",)}, ("server",), ("person", "model")),
        ({TITLE: (), STOCK: (), CONFIRM: ("server",)}, ("server",), ()),
        ({TOOL: ()}, (), ()),
    ],
)
def test_what_a_call_settled_counts_for_everything_behind_it(
    known: Mapping[str, Origins], supplied: Origins, influenced: Origins
) -> None:
    whose = provenance_of(SHOP, known)[TOOL]
    assert (whose.supplied, whose.influenced) == (supplied, influenced)


def test_an_argument_that_was_left_out_is_the_servers_and_influenced_by_the_model() -> None:
    whose = provenance_of(SHOP, {TITLE: ("server",)})
    assert whose[TITLE] == Provenance(("server",), (Influence("model", (TITLE,)),))
    assert whose[STOCK].influences == (Influence("model", (TITLE,)),)


KINDS = ("plain", "elicit", "sample", "list_roots", "either", "unknown")


def random_graph(chance: random.Random) -> Graph:
    names, rows = ["x", "y", "ctx"], []
    for number in range(chance.randint(1, 20)):
        sources = chance.sample(names, k=chance.randint(0, 3))
        rows.append(f"r{number} {chance.choice(KINDS)}: {' '.join(sources)}")
        names.append(f"r{number}")
    return graph_of(*rows, f"run: {' '.join(chance.sample(names, k=3))}")


def shapers(whose: Provenance) -> set[Origin]:
    return {*whose.supplied, *whose.influenced}


@pytest.mark.parametrize("seed", range(30))
def test_whoever_shapes_a_value_shapes_what_is_made_from_it(seed: int) -> None:
    graph = random_graph(random.Random(seed))
    whose = provenance_of(graph)
    for edge in graph.edges:
        assert shapers(whose[edge.source]) <= shapers(whose[edge.target])


@pytest.mark.parametrize("seed", range(30))
def test_nobody_stands_twice_and_all_stand_in_one_order(seed: int) -> None:
    for whose in provenance_of(random_graph(random.Random(seed))).values():
        assert not {*whose.supplied} & {*whose.influenced}
        for origins in (whose.supplied, whose.influenced):
            assert sorted(set(origins), key=ORIGINS.index) == list(origins)


@pytest.mark.parametrize("seed", range(30))
def test_a_call_that_keeps_to_the_signatures_adds_nobody_to_what_could_be(seed: int) -> None:
    chance = random.Random(seed)
    graph = random_graph(chance)
    known = {node.id: (chance.choice(suppliers_of(node)),) for node in graph.nodes if node.kind != "argument"}
    before, after = provenance_of(graph), provenance_of(graph, known)
    for node in graph.nodes:
        assert shapers(after[node.id]) <= shapers(before[node.id])
