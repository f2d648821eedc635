"""What the engine tells of a call, step by step."""

import logging
from typing import Annotated, Any

import anyio
import pytest
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import ElicitationResult
from mcp.shared.exceptions import MCPError
from mcp_types import CreateMessageResult, ListRootsResult

from resolver_runtime import events as ev
from resolver_runtime.executor import asking
from resolver_runtime.graph import TOOL, resolver_id
from tests.resolver_runtime.driving import (
    ANA,
    DECLINE,
    QUESTION,
    ROOTS,
    WAIT_SECONDS,
    YES,
    Confirm,
    Login,
    Mode,
    Person,
    by_hand,
    call,
    completion,
    key_of,
    remembered,
    rewritten,
    server,
)

pytestmark = pytest.mark.anyio


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def confirm(who: Annotated[Login, Resolve(login)]) -> Elicit[Confirm]:
    return Elicit(f"Sure, {who.username}?", Confirm)


LOGIN, CONFIRM = key_of(login), key_of(confirm)


def story(told: list[ev.Event]) -> list[str]:
    """Each event as `type name`, in order."""
    return [f"{event.type} {_name(event)}".rstrip() for event in told]


def _name(event: Any) -> str:
    node = getattr(event, "node", "")
    return str(node).rpartition(":")[2].rpartition(".")[2] if node else ""


def only(told: list[ev.Event], kind: type[Any]) -> list[Any]:
    return [event for event in told if isinstance(event, kind)]


def ordering() -> MCPServer:
    """`stock` fills the tool and `days`."""

    def stock(title: str) -> int:
        return 7

    def days(title: str, number: Annotated[int, Resolve(stock)]) -> str:
        return "tomorrow"

    mcp = server()

    @mcp.tool()
    def order(title: str, days: Annotated[str, Resolve(days)], stock: Annotated[int, Resolve(stock)]) -> str:
        return f"{title} {days} {stock}"

    return mcp


async def test_a_call_without_questions_is_told_from_its_arguments_to_its_result(
    told: list[ev.Event], mode: Mode
) -> None:
    await call(ordering(), mode, title="Dune")
    assert story(told) == [
        "arguments_validated",
        "resolver_started stock",
        "resolver_returned stock",
        "resolver_started days",
        "resolver_returned days",
        "resolver_reused stock",
        "tool_started",
        "tool_returned",
    ]


async def test_values_are_told_as_short_texts(told: list[ev.Event]) -> None:
    await call(ordering(), "2026-07-28", title="D" * 1000)
    [validated] = only(told, ev.ArgumentsValidated)
    assert len(validated.values["title"]) <= 200
    assert [event.value for event in only(told, ev.ResolverReturned)] == ["7", "'tomorrow'"]
    [returned] = only(told, ev.ToolReturned)
    assert len(returned.value) <= 200
    assert all(event.seconds >= 0 for event in (*only(told, ev.ResolverReturned), returned))


async def test_a_reused_value_names_its_further_consumer(told: list[ev.Event]) -> None:
    await call(ordering(), "2026-07-28", title="Dune")
    [reused] = only(told, ev.ResolverReused)
    assert (reused.consumer, reused.parameter) == (TOOL, "stock")


async def test_a_value_whose_repr_fails_is_named_by_its_class(told: list[ev.Event]) -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[Any, Resolve(Shy)]) -> str:
        return "done"

    await call(mcp, "2026-07-28")
    [returned] = only(told, ev.ResolverReturned)
    assert returned.value.startswith("<Shy ")


async def test_values_that_no_code_will_see_are_told(told: list[ev.Event]) -> None:
    await call(ordering(), "2026-07-28", title="Dune", stock=1000, colour="red")
    assert only(told, ev.ArgumentIgnored) == [
        ev.ArgumentIgnored("stock", "1000", hidden=True),
        ev.ArgumentIgnored("colour", "'red'", hidden=False),
    ]


async def test_arguments_that_do_not_fit_are_told_and_nothing_runs(told: list[ev.Event]) -> None:
    await call(ordering(), "2026-07-28", title=["no", "text"])
    assert story(told) == ["arguments_refused", "tool_failed"]
    [refused], [failed] = only(told, ev.ArgumentsRefused), only(told, ev.ToolFailed)
    assert (refused.failure.kind, failed.phase) == ("ValidationError", "arguments")


def chain() -> MCPServer:
    mcp = server()

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(confirm)], who: Annotated[Login, Resolve(login)]) -> str:
        return f"{who.username} {sure.ok}"

    return mcp


