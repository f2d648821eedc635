"""The simulated client against a real MCP server on a Unix socket, in both eras."""

import threading
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

import anyio
import anyio.to_thread
import pytest
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

from app.calls import Recorded
from app.client import Call, ClientSettings, QuestionSettled
from resolver_runtime import events as ev
from resolver_runtime.events import Era
from tests.app.serving import END_SECONDS, FakeWorker, served

pytestmark = pytest.mark.anyio

E = TypeVar("E", bound=ev.Event)

MODERN: Era = "2026-07-28"
HANDSHAKE: Era = "2025-11-25"
both_eras = pytest.mark.parametrize("era", [MODERN, HANDSHAKE])

YES = {"action": "accept", "content": {"yes": True}}
NO = {"action": "accept", "content": {"yes": False}}
COMPLETION = {"role": "assistant", "content": {"type": "text", "text": "Dune"}, "model": "m"}


class Agreement(BaseModel):
    yes: bool


def ask_first() -> Elicit[Agreement]:
    return Elicit("First?", Agreement)


def ask_second() -> Elicit[Agreement]:
    return Elicit("Second?", Agreement)


def asking() -> MCPServer:
    """Two independent questions."""
    server = MCPServer("asking")

    @server.tool()
    def decide(
        first: Annotated[Agreement, Resolve(ask_first)], second: Annotated[Agreement, Resolve(ask_second)]
    ) -> str:
        return f"{first.yes} {second.yes}"

    return server


def tool(name: str = "decide", *keys: str, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    nodes = [{"key": key, "name": key.rpartition(":")[2]} for key in keys]
    return {"name": name, "nodes": nodes, "input_schema": schema or {}}


def answered_with(call: Call, answer: Callable[[ev.QuestionAsked], Mapping[str, Any] | None]) -> None:
    def on_record(record: Recorded) -> None:
        if isinstance(record.event, ev.QuestionAsked) and (given := answer(record.event)) is not None:
            call.answer(record.event.id, given)

    call.log.subscribe(on_record)


async def run(call: Call) -> ev.CallEnded:
    with anyio.fail_after(END_SECONDS):
        await call.run()
    end = call.log.records()[-1].event
    assert isinstance(end, ev.CallEnded)
    return end


def events(call: Call, kind: type[E]) -> list[E]:
    return [record.event for record in call.log.records() if isinstance(record.event, kind)]


async def asked(call: Call, count: int = 1) -> list[ev.QuestionAsked]:
    """Wait until this many questions have been asked."""
    enough = anyio.Event()

    def on_record(_: Recorded) -> None:
        if len(events(call, ev.QuestionAsked)) >= count:
            enough.set()

    leave = call.log.subscribe(on_record)
    on_record(Recorded(0, 0, ev.RoundStarted(0)))
    with anyio.fail_after(END_SECONDS):
        await enough.wait()
    leave()
    return events(call, ev.QuestionAsked)


def text(end: ev.CallEnded) -> str:
    assert end.result is not None
    return str(end.result["content"][0]["text"])


# --- results ---


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


# --- rounds and questions ---


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
    key = f"{__name__}:ask_first"
    async with served(asking()) as worker:
        call = Call(worker, 0, tool("decide", key), {})
        answered_with(call, lambda _: YES)
        await run(call)
    assert [(q.key, q.resolver) for q in events(call, ev.QuestionAsked)] == [
        (key, "ask_first"),
        (f"{__name__}:ask_second", None),
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


# --- refusals and limits ---


@both_eras
async def test_a_refusal_by_the_client_ends_the_call_with_its_error(era: Era) -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        answered_with(call, lambda _: {"error": {"code": -1, "message": "User rejected"}})
        end = await run(call)
    assert end.status == "error"
    assert end.error is not None
    assert (end.error["code"], end.error["message"]) == (-1, "User rejected")


async def test_a_refusal_does_not_wait_for_the_other_questions_of_its_round() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        refusal = {"error": {"code": -1, "message": "no"}}
        answered_with(call, lambda question: refusal if question.id == "q2" else None)
        end = await run(call)
    assert end.status == "error"


async def test_a_kind_that_is_not_declared_is_refused_as_the_sdks_client_does() -> None:
    server = MCPServer("body")

    @server.tool()
    async def decide(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Agreement)).action

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(HANDSHAKE, frozenset({"roots"})))
        end = await run(call)
    assert end.error is not None
    assert (end.error["code"], end.error["message"]) == (-32600, "Elicitation not supported")
    assert events(call, ev.QuestionAnswered)[0].answer["error"]["code"] == -32600


