"""Our executor against the SDK's: the same tools, in this process, in turns, without a wire between."""

import asyncio
import time
from collections.abc import Callable, Mapping
from statistics import median
from types import SimpleNamespace
from typing import Annotated, Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import (
    ClientCapabilities,
    ElicitationCapability,
    ElicitResult,
    InputRequiredResult,
    InputResponseRequestParams,
)
from pydantic import BaseModel

import resolver_runtime
from benchmarks.rows import Row
from resolver_runtime.events import Event

CALLS = 50
"""In one turn; so that what else the machine does falls on both."""
TURNS = 15
RESOLVERS = 10


class Answer(BaseModel):
    text: str


Request = Callable[[], Context]
Observer = Callable[[Event], None]


def run() -> list[Row]:
    rows: list[Row] = []
    for name, (tool, request) in _cases().items():
        mcp = MCPServer("bench")
        mcp.add_tool(tool)
        rows += asyncio.run(_rows(name, mcp, request))
    return rows


def _cases() -> Mapping[str, tuple[Callable[..., Any], Request]]:
    asks = _tool([_question(number) for number in range(RESOLVERS)])
    return {
        f"{RESOLVERS} async resolvers": (_tool([_async_value() for _ in range(RESOLVERS)]), lambda: _context(None)),
        f"{RESOLVERS} sync resolvers": (_tool([_sync_value() for _ in range(RESOLVERS)]), lambda: _context(None)),
        f"a round of {RESOLVERS} questions": (asks, lambda: _context(None)),
        f"a round of {RESOLVERS} answers": (asks, _answered(asks)),
    }


async def _rows(name: str, mcp: MCPServer, request: Request) -> list[Row]:
    events: list[Event] = []
    await _turn(mcp, request, events.append)
    of_a_call = len(events) / CALLS
    turns = [
        (await _turn(mcp, request), await _turn(mcp, request, _nobody), await _turn(mcp, request, events.append))
        for _ in range(TURNS)
    ]
    theirs = median(turn[0] for turn in turns)
    silent, told = (median(turn[column] / turn[0] for turn in turns) for column in (1, 2))
    each = (told - 1) * theirs / of_a_call
    return [
        Row(f"executor, {name}: no-op observer", f"{silent:.2f} ×", "≤ 1.15 ×", f"1.00 × ({1e6 * theirs:.0f} µs)"),
        Row(f"executor, {name}: events kept", f"{told:.2f} ×", "≤ 1.15 ×", "1.00 ×"),
        Row(f"executor, {name}: over the SDK's, per event", f"{1e6 * each:.1f} µs", "≤ 3 µs"),
    ]


async def _turn(mcp: MCPServer, request: Request, observer: Observer | None = None) -> float:
    """Seconds of one call, on our executor if somebody observes, else on the SDK's."""
    if observer is not None:
        assert resolver_runtime.install(observer) is None
    try:
        [tool] = await mcp.list_tools()
        contexts = [request() for _ in range(CALLS)]
        began = time.perf_counter()
        for context in contexts:
            await mcp.call_tool(tool.name, {"title": "Dune"}, context)
        return (time.perf_counter() - began) / CALLS
    finally:
        resolver_runtime.uninstall()


def _nobody(event: Event) -> None:
    """The cheapest observer."""


def _tool(resolvers: list[Callable[..., Any]]) -> Callable[..., Any]:
    """A tool with a parameter for each resolver."""

    parameters = ", ".join(
        f"value{number}: Annotated[Any, Resolve(resolvers[{number}])]" for number in range(RESOLVERS)
    )
    names: dict[str, Any] = {"Annotated": Annotated, "Any": Any, "Resolve": Resolve, "resolvers": resolvers}
    exec(f"async def tool(title: str, {parameters}) -> str: return title", names)
    made: Callable[..., Any] = names["tool"]
    return made


def _async_value() -> Callable[..., Any]:
    async def value(title: str) -> str:
        return title

    return value


def _sync_value() -> Callable[..., Any]:
    def value(title: str) -> str:
        return title

    return value


def _question(number: int) -> Callable[..., Any]:
    async def question(title: str) -> Elicit[Answer]:
        return Elicit(f"{title}, {number}?", Answer)

    return question


def _answered(tool: Callable[..., Any]) -> Request:
    """The request that brings the answers to all questions of the tool's first round."""
    mcp = MCPServer("bench")
    mcp.add_tool(tool)
    first = asyncio.run(mcp.call_tool("tool", {"title": "Dune"}, _context(None)))
    assert isinstance(first, InputRequiredResult)
    answer = ElicitResult(action="accept", content={"text": "yes"})
    params = InputResponseRequestParams(
        input_responses=dict.fromkeys(first.input_requests or {}, answer), request_state=first.request_state
    )
    return lambda: _context(params)


def _context(params: InputResponseRequestParams | None) -> Context:
    """A request of the modern era by a client that answers forms."""
    capabilities = ClientCapabilities(elicitation=ElicitationCapability())
    session: Any = SimpleNamespace(client_capabilities=capabilities, can_send_request=False)
    request: Any = ServerRequestContext(
        session=session, lifespan_context=None, protocol_version="2026-07-28", method="tools/call", request_id=1
    )
    return Context(request_context=request, input_params=params)
