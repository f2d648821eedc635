"""The worker killed at twenty named places of a call: each call comes to one end, and says why."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from app.calls import Recorded
from app.client.call import Call
from app.client.settings import ClientSettings
from app.workers import ModuleSpec, Workers
from resolver_runtime import events as ev
from resolver_runtime.events import Era

pytestmark = pytest.mark.anyio

WAIT_SECONDS = 30
MODULE = """
from typing import Annotated
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from pydantic import BaseModel
mcp = MCPServer("killed")
class Answer(BaseModel):
    text: str
def look_up(title: str) -> int:
    print("looking")
    return 1
def first(number: Annotated[int, Resolve(look_up)]) -> Elicit[Answer]:
    return Elicit("First?", Answer)
def second(one: Annotated[Answer, Resolve(first)]) -> Elicit[Answer]:
    return Elicit("Second?", Answer)
@mcp.tool()
async def decide(
    title: str,
    number: Annotated[int, Resolve(look_up)],
    one: Annotated[Answer, Resolve(first)],
    two: Annotated[Answer, Resolve(second)],
    ctx: Context,
) -> str:
    await ctx.report_progress(1, 2)
    return one.text + two.text
"""

PLACES: Mapping[str, tuple[Era, type[ev.Event], int]] = {
    "as the call begins": ("2026-07-28", ev.CallStarted, 1),
    "as the first message leaves": ("2026-07-28", ev.WireMessage, 1),
    "as the first answer comes": ("2026-07-28", ev.WireMessage, 2),
    "as the tool is called": ("2026-07-28", ev.WireMessage, 3),
    "as the first round begins": ("2026-07-28", ev.RoundStarted, 1),
    "as the arguments are validated": ("2026-07-28", ev.ArgumentsValidated, 1),
    "as a resolver starts": ("2026-07-28", ev.ResolverStarted, 1),
    "as a resolver prints": ("2026-07-28", ev.Printed, 1),
    "as a resolver returns": ("2026-07-28", ev.ResolverReturned, 1),
    "as a resolver asks": ("2026-07-28", ev.ResolverAsked, 1),
    "as the state is sealed": ("2026-07-28", ev.StateSealed, 1),
    "while a question waits": ("2026-07-28", ev.QuestionAsked, 1),
    "as a question is answered": ("2026-07-28", ev.QuestionAnswered, 1),
    "as a round ends": ("2026-07-28", ev.RoundEnded, 1),
    "as the second round begins": ("2026-07-28", ev.RoundStarted, 2),
    "while the second question waits": ("2026-07-28", ev.QuestionAsked, 2),
    "as a resolver runs again": ("2026-07-28", ev.ResolverStarted, 3),
    "as an answer is taken": ("2026-07-28", ev.OutcomeAnswered, 1),
    "while a question waits in the handshake era": ("2025-11-25", ev.QuestionAsked, 1),
    "as the second answer is sent in the handshake era": ("2025-11-25", ev.QuestionAnswered, 2),
}


@pytest.mark.parametrize(("era", "kind", "nth"), PLACES.values(), ids=PLACES.keys())
async def test_a_worker_killed_there_gives_its_call_one_end(
    tmp_path: Path, era: Era, kind: type[ev.Event], nth: int
) -> None:
    (tmp_path / "killed.py").write_text(MODULE)
    async with Workers() as workers:
        worker = await workers.start(ModuleSpec(str(tmp_path / "killed.py")))
        call = Call(worker, 0, worker.survey["servers"][0]["tools"][0], {"title": "Dune"}, ClientSettings(era))
        met = 0

        def kill_at(record: Recorded) -> None:
            nonlocal met
            met += isinstance(record.event, kind)
            if isinstance(record.event, kind) and met == nth:
                os.kill(worker.pid, signal.SIGKILL)
            elif isinstance(record.event, ev.QuestionAsked):
                call.answer(record.event.id, {"action": "accept", "content": {"text": "x"}})

        call.log.subscribe(kill_at)
        with anyio.fail_after(WAIT_SECONDS):
            await call.run()
    ends = [record.event for record in call.log.records() if isinstance(record.event, ev.CallEnded)]
    assert met >= nth, "the place was never reached"
    assert ends == [call.log.records()[-1].event]
    assert ends[0].status == "died"
    assert ends[0].error is not None
    assert "killed from outside" in ends[0].error["message"]