@pytest.mark.parametrize("limit", [0, 1, 3])
async def test_the_round_limit_counts_retries_and_ends_with_the_sdks_text(limit: int) -> None:
    server = MCPServer("endless")
    counter = iter(range(100))

    def ask() -> Elicit[Agreement]:
        return Elicit(f"Sure? {next(counter)}", Agreement)

    @server.tool()
    def decide(agreed: Annotated[Agreement, Resolve(ask)]) -> str:
        return str(agreed.yes)

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(max_rounds=limit))
        answered_with(call, lambda _: YES)
        end = await run(call)
    assert end.error is not None
    assert end.error["code"] is None
    assert end.error["message"].startswith(f"Server returned InputRequiredResult for more than {limit} rounds; ")
    assert len(events(call, ev.RoundStarted)) == limit + 1
    assert len(events(call, ev.QuestionAsked)) == limit


# --- the client's shape ---


@both_eras
@pytest.mark.parametrize(
    ("capabilities", "declared"),
    [
        ({"elicitation.form"}, {"elicitation": {"form": {}}}),
        ({"elicitation.url"}, {"elicitation": {"url": {}}}),
        ({"elicitation.form", "elicitation.url"}, {"elicitation": {"form": {}, "url": {}}}),
        ({"sampling"}, {"sampling": {}}),
        ({"sampling.tools"}, {"sampling": {"tools": {}}}),
        ({"roots"}, {"roots": {"listChanged": True}}),
        (set(), {}),
    ],
)
async def test_the_capabilities_are_declared_as_they_were_chosen(
    era: Era, capabilities: set[str], declared: dict[str, Any]
) -> None:
    server = MCPServer("plain")

    @server.tool()
    def decide() -> str:
        return "done"

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era, frozenset(capabilities)))
        await run(call)
    first = events(call, ev.WireMessage)[0].message["params"]
    assert (
        first.get("capabilities", first.get("_meta", {}).get("io.modelcontextprotocol/clientCapabilities")) == declared
    )


@both_eras
async def test_headers_reach_the_server(era: Era) -> None:
    server = MCPServer("headers")

    @server.tool()
    def decide(ctx: Context) -> str:
        assert ctx.headers is not None
        return ctx.headers["x-user"]

    async with served(server) as worker:
        end = await run(Call(worker, 0, tool(), {}, ClientSettings(era, headers={"X-User": "ana"})))
    assert text(end) == "ana"


@both_eras
@pytest.mark.filterwarnings("ignore:The logging capability is deprecated")
async def test_progress_and_logs_of_the_server_are_recorded(era: Era) -> None:
    server = MCPServer("progress")

    @server.tool()
    async def decide(ctx: Context) -> str:
        await ctx.report_progress(1, 4, "begun")
        await ctx.log("info", "looking")
        return "done"

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        await run(call)
    assert events(call, ev.Progressed) == [ev.Progressed(1, 4, "begun")]
    assert [(event.level, event.data) for event in events(call, ev.ClientLogged)] == [("info", "looking")]


