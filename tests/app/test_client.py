"""The simulated client against a real MCP server on a Unix socket, in both eras: rounds, questions, results."""

from typing import Annotated, Any

import anyio
import anyio.to_thread
import pytest
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp_types import (
    CreateMessageResult,
    InputRequiredResult,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)

from app.client.call import Call
from app.client.questions import QuestionSettled
from app.client.settings import ClientSettings
from resolver_runtime import events as ev
from resolver_runtime.events import Era
from tests.app.calling import (
    COMPLETION,
    HANDSHAKE,
    NO,
    YES,
    Agreement,
    answered_with,
    ask_first,
    asked,
    asking,
    both_eras,
    events,
    run,
    text,
    tool,
)
from tests.app.serving import FakeWorker, served

pytestmark = pytest.mark.anyio


@both_eras
async def test_a_call_without_questions_ends_with_the_result_as_on_the_wire(era: Era) -> None:
    server = MCPServer("plain")

    @server.tool()
    def double(n: int) -> int:
        return 2 * n

    async with served(server) as worker:
        call = Call(worker, 0, tool("double"), {"n": 21}, ClientSettings(era))
        end = await run(call)
    assert (end.status, text(end), end.error) == ("done", "42", None)
    assert end.result is not None
    assert end.result["structuredContent"] == {"result": 42}
    assert [event.number for event in events(call, ev.RoundEnded)] == [1]


@both_eras
async def test_a_result_that_is_an_error_ends_the_call_as_failed(era: Era) -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        answered_with(call, lambda _: {"action": "decline"})
        end = await run(call)
    assert end.status == "failed"
    expected = "Error executing tool decide: Resolver for parameter 'first' could not resolve: elicitation was decline"
    assert text(end) == expected


async def test_a_protocol_error_ends_the_call_with_code_message_and_data() -> None:
    async with served(asking()) as worker:
        end = await run(Call(worker, 0, tool(), {}, ClientSettings(capabilities=frozenset())))
    assert end.status == "error"
    assert end.error is not None
    assert end.error["code"] == -32021
    assert end.error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


async def test_the_modern_era_asks_a_batch_in_one_round_and_sends_it_when_all_are_answered() -> None:
    async with served(asking()) as worker, anyio.create_task_group() as tasks:
        call = Call(worker, 0, tool(), {})
        tasks.start_soon(call.run)
        first, second = await asked(call, 2)
        assert (first.round, second.round) == (1, 1)
        call.answer(second.id, NO)
        assert len(events(call, ev.RoundStarted)) == 1
        call.answer(first.id, YES)
    end = events(call, ev.CallEnded)[0]
    assert text(end) == "True False"
    assert [event.number for event in events(call, ev.RoundStarted)] == [1, 2]


async def test_the_handshake_era_asks_one_after_the_other_in_one_round() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(HANDSHAKE))
        answered_with(call, lambda question: YES if question.request["message"] == "First?" else NO)
        end = await run(call)
    assert text(end) == "True False"
    assert [question.round for question in events(call, ev.QuestionAsked)] == [1, 1]
    assert len(events(call, ev.RoundStarted)) == 1


async def test_a_question_tells_its_key_and_its_resolver_by_the_survey() -> None:
    key = f"{ask_first.__module__}:ask_first"
    async with served(asking()) as worker:
        call = Call(worker, 0, tool("decide", key), {})
        answered_with(call, lambda _: YES)
        await run(call)
    assert [(q.key, q.resolver) for q in events(call, ev.QuestionAsked)] == [
        (key, "ask_first"),
        (f"{ask_first.__module__}:ask_second", None),
    ]


async def test_a_handshake_question_gets_its_key_from_the_worker() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool("decide", "shop:ask_first"), {}, ClientSettings(HANDSHAKE))
        pending = ev.QuestionPending(
            "resolver:shop:ask_first", "shop:ask_first", "elicit", {}, True, "It was reworded."
        )

        def on_fence() -> None:
            worker.tell(pending)
            worker.tell(ev.QuestionSent(1, "shop:ask_first"))

        worker.on_fence = on_fence
        answered_with(call, lambda _: YES)
        await run(call)
    question = events(call, ev.QuestionAsked)[0]
    assert (question.key, question.resolver) == ("shop:ask_first", "ask_first")
    assert (question.asked_before, question.reason) == (True, "It was reworded.")


