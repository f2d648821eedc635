"""What a real worker tells of questions: the state that carries them, and whose they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from app.client.connection import connected
from app.client.session import SimulatedSession
from app.client.settings import DEFAULT_CAPABILITIES
from app.workers import Worker, Workers, new_key
from tests.app.working import WAIT_SECONDS, called, of_type, started, working

pytestmark = pytest.mark.anyio

ASKING = """
from typing import Annotated
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.server.request_state import RequestStateSecurity
from pydantic import BaseModel
class Agreement(BaseModel):
    yes: bool
def agree() -> Elicit[Agreement]:
    return Elicit('Really?', Agreement)
mcp = MCPServer('s')
@mcp.tool()
async def act(agreement: Annotated[Agreement, Resolve(agree)]) -> str:
    return str(agreement.yes)
@mcp.tool()
async def both(agreement: Annotated[Agreement, Resolve(agree)], ctx: Context) -> str:
    return (await ctx.elicit('Truly?', Agreement)).action
"""
YES = {"action": "accept", "content": {"yes": True}}
YEAR = 365 * 24 * 3600


async def test_the_state_is_told_opened_up_and_hurries_nobody(tmp_path: Path) -> None:
    async with working(tmp_path, ASKING) as worker:
        sealed = of_type(await called(worker, answers={"agree": YES}), "state_sealed")
    assert [one["own_policy"] for one in sealed] == [False]
    assert '"shop:agree"' in sealed[0]["plain"]
    assert sealed[0]["expires"] - sealed[0]["issued"] > YEAR


async def test_a_policy_of_the_servers_own_stays_as_it_is(tmp_path: Path) -> None:
    policy = "MCPServer('s', request_state_security=RequestStateSecurity(keys=[b'k' * 32], ttl=60))"
    async with working(tmp_path, ASKING.replace("MCPServer('s')", policy)) as worker:
        made = await called(worker, answers={"agree": YES})
    sealed = of_type(made, "state_sealed")
    assert made.code == 0
    assert [(one["own_policy"], one["expires"] - one["issued"]) for one in sealed] == [(True, 60)]


async def test_in_the_handshake_era_each_question_is_known_as_its_resolvers_or_the_bodys(tmp_path: Path) -> None:
    answers = {"agree": YES, "elicitation/create": {"action": "decline"}}
    async with working(tmp_path, ASKING) as worker:
        made = await called(worker, "both", answers=answers, era="2025-11-25")
    assert made.document["result"]["content"][0]["text"] == "decline"
    assert [event["key"] for event in of_type(made, "question_sent")] == ["shop:agree", None]


async def test_a_worker_reads_the_state_that_the_one_before_it_sealed(tmp_path: Path) -> None:
    async with Workers() as workers:
        key = new_key()
        first = await started(workers, tmp_path, ASKING, key=key)
        asked = await requested(first, {"name": "act", "arguments": {}})
        await first.kill()
        second = await started(workers, tmp_path, ASKING, key=key)
        retry = {"requestState": asked["requestState"], "inputResponses": dict.fromkeys(asked["inputRequests"], YES)}
        result = await requested(second, {"name": "act", "arguments": {}, **retry})
    assert result["content"][0]["text"] == "True"


async def requested(worker: Worker, params: Mapping[str, Any]) -> dict[str, Any]:
    """One request in a session of its own."""

    async def unasked(*_: Any) -> dict[str, Any]:
        raise AssertionError("the modern era asks in its results")

    with anyio.fail_after(WAIT_SECONDS):
        async with (
            connected(worker.socket, "/0/call/mcp", {}, lambda *_: None) as (read, write),
            SimulatedSession(read, write, DEFAULT_CAPABILITIES, unasked) as session,
        ):
            await session.greet("2026-07-28")
            return await session.call(params)