async def test_an_argument_that_travels_in_a_header_is_mirrored_there() -> None:
    server = MCPServer("headers")

    @server.tool()
    def decide(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
        return region

    schema = {"properties": {"region": {"x-mcp-header": "Region"}}}
    async with served(server) as worker:
        end = await run(Call(worker, 0, tool(schema=schema), {"region": "north"}))
    assert (end.status, text(end)) == ("done", "north")


# --- the ends that come from outside ---


@both_eras
async def test_stop_ends_a_call_whose_question_waits(era: Era) -> None:
    async with served(asking()) as worker, anyio.create_task_group() as tasks:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        tasks.start_soon(call.run)
        question = (await asked(call))[0]
        call.stop()
    assert events(call, ev.CallEnded) == [ev.CallEnded("stopped")]
    assert (call.ended, call.worker_stuck) == (True, False)
    with pytest.raises(QuestionSettled):
        call.answer(question.id, YES)


@both_eras
async def test_stop_returns_within_a_second_and_tells_when_code_still_runs(era: Era) -> None:
    server = MCPServer("stuck")
    began, release = threading.Event(), threading.Event()

    @server.tool()
    def decide() -> str:
        began.set()
        release.wait(END_SECONDS)
        return "late"

    async with served(server) as worker, anyio.create_task_group() as tasks:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        tasks.start_soon(call.run)
        await anyio.to_thread.run_sync(began.wait, END_SECONDS)
        worker.tell(ev.ToolStarted())
        ended = anyio.Event()
        call.log.subscribe(lambda record: ended.set() if isinstance(record.event, ev.CallEnded) else None)
        call.stop()
        with anyio.fail_after(1):
            await ended.wait()
        release.set()
    assert events(call, ev.CallEnded) == [ev.CallEnded("stopped")]
    assert call.worker_stuck


async def test_a_call_stopped_before_it_runs_ends_as_stopped() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        call.stop()
        assert (await run(call)).status == "stopped"


async def test_a_call_that_is_over_cannot_be_stopped() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        answered_with(call, lambda _: YES)
        await run(call)
        call.stop()
    assert [event.status for event in events(call, ev.CallEnded)] == ["done"]


async def test_the_death_of_the_worker_ends_the_call_and_keeps_what_was_answered() -> None:
    async with served(asking()) as worker, anyio.create_task_group() as tasks:
        call = Call(worker, 0, tool(), {})
        tasks.start_soon(call.run)
        question = (await asked(call))[0]
        call.answer(question.id, YES)
        worker.die()
    end = events(call, ev.CallEnded)[0]
    assert end.status == "died"
    assert end.error == {
        "code": None,
        "message": "The process ended with exit code 3. Look at the log for its last words.",
        "data": None,
    }
    assert events(call, ev.QuestionAnswered) == [ev.QuestionAnswered(question.id, YES)]


async def test_a_worker_that_cannot_be_reached_ends_the_call_with_a_reason() -> None:
    end = await run(Call(FakeWorker("/nowhere"), 0, tool(), {}))
    assert end.status == "error"
    assert end.error is not None
    assert end.error["code"] is None
    assert "broke off" in end.error["message"]


async def test_an_answer_that_cannot_be_sent_ends_the_call_with_a_reason() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        answered_with(call, lambda _: {"action": "accept", "content": {"yes": "\ud800"}})
        end = await run(call)
    assert end.status == "error"


async def test_the_worker_is_fenced_before_a_question_a_rounds_end_and_the_end() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        seen: list[tuple[str, int]] = []
        call.log.subscribe(lambda record: seen.append((record.event.type, worker.fences)))
        answered_with(call, lambda _: YES)
        await run(call)
    fenced = [s for s in seen if s[0] in ("question_asked", "round_ended", "call_ended")]
    assert fenced == [
        ("question_asked", 1),
        ("question_asked", 1),
        ("round_ended", 2),
        ("round_ended", 3),
        ("call_ended", 4),
    ]


async def test_the_end_is_the_last_record_and_the_only_one_of_its_kind() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        answered_with(call, lambda _: YES)
        await run(call)
        worker.tell(ev.Printed("stdout", "late\n"))
    types = [record.event.type for record in call.log.records()]
    assert types.count("call_ended") == 1
    assert types[-1] == "call_ended"