async def test_a_round_that_ends_with_questions_tells_what_was_not_reached_and_why(told: list[ev.Event]) -> None:
    async with by_hand(chain()) as hand:
        await hand.asks()
    assert story(told) == [
        "arguments_validated",
        "resolver_started login",
        "resolver_asked login",
        "question_pending login",
        "node_not_reached confirm",
        "node_not_reached tool",
    ]
    assert [event.reason for event in only(told, ev.NodeNotReached)] == [
        "It needs login, and runs when that has its answer.",
        "The tool runs when login has its answer.",
    ]


async def test_a_question_is_told_as_it_goes_to_the_client(told: list[ev.Event]) -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
    [asked], [pending] = only(told, ev.ResolverAsked), only(told, ev.QuestionPending)
    assert (asked.kind, asked.message, asked.digest) == ("elicit", "Who?", remembered(first)["asked"][LOGIN])
    assert (pending.key, pending.kind, pending.asked_before, pending.reason) == (LOGIN, "elicit", False, None)
    assert pending.request["message"] == "Who?"
    assert list(pending.request["requestedSchema"]["properties"]) == ["username"]


async def test_the_rounds_after_tell_what_was_answered_and_what_restored(told: list[ev.Event]) -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: ANA}, first.request_state)
        told.clear()
        await hand.ends({CONFIRM: YES}, second.request_state)
    assert story(told) == [
        "arguments_validated",
        "resolver_started login",
        "resolver_asked login",
        "outcome_restored login",
        "resolver_started confirm",
        "resolver_asked confirm",
        "outcome_answered confirm",
        "resolver_reused login",
        "tool_started",
        "tool_returned",
    ]
    [restored], [answered] = only(told, ev.OutcomeRestored), only(told, ev.OutcomeAnswered)
    assert (restored.action, restored.value) == ("accept", "Login(username='ana')")
    assert (answered.action, answered.value) == ("accept", "Confirm(ok=True)")


async def test_the_handshake_era_tells_one_round(told: list[ev.Event]) -> None:
    await call(chain(), "legacy", Person({"Who?": ANA, "Sure, ana?": YES}))
    assert story(told) == [
        "arguments_validated",
        "resolver_started login",
        "resolver_asked login",
        "question_pending login",
        "outcome_answered login",
        "resolver_started confirm",
        "resolver_asked confirm",
        "question_pending confirm",
        "outcome_answered confirm",
        "resolver_reused login",
        "tool_started",
        "tool_returned",
    ]
    assert {event.digest for event in only(told, ev.ResolverAsked)} == {None}


@pytest.mark.parametrize(
    ("change", "reason", "discarded"),
    [
        ({}, "The client sent no answer to it.", False),
        ({"asked": {LOGIN: "another"}}, "The question has changed between asking and answering.", True),
        ({"asked": {}}, "An answer came for a question that this call's state does not know of.", True),
        (
            {"outcomes": {LOGIN: {"action": "accept", "data": {"username": "ana"}, "q": "another"}}},
            "The question has changed since it was answered.",
            True,
        ),
        (
            {"outcomes": {LOGIN: {"action": "accept", "data": {}, "q": "same"}}},
            "The recorded answer does not fit what the code asks for now.",
            True,
        ),
    ],
    ids=["unanswered", "reworded", "unknown", "changed", "misfit"],
)
async def test_a_question_that_comes_again_says_why(
    told: list[ev.Event], change: dict[str, Any], reason: str, discarded: bool
) -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        state = remembered(first)
        for record in change.get("outcomes", {}).values():
            record["q"] = state["asked"][LOGIN] if record["q"] == "same" else record["q"]
        answers = {LOGIN: ANA} if "asked" in change else None
        told.clear()
        await hand.asks(answers, rewritten(first, {**state, **change}))
    [pending] = only(told, ev.QuestionPending)
    assert (pending.asked_before, pending.reason) == (True, reason)
    assert [event.reason for event in only(told, ev.AnswerDiscarded)] == [reason] * discarded


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_refusal_is_told_with_what_it_kept_from_running(told: list[ev.Event], mode: Mode) -> None:
    await call(chain(), mode, Person({"Who?": DECLINE}))
    [answered] = only(told, ev.OutcomeAnswered)
    assert (answered.action, answered.value) == ("decline", None)
    end = story(told)[-3:]
    assert end == ["node_not_reached confirm", "node_not_reached tool", "tool_failed"]
    [failed] = only(told, ev.ToolFailed)
    assert failed.phase == "resolvers"
    assert failed.failure.message == "Resolver for parameter 'who' could not resolve: elicitation was decline"


