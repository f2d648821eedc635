"""The graph of a tool: of every registered one, and as far as it goes of a broken one."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

import pytest
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.resolve import ElicitationResult
from mcp.server.mcpserver.tools.base import Tool
from mcp_types import CreateMessageResult, ListRootsResult

import resolver_runtime
from resolver_runtime.analysis import function_graph, plan_of, tool_graph
from resolver_runtime.annotations import Filled, plain_value_of
from resolver_runtime.errors import Cycle, SeveralQuestions, SignatureProblem, UnresolvableParameter, WrappedMarker
from resolver_runtime.graph import CONTEXT, TOOL, Edge, Graph, Node, resolver_id
from tests.resolver_runtime.driving import Confirm, Login, key_of


def stock(title: str) -> int:
    """How many there are."""
    return 7


async def login(ctx: Context) -> Elicit[Login] | Login:
    return Elicit("Who?", Login)


def confirm(
    who: Annotated[ElicitationResult[Login], Resolve(login)], count: Annotated[int, Resolve(stock)], limit: int
) -> Elicit[Confirm] | None:
    return None


def order(
    title: str,
    sure: Annotated[Confirm | None, Resolve(confirm)],
    count: Annotated[int, Resolve(stock)],
    ctx: Context,
    limit: int = 3,
) -> str:
    return ""


STOCK, LOGIN, CONFIRM = (resolver_id(key_of(fn)) for fn in (stock, login, confirm))


@pytest.fixture
def graph() -> Graph:
    return tool_graph(Tool.from_function(order))


def test_nodes_stand_in_order_of_discovery_with_the_tool_last(graph: Graph) -> None:
    assert [(node.id, node.kind, node.name) for node in graph.nodes] == [
        ("argument:title", "argument", "title"),
        ("argument:limit", "argument", "limit"),
        (CONTEXT, "context", "Context"),
        (CONFIRM, "resolver", "confirm"),
        (LOGIN, "resolver", "login"),
        (STOCK, "resolver", "stock"),
        (TOOL, "tool", "order"),
    ]


def test_edges_carry_the_parameter_and_what_it_receives(graph: Graph) -> None:
    assert set(graph.edges) == {
        Edge(LOGIN, CONFIRM, "who", "outcome"),
        Edge(STOCK, CONFIRM, "count"),
        Edge("argument:limit", CONFIRM, "limit"),
        Edge(CONTEXT, LOGIN, "ctx"),
        Edge("argument:title", STOCK, "title"),
        Edge("argument:title", TOOL, "title"),
        Edge(CONFIRM, TOOL, "sure"),
        Edge(STOCK, TOOL, "count"),
        Edge(CONTEXT, TOOL, "ctx"),
        Edge("argument:limit", TOOL, "limit"),
    }


def test_inputs_stand_in_the_order_of_the_signature(graph: Graph) -> None:
    assert [edge.parameter for edge in graph.inputs(TOOL)] == ["title", "sure", "count", "ctx", "limit"]
    assert [edge.parameter for edge in graph.inputs(CONFIRM)] == ["who", "count", "limit"]


def test_a_node_says_where_it_stands_and_how_it_is_written(graph: Graph) -> None:
    assert graph.by_id[STOCK] == Node(
        STOCK,
        "resolver",
        "stock",
        (),
        key_of(stock),
        __file__,
        stock.__code__.co_firstlineno,
        "(title: str) -> int",
        "int",
    )
    assert graph.by_id[CONFIRM].signature == (
        "(who: Annotated[ElicitationResult[Login], Resolve(login)], count: Annotated[int, Resolve(stock)], "
        "limit: int) -> Elicit[Confirm] | None"
    )
    assert (graph.by_id["argument:limit"].returns, graph.by_id[TOOL].returns) == ("int", "str")


def test_a_node_says_what_its_return_annotation_declares_it_may_ask(graph: Graph) -> None:
    assert (graph.by_id[LOGIN].asks, graph.by_id[LOGIN].returns) == (("elicit",), "Login")
    assert (graph.by_id[CONFIRM].asks, graph.by_id[CONFIRM].returns) == (("elicit",), "Confirm | None")
    assert graph.by_id[STOCK].asks == ()


@pytest.mark.parametrize(
    ("returns", "asks", "value"),
    [
        (Sample, ("sample",), CreateMessageResult.__name__),
        (ListRoots | str, ("list_roots",), f"{ListRootsResult.__name__} | str"),
        (Elicit, ("elicit",), "Any"),
        (object, (), "object"),
    ],
)
def test_what_is_asked_becomes_what_an_answer_holds(returns: Any, asks: tuple[str, ...], value: str) -> None:
    def resolver() -> Any:
        return None

    def tool(value: Annotated[Any, Resolve(resolver)]) -> str:
        return ""

    resolver.__annotations__["return"] = returns
    node = function_graph(tool, "tool").by_id[resolver_id(key_of(resolver))]
    assert (node.asks, node.returns) == (asks, value)


type_variable = TypeVar("type_variable")


@pytest.mark.parametrize(
    ("returns", "plain_value"),
    [
        (int, True),
        (type(None), True),
        (list[int], True),
        (Literal["a"], True),
        (Annotated[int, "copies"], True),
        (Confirm | Elicit[Confirm], True),
        (Elicit[Confirm], False),
        (Elicit[Confirm] | Sample, False),
        (Elicit, False),
        (Sample, False),
        (ListRoots, False),
        (None, None),
        (Any, None),
        (object, None),
        (int | Any, None),
        (Annotated[Elicit[Confirm], "hidden from the SDK"], None),
        (type_variable, None),
    ],
)
def test_a_return_annotation_admits_a_plain_value_or_does_not_or_does_not_tell(
    returns: Any, plain_value: bool | None
) -> None:
    assert plain_value_of(returns) is plain_value


def test_the_ancestors_of_a_node_are_those_whose_values_reach_it(graph: Graph) -> None:
    assert graph.ancestors[STOCK] == {"argument:title"}
    assert graph.ancestors[CONFIRM] == {LOGIN, CONTEXT, STOCK, "argument:title", "argument:limit"}
    assert graph.ancestors[TOOL] == graph.by_id.keys() - {TOOL}


def test_in_a_cycle_a_node_is_its_own_ancestor() -> None:
    ring = Graph((Node("a", "resolver", "a"), Node("b", "resolver", "b")), (Edge("a", "b", "x"), Edge("b", "a", "y")))
    assert ring.ancestors == {"a": {"a", "b"}, "b": {"a", "b"}}


def test_the_graph_goes_to_json_and_back(graph: Graph) -> None:
    assert Graph.from_json(graph.to_json()) == graph


def test_the_graph_is_the_same_with_ours_installed(graph: Graph) -> None:
    assert resolver_runtime.install() is None
    try:
        assert tool_graph(Tool.from_function(order)) == graph
    finally:
        resolver_runtime.uninstall()


def test_an_argument_goes_by_its_public_name() -> None:
    def shout(schema: str) -> str:
        return schema.upper()

    def tool(schema: str, loud: Annotated[str, Resolve(shout)]) -> str:
        return loud

    graph = tool_graph(Tool.from_function(tool))
    assert [node.id for node in graph.nodes if node.kind == "argument"] == ["argument:schema"]
    assert [edge.source for edge in graph.inputs(resolver_id(key_of(shout)))] == ["argument:schema"]


def test_a_tool_without_resolvers_is_its_arguments_and_itself() -> None:
    def plain(a: int) -> int:
        return a

    graph = tool_graph(Tool.from_function(plain))
    assert [node.id for node in graph.nodes] == ["argument:a", TOOL]


def ping(other: "Annotated[int, Resolve(pong)]") -> int:
    return other


def pong(other: "Annotated[int, Resolve(ping)]") -> int:
    return other


def alone(self_: "Annotated[int, Resolve(alone)]") -> int:
    return self_


def in_a_circle(title: str, number: Annotated[int, Resolve(ping)]) -> str:
    return ""


def by_itself(number: Annotated[int, Resolve(alone)]) -> str:
    return ""


def lost(titel: str) -> str:
    return titel


def orphaned(title: str, value: Annotated[str, Resolve(lost)]) -> str:
    return ""


def two_things() -> Elicit[Login] | Elicit[Confirm]:
    return Elicit("Who?", Login)


def several(who: Annotated[Any, Resolve(two_things)]) -> str:
    return ""


def wrapped(number: Annotated[int, Resolve(stock)] | None, title: str) -> str:
    return ""


def problem_of(fn: Callable[..., Any]) -> SignatureProblem:
    resolver_runtime.install()
    try:
        with pytest.raises(SignatureProblem) as raised:
            MCPServer("bench").add_tool(fn)
    finally:
        resolver_runtime.uninstall()
    return raised.value


@pytest.mark.parametrize(
    ("fn", "kind", "resolver", "parameter", "where"),
    [
        (in_a_circle, Cycle, "ping", None, ping),
        (by_itself, Cycle, "alone", None, alone),
        (orphaned, UnresolvableParameter, "lost", "titel", lost),
        (several, SeveralQuestions, "two_things", None, two_things),
        (wrapped, WrappedMarker, None, "number", wrapped),
    ],
)
def test_a_problem_says_who_and_where(
    fn: Any, kind: type[Any], resolver: str | None, parameter: str | None, where: Any
) -> None:
    problem = problem_of(fn)
    assert isinstance(problem, kind)
    assert (problem.tool, problem.resolver, problem.parameter) == (fn.__name__, resolver, parameter)
    assert (problem.file, problem.line) == (__file__, where.__code__.co_firstlineno)
    assert problem.hint.endswith(".")


@pytest.mark.parametrize(("fn", "members"), [(in_a_circle, ("ping", "pong")), (by_itself, ("alone",))])
def test_a_cycle_names_its_members_in_order(fn: Any, members: tuple[str, ...]) -> None:
    problem = problem_of(fn)
    assert problem.cycle == members
    assert problem.hint.startswith(" needs ".join([*members, members[0]]))


def test_a_parameter_from_nowhere_is_told_what_was_probably_meant() -> None:
    assert problem_of(orphaned).hint == (
        "Did you mean 'title'? Add an argument 'titel' to the tool, or give the parameter a resolver of its own. "
        "The tool's arguments: title."
    )


def test_a_graph_with_a_cycle_is_drawn_with_the_cycle_in_it() -> None:
    graph = function_graph(in_a_circle, "in_a_circle")
    ping_id, pong_id = resolver_id(key_of(ping)), resolver_id(key_of(pong))
    assert {Edge(pong_id, ping_id, "other"), Edge(ping_id, pong_id, "other")} <= set(graph.edges)
    assert [node.name for node in graph.nodes] == ["title", "ping", "pong", "in_a_circle"]


def test_a_graph_with_an_orphan_is_drawn_without_an_edge_to_it() -> None:
    graph = function_graph(orphaned, "orphaned")
    assert graph.inputs(resolver_id(key_of(lost))) == ()
    assert graph.by_id[resolver_id(key_of(lost))].signature == "(titel: str) -> str"


@pytest.mark.parametrize(
    ("resolver", "kind", "name"), [(dict, ValueError, "dict"), (5, TypeError, "int")], ids=["dict", "5"]
)
def test_what_has_no_signature_is_drawn_without_one(resolver: Any, kind: type[Exception], name: str) -> None:
    marker = Resolve(resolver)

    def tool(title: str, value: Annotated[Any, marker], number: Annotated[int, Resolve(ping)]) -> str:
        return ""

    with pytest.raises(kind):
        plan_of({"value": Filled(marker, False)}, [])
    graph = function_graph(tool, "tool")
    assert [node.name for node in graph.nodes] == ["title", name, "ping", "pong", "tool"]
    assert (graph.nodes[1].signature, graph.nodes[1].file) == ("(...)", None)


def test_the_first_problem_is_the_one_the_sdk_meets_first() -> None:
    with pytest.raises(UnresolvableParameter):
        plan_of({"a": Filled(Resolve(lost), False), "b": Filled(Resolve(ping), False)}, [])
    with pytest.raises(Cycle):
        plan_of({"b": Filled(Resolve(ping), False), "a": Filled(Resolve(lost), False)}, [])
