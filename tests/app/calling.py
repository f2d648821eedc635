"""Calls for the tests of the simulated client, and what to ask them afterwards."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

import anyio
import pytest
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import BaseModel

from app.calls import Recorded
from app.client.call import Call
from resolver_runtime import events as ev
from resolver_runtime.events import Era
from tests.app.serving import END_SECONDS

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
    await _recorded(call, ev.QuestionAsked, count)
    return events(call, ev.QuestionAsked)


async def ended(call: Call) -> None:
    """Wait for the end of the call."""
    await _recorded(call, ev.CallEnded, 1)


async def _recorded(call: Call, kind: type[ev.Event], count: int) -> None:
    changed = anyio.Event()
    leave = call.log.subscribe(lambda _: changed.set())
    with anyio.fail_after(END_SECONDS):
        while len(events(call, kind)) < count:
            await changed.wait()
            changed = anyio.Event()
    leave()


def text(end: ev.CallEnded) -> str:
    assert end.result is not None
    return str(end.result["content"][0]["text"])