async def test_an_exception_is_told_with_the_lines_of_the_users_code(told: list[ev.Event], mode: Mode) -> None:
    def shelf() -> int:
        raise KeyError("fell over")

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[int, Resolve(shelf)], other: Annotated[Login, Resolve(login)]) -> str:
        return ""

    await call(mcp, mode)
    assert story(told) == [
        "arguments_validated",
        "resolver_started shelf",
        "resolver_failed shelf",
        "node_not_reached login",
        "node_not_reached tool",
        "tool_failed",
    ]
    [failed] = only(told, ev.ResolverFailed)
    assert (failed.failure.kind, failed.failure.message) == ("KeyError", "'fell over'")
    last = failed.failure.frames[-1]
    assert (last.file, last.code, last.user) == (__file__, 'raise KeyError("fell over")', True)


async def test_a_missing_capability_is_told_as_the_failure_of_who_asked(told: list[ev.Event], mode: Mode) -> None:
    with anyio.fail_after(WAIT_SECONDS):
        async with Person(forms=False).client(chain(), mode) as client:
            with pytest.raises(MCPError):
                await client.call_tool("tool", {})
    assert "question_pending login" not in story(told)
    [failed] = only(told, ev.ResolverFailed)
    assert failed.node == resolver_id(LOGIN)
    assert failed.failure.kind == "MCPError"


async def test_a_body_that_fails_is_told_as_the_body(told: list[ev.Event], mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool() -> str:
        raise ToolError("No.")

    await call(mcp, mode)
    assert story(told) == ["arguments_validated", "tool_started", "tool_failed"]
    [failed] = only(told, ev.ToolFailed)
    assert (failed.phase, failed.failure.message) == ("body", "No.")


async def test_a_run_that_is_cancelled_is_told_as_ended(told: list[ev.Event]) -> None:
    with anyio.CancelScope() as scope:

        async def endless() -> int:
            scope.cancel()
            await anyio.sleep_forever()
            return 0

        mcp = server()

        @mcp.tool()
        def tool(value: Annotated[int, Resolve(endless)], other: Annotated[Login, Resolve(login)]) -> str:
            return ""

        await mcp.call_tool("tool", {})
    assert story(told)[1:] == [
        "resolver_started endless",
        "node_not_reached login",
        "node_not_reached tool",
        "tool_failed",
    ]
    assert {event.reason for event in only(told, ev.NodeNotReached)} == {"The call was stopped before it."}


async def test_every_kind_of_question_is_told_with_its_kind(told: list[ev.Event], mode: Mode) -> None:
    def sample() -> Sample:
        return Sample(QUESTION, max_tokens=10)

    def roots() -> ListRoots:
        return ListRoots()

    mcp = server()

    @mcp.tool()
    def tool(
        who: Annotated[Login, Resolve(login)],
        said: Annotated[CreateMessageResult, Resolve(sample)],
        dirs: Annotated[ListRootsResult, Resolve(roots)],
    ) -> str:
        return ""

    await call(mcp, mode, Person({"Who?": ANA}, completion=completion("so"), roots=ROOTS))
    pending = only(told, ev.QuestionPending)
    assert [event.kind for event in pending] == ["elicit", "sample", "list_roots"]
    assert [sorted(event.request) for event in pending] == [
        ["message", "mode", "requestedSchema"],
        ["maxTokens", "messages"],
        [],
    ]


async def test_a_refusal_that_a_consumer_takes_is_told_like_an_answer(told: list[ev.Event], mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(who: Annotated[ElicitationResult[Login], Resolve(login)]) -> str:
        return who.action

    await call(mcp, mode, Person({"Who?": DECLINE}))
    assert story(told)[-3:] == ["outcome_answered login", "tool_started", "tool_returned"]


async def test_in_the_handshake_era_the_key_of_who_asks_is_known_while_the_question_is_sent(
    told: list[ev.Event],
) -> None:
    sent: list[str | None] = []

    class Watched(Login):
        @classmethod
        def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
            sent.append(asking.get())
            return super().model_json_schema(*args, **kwargs)

    def watched() -> Elicit[Watched]:
        return Elicit("Who?", Watched)

    mcp = server()

    @mcp.tool()
    async def tool(who: Annotated[Login, Resolve(watched)], ctx: Context) -> str:
        return str(asking.get())

    result = await call(mcp, "legacy", Person({"Who?": ANA}))
    assert result.structured_content == {"result": "None"}
    assert sent[-1] == key_of(watched)


async def test_an_event_goes_to_json_and_back(told: list[ev.Event], mode: Mode) -> None:
    await call(chain(), mode, Person({"Who?": ANA, "Sure, ana?": DECLINE}))
    assert [ev.from_json(ev.to_json(event)) for event in told] == told


async def test_a_discarded_answer_is_told_and_logged(told: list[ev.Event], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "resolver_runtime.executor")
    async with by_hand(chain()) as hand:
        await hand.asks({LOGIN: ANA})
    assert len(only(told, ev.AnswerDiscarded)) == len(
        [record for record in caplog.records if record.name == "resolver_runtime.executor"]
    )