async def test_a_question_of_the_body_has_neither_key_nor_resolver() -> None:
    server = MCPServer("body")

    @server.tool()
    async def decide(ctx: Context) -> str:
        answer = await ctx.elicit("Sure?", Agreement)
        return answer.action

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(HANDSHAKE))
        answered_with(call, lambda _: {"action": "cancel"})
        end = await run(call)
    question = events(call, ev.QuestionAsked)[0]
    assert (question.key, question.resolver, question.kind) == (None, None, "elicit")
    assert text(end) == "cancel"


@both_eras
async def test_every_kind_of_question_is_asked_and_answered(era: Era) -> None:
    server = MCPServer("kinds")

    def write() -> Sample:
        return Sample([SamplingMessage(role="user", content=TextContent(text="A title"))], max_tokens=9)

    @server.tool()
    def decide(
        agreed: Annotated[Agreement, Resolve(ask_first)],
        title: Annotated[CreateMessageResult, Resolve(write)],
        roots: Annotated[ListRootsResult, Resolve(lambda: ListRoots())],
    ) -> str:
        assert isinstance(title.content, TextContent)
        return f"{agreed.yes} {title.content.text} {roots.roots[0].uri}"

    answers: dict[str, Any] = {"elicit": YES, "sample": COMPLETION, "list_roots": {"roots": [{"uri": "file:///books"}]}}
    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        answered_with(call, lambda question: answers[question.kind])
        end = await run(call)
    assert text(end) == "True Dune file:///books"
    assert [question.kind for question in events(call, ev.QuestionAsked)] == list(answers)


@both_eras
async def test_an_answer_that_does_not_fit_is_sent_exactly_as_written(era: Era) -> None:
    misfit = {"action": "accept", "content": {"yes": "perhaps", "more": ["a"]}, "extra": 1}
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        answered_with(call, lambda _: misfit)
        end = await run(call)
    assert end.status == "failed"
    sent = [event.message for event in events(call, ev.WireMessage) if event.direction == "sent"]
    given = [m["result"] for m in sent if "result" in m]
    given += [a for m in sent for a in m.get("params", {}).get("inputResponses", {}).values()]
    assert given
    assert all(answer == misfit for answer in given)


async def test_an_answered_question_cannot_be_answered_again() -> None:
    async with served(asking()) as worker, anyio.create_task_group() as tasks:
        call = Call(worker, 0, tool(), {})
        tasks.start_soon(call.run)
        first, second = await asked(call, 2)
        call.answer(first.id, YES)
        with pytest.raises(QuestionSettled, match="already has an answer"):
            call.answer(first.id, NO)
        call.answer(second.id, YES)
    assert len(events(call, ev.QuestionAnswered)) == 2


async def test_a_settled_question_can_be_reopened_until_its_round_goes() -> None:
    async with served(asking()) as worker, anyio.create_task_group() as tasks:
        call = Call(worker, 0, tool(), {})
        tasks.start_soon(call.run)
        first, second = await asked(call, 2)
        call.answer(first.id, YES)
        call.reopen(first.id)
        call.answer(second.id, YES)
        call.answer(first.id, NO)
    assert text(events(call, ev.CallEnded)[0]) == "False True"
    with pytest.raises(QuestionSettled, match="not open"):
        call.reopen(first.id)


async def test_a_question_that_never_was_cannot_be_answered() -> None:
    with pytest.raises(QuestionSettled, match="q9"):
        Call(FakeWorker(""), 0, tool(), {}).answer("q9", YES)


async def test_a_state_without_questions_is_sent_back_after_a_pause() -> None:
    server = MCPServer("patient")
    states = iter(["one", "two"])

    @server.tool()
    def decide(ctx: Context) -> str | InputRequiredResult:
        state = next(states, None)
        return "done" if state is None else InputRequiredResult(request_state=state)

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {})
        end = await run(call)
    assert text(end) == "done"
    assert [event.number for event in events(call, ev.RoundEnded)] == [1, 2, 3]
    assert events(call, ev.QuestionAsked) == []


async def test_a_question_asked_again_is_marked_also_when_the_worker_does_not_say_so() -> None:
    server = MCPServer("counting")
    counter = iter(range(10))

    def ask() -> Elicit[Agreement]:
        return Elicit(f"Sure? {min(next(counter), 2)}", Agreement)

    @server.tool()
    def decide(agreed: Annotated[Agreement, Resolve(ask)]) -> str:
        return str(agreed.yes)

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {})
        answered_with(call, lambda _: YES)
        await run(call)
    assert [question.asked_before for question in events(call, ev.QuestionAsked)] == [False, True, True]
