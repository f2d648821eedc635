"""Makes one call from start to end: a worker, the call, somebody who answers, a document and an exit code.

Knows neither terminals nor HTTP: `source` answers, `follow` hears what happens.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.abc
from anyio.streams.memory import MemoryObjectReceiveStream

from app.answers import Answer, Answers
from app.calls import CallLog, Recorded
from app.client.call import Call
from app.client.questions import QuestionSettled
from app.client.settings import ClientSettings
from app.documents import call_document, error_json
from app.surveys import Misuse, find_tool, problem_lines
from app.workers import ModuleSpec, Worker, WorkerFailed, Workers
from resolver_runtime import events as ev

Source = Callable[[ev.QuestionAsked], Awaitable[Answer | None]]
Follow = Callable[[Recorded], None]

DONE, FAILED, PROTOCOL_ERROR, UNANSWERED, NOT_LOADED, DIED = range(6)

_CODES: Mapping[str, int] = {
    "done": DONE,
    "failed": FAILED,
    "error": PROTOCOL_ERROR,
    "unanswered": UNANSWERED,
    "died": DIED,
}


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line. `answers` None: `source` answers. `timeout` in seconds."""

    spec: ModuleSpec
    tool: str
    arguments: Mapping[str, Any]
    client: ClientSettings
    answers: Mapping[str, Any] | None = None
    timeout: float | None = None


@dataclass(frozen=True)
class Made:
    """How it ended: the document of `call`, the exit code, and remarks for the person."""

    document: dict[str, Any]
    code: int
    remarks: tuple[str, ...] = ()


async def make_call(request: Request, source: Source, follow: Follow) -> Made:
    """Make the call.

    Raises:
        Misuse: the tool or the answers do not fit the module.
    """
    async with Workers() as workers:
        try:
            worker = await workers.start(request.spec)
            return await call_on(worker, request, source, follow)
        except WorkerFailed as failed:
            death = failed.death
            return _without_call(request, DIED, f"{death.sentence} {death.next_step}", {"output": failed.output})
        except Misuse as error:
            # Not from within: the workers' task group would wrap it.
            wrong = error
    raise wrong


async def call_on(worker: Worker, request: Request, source: Source, follow: Follow) -> Made:
    """Make the call on a worker that has loaded the module.

    Raises:
        Misuse: the tool or the answers do not fit the module.
    """
    survey = worker.survey
    if not all(server.get("served", True) for server in survey["servers"]) or not survey["servers"]:
        lines = [line for problem in survey["problems"] for line in problem_lines(problem)]
        return _without_call(request, NOT_LOADED, "\n".join(lines), {"problems": survey["problems"]})
    index, tool = find_tool(survey, request.tool)
    remarks = [note] if (note := survey.get("engine_note")) else []
    if request.answers is not None:
        answers = Answers(request.answers, tool["nodes"])
        remarks += _unknown(answers, tool)
        source = answered_from(answers)
    call = Call(worker, index, tool, request.arguments, request.client)
    call.log.subscribe(follow)
    async with answered(call, source, request.timeout):
        await call.run()
    return Made(document_of(call.log), _code(call.log), tuple(remarks))


@asynccontextmanager
async def answered(call: Call, source: Source, timeout: float | None = None) -> AsyncIterator[None]:
    """While the body lasts, `source` answers the call's questions; after `timeout` seconds the call is stopped."""
    send, receive = anyio.create_memory_object_stream[ev.QuestionAsked](float("inf"))

    def on_record(record: Recorded) -> None:
        if isinstance(record.event, ev.QuestionAsked):
            send.send_nowait(record.event)

    call.log.subscribe(on_record)
    with send, receive:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_answer, call, source, receive)
            if timeout is not None:
                tasks.start_soon(_time_out, call, timeout)
            yield
            tasks.cancel_scope.cancel()


async def _answer(call: Call, source: Source, questions: MemoryObjectReceiveStream[ev.QuestionAsked]) -> None:
    missing = refused = False
    async for asked in questions:
        answer = await source(asked)
        if answer is None:
            missing = True
        else:
            refused = refused or "error" in answer
            with suppress(QuestionSettled):
                call.answer(asked.id, answer)
        if questions.statistics().current_buffer_used:
            continue
        # Only once the whole round was gone through: what is answered stands, and a refusal ends the call by itself.
        if missing and not refused:
            call.stop(ev.CallEnded("unanswered"))
        missing = refused = False


async def _time_out(call: Call, seconds: float) -> None:
    await anyio.sleep(seconds)
    message = f"The call did not end within {seconds:g} s and was stopped. Give it more with --timeout, or look at "
    message += "what still ran: the last events of the document tell."
    call.stop(ev.CallEnded("died", error=error_json(message)))


def _unknown(answers: Answers, tool: Mapping[str, Any]) -> list[str]:
    names = sorted({node["name"] for node in tool["nodes"] if node["key"] is not None})
    known = f"Its resolvers: {', '.join(names) or 'none'}."
    return [f"--answers names {name!r}, which is no resolver of this tool. {known}" for name in answers.unknown]


def answered_from(answers: Answers) -> Source:
    async def source(asked: ev.QuestionAsked) -> Answer | None:
        return answers.next_for(asked)

    return source


def document_of(log: CallLog) -> dict[str, Any]:
    records = log.records()
    start = records[0].event
    assert isinstance(start, ev.CallStarted), "a call's first record is its start"
    return call_document(start, records)


def _code(log: CallLog) -> int:
    end = log.records()[-1].event
    assert isinstance(end, ev.CallEnded), "a call's last record is its end"
    return _CODES[end.status]


def _without_call(request: Request, code: int, message: str, data: Mapping[str, Any]) -> Made:
    client = request.client
    start = ev.CallStarted(
        request.tool, request.arguments, client.era, tuple(sorted(client.capabilities)), request.spec.engine
    )
    return Made({**call_document(start, ()), "error": error_json(message, data)}, code)
