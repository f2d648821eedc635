"""The SDK's own executor observed: what can be seen from outside, and nothing made up."""

import textwrap
import types
from collections.abc import Iterator
from typing import Annotated, Any

import anyio
import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.server.mcpserver.tools import base
from mcp.shared.exceptions import MCPError

from resolver_runtime import events as ev
from resolver_runtime import sdk
from resolver_runtime.analysis import tool_graph
from tests.resolver_runtime.driving import (
    ANA,
    DECLINE,
    WAIT_SECONDS,
    YES,
    Confirm,
    Login,
    Mode,
    Person,
    by_hand,
    call,
    key_of,
    remembered,
    rewritten,
    server,
    text,
)
from tests.resolver_runtime.test_events import only, story

pytestmark = pytest.mark.anyio


@pytest.fixture
def seen() -> Iterator[list[ev.Event]]:
    events: list[ev.Event] = []
    before = dict(vars(base))
    sdk.observe(events.append)
    yield events
    sdk.unobserve()
    assert dict(vars(base)) == before


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def confirm(who: Annotated[Login, Resolve(login)]) -> Elicit[Confirm]:
    return Elicit(f"Sure, {who.username}?", Confirm)


LOGIN, CONFIRM = key_of(login), key_of(confirm)


def chain() -> MCPServer:
    mcp = server()

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(confirm)], who: Annotated[Login, Resolve(login)]) -> str:
        return f"{who.username} {sure.ok}"

    return mcp


async def test_a_call_in_rounds_is_seen(seen: list[ev.Event]) -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        assert story(seen) == [
            "arguments_validated",
            "resolver_started login",
            "resolver_asked login",
            "question_pending login",
        ]
        second = await hand.asks({LOGIN: ANA}, first.request_state)
        seen.clear()
        assert text(await hand.ends({CONFIRM: YES}, second.request_state)) == "ana True"
    assert story(seen) == [
        "arguments_validated",
        "resolver_started login",
        "resolver_asked login",
        "outcome_restored login",
        "resolver_started confirm",
        "resolver_asked confirm",
        "outcome_answered confirm",
        "tool_started",
        "tool_returned",
    ]


async def test_a_call_of_the_handshake_era_is_seen(seen: list[ev.Event]) -> None:
    await call(chain(), "legacy", Person({"Who?": ANA, "Sure, ana?": YES}))
    assert story(seen) == [
        "arguments_validated",
        "resolver_started login",
        "resolver_asked login",
        "question_pending login",
        "outcome_answered login",
        "resolver_started confirm",
        "resolver_asked confirm",
        "question_pending confirm",
        "outcome_answered confirm",
        "tool_started",
        "tool_returned",
    ]


async def test_a_record_that_wins_over_an_answer_is_seen_as_restored(seen: list[ev.Event]) -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: ANA}, first.request_state)
        state = remembered(second)
        state["asked"][LOGIN] = remembered(first)["asked"][LOGIN]
        seen.clear()
        await hand.ends({LOGIN: ANA, CONFIRM: YES}, rewritten(second, state))
    assert [event.key for event in only(seen, ev.OutcomeRestored)] == [LOGIN]
    assert [event.key for event in only(seen, ev.OutcomeAnswered)] == [CONFIRM]


async def test_what_cannot_be_known_is_left_out(seen: list[ev.Event]) -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        await hand.asks(None, first.request_state)
    assert [(event.asked_before, event.reason) for event in only(seen, ev.QuestionPending)] == [(False, None)] * 2
    assert [event.digest for event in only(seen, ev.ResolverAsked)] == [None] * 2
    assert only(seen, ev.NodeNotReached) == []


async def test_a_refused_capability_is_seen_as_the_failure_of_who_asked(seen: list[ev.Event], mode: Mode) -> None:
    with anyio.fail_after(WAIT_SECONDS):
        async with Person(forms=False).client(chain(), mode) as client:
            with pytest.raises(MCPError):
                await client.call_tool("tool", {})
    [failed] = only(seen, ev.ResolverFailed)
    assert (failed.key, failed.failure.kind) == (LOGIN, "MCPError")


async def test_a_failure_is_seen_with_the_lines_of_the_users_code(seen: list[ev.Event], mode: Mode) -> None:
    async def broken() -> int:
        raise KeyError("fell over")

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[int, Resolve(broken)]) -> str:
        return ""

    await call(mcp, mode)
    assert story(seen) == ["arguments_validated", "resolver_started broken", "resolver_failed broken", "tool_failed"]
    [failed] = only(seen, ev.ResolverFailed)
    assert [frame.file for frame in failed.failure.frames] == [__file__]


