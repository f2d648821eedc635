"""The ends of a call that come from outside: Stop, death, a broken connection; and what is last in the log."""

import threading

import anyio
import anyio.to_thread
import pytest
from mcp.server.mcpserver import MCPServer

from app.calls import INTERRUPTED
from app.client.call import Call
from app.client.questions import QuestionSettled
from app.client.settings import ClientSettings
from resolver_runtime import events as ev
from resolver_runtime.events import Era
from tests.app.calling import YES, answered_with, asked, asking, both_eras, ended, events, run, tool
from tests.app.serving import END_SECONDS, FakeWorker, served

pytestmark = pytest.mark.anyio


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
        call.stop()
        with anyio.fail_after(1):
            await ended(call)
        release.set()
    assert events(call, ev.CallEnded) == [ev.CallEnded("stopped")]
    assert call.worker_stuck


async def test_stop_returns_within_a_second_when_the_worker_does_not_answer_at_all() -> None:
    async with served(asking()) as worker, anyio.create_task_group() as tasks:
        call = Call(worker, 0, tool(), {})
        tasks.start_soon(call.run)
        await asked(call)
        worker.hang()
        call.stop()
        with anyio.fail_after(1):
            await ended(call)
    assert call.worker_stuck


async def test_a_call_whose_runner_is_cancelled_is_interrupted() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call.run)
            await asked(call)
            tasks.cancel_scope.cancel()
    assert call.log.records()[-1].event == INTERRUPTED


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


async def test_the_worker_is_fenced_before_a_question_and_before_a_rounds_end() -> None:
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
        ("call_ended", 3),
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