class Clerk:
    """Its fields are annotated, and no parameters."""

    title: str = "clerk"

    def __call__(self, ctx: Context, who: Annotated[Login, Resolve(login)]) -> str:
        return f"{self.title} of {who.username}"


class Desk:
    def __init__(self, name: str) -> None:
        self.name = name

    async def number(self) -> str:
        return self.name


async def test_methods_and_callable_objects_keep_what_their_signatures_say(seen: list[ev.Event], mode: Mode) -> None:
    first, second = Desk("first"), Desk("second")
    mcp = server()

    @mcp.tool()
    def tool(
        clerk: Annotated[str, Resolve(Clerk())],
        one: Annotated[str, Resolve(first.number)],
        two: Annotated[str, Resolve(second.number)],
        again: Annotated[str, Resolve(first.number)],
    ) -> str:
        return f"{clerk}, {one}, {two}, {again}"

    assert text(await call(mcp, mode, Person({"Who?": ANA}))) == "clerk of ana, first, second, first"
    started = [event.key for event in only(seen, ev.ResolverStarted)][-4:]
    base_key = key_of(Desk.number)
    assert started[-3:] == [f"{__name__}:Clerk", base_key, f"{base_key}#1"]


async def test_resolvers_of_a_module_with_postponed_annotations_are_seen(seen: list[ev.Event], mode: Mode) -> None:
    module = types.ModuleType("postponed")
    source = """
        from __future__ import annotations
        from typing import Annotated
        from mcp.server.mcpserver import Resolve

        def inner() -> int:
            return 7

        def outer(number: Annotated[int, Resolve(inner)]) -> int:
            return number + 1

        def tool(number: Annotated[int, Resolve(outer)]) -> str:
            return str(number)
    """
    exec(textwrap.dedent(source), vars(module))
    mcp = server()
    mcp.add_tool(vars(module)["tool"])
    assert text(await call(mcp, mode)) == "8"
    assert [event.key.rpartition(":")[2] for event in only(seen, ev.ResolverStarted)] == ["inner", "outer"]


async def test_a_resolver_of_two_tools_is_seen_under_the_key_it_has_in_each(seen: list[ev.Event]) -> None:
    def named(answer: str) -> Any:
        def resolver() -> str:
            return answer

        return resolver

    one, two = named("one"), named("two")
    mcp, other = server(), server()

    @mcp.tool()
    def first(a: Annotated[str, Resolve(one)], b: Annotated[str, Resolve(two)]) -> str:
        return a + b

    @other.tool()
    def second(b: Annotated[str, Resolve(two)]) -> str:
        return b

    await call(mcp, "2026-07-28")
    await call(other, "2026-07-28")
    keys = [event.key for event in only(seen, ev.ResolverReturned)]
    assert keys == [key_of(one), f"{key_of(one)}#1", key_of(one)]


async def test_the_graph_of_an_observed_tool_is_that_of_the_users_own_functions(seen: list[ev.Event]) -> None:
    tool = chain()._tool_manager.list_tools()[0]
    assert [node.name for node in tool_graph(tool).nodes] == ["confirm", "login", "tool"]


async def test_a_tool_goes_on_working_unseen_when_nobody_observes_any_more(mode: Mode) -> None:
    events: list[ev.Event] = []
    sdk.observe(events.append)
    mcp = chain()
    sdk.unobserve()
    result = await call(mcp, mode, Person({"Who?": ANA, "Sure, ana?": DECLINE}))
    assert text(result).endswith("Resolver for parameter 'sure' could not resolve: elicitation was decline")
    assert events == []


async def test_observing_leaves_the_users_markers_as_they_are(seen: list[ev.Event]) -> None:
    marker = Resolve(login)

    def tool(who: Annotated[Login, marker]) -> str:
        return ""

    server().add_tool(tool)
    assert marker.fn is login


async def test_both_may_be_called_twice() -> None:
    events: list[ev.Event] = []
    sdk.observe(events.append)
    sdk.observe(events.append)
    sdk.unobserve()
    sdk.unobserve()
    await call(chain(), "legacy", Person({"Who?": DECLINE}))
    assert events == []
