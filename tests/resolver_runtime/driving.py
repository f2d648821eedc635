"""Drives tools through the SDK's in-memory client: a person with prepared answers, or the rounds by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp_types import (
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequestParams,
    ElicitResult,
    InputRequiredResult,
    InputResponse,
    ListRootsResult,
    Root,
    SamplingCapability,
    SamplingMessage,
    SamplingToolsCapability,
    TextContent,
)
from pydantic import BaseModel, FileUrl

Mode = Literal["legacy", "2026-07-28"]

WAIT_SECONDS = 10
"""Nothing here waits for anything but answers that are prepared."""


class Login(BaseModel):
    username: str


class Confirm(BaseModel):
    ok: bool


def accept(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


DECLINE = ElicitResult(action="decline")
CANCEL = ElicitResult(action="cancel")
ANA = accept(username="ana")
YES = accept(ok=True)
QUESTION = [SamplingMessage(role="user", content=TextContent(text="Well?"))]
ROOTS = ListRootsResult(roots=[Root(uri=FileUrl("file:///home/ana"), name="home")])


def completion(text: str) -> CreateMessageResult:
    return CreateMessageResult(role="assistant", content=TextContent(text=text), model="a person")


class PlainCodec:
    """Seals nothing: tests read and rewrite what a server remembers."""

    def seal(self, payload: bytes) -> str:
        return payload.decode()

    def unseal(self, token: str) -> bytes:
        return token.encode()


def server() -> MCPServer:
    """A server whose request state lies open."""
    return MCPServer("bench", request_state_security=RequestStateSecurity(codec=PlainCodec()))


def remembered(result: InputRequiredResult) -> dict[str, Any]:
    """The plain request state of a server made by `server`."""
    assert result.request_state
    state: dict[str, Any] = json.loads(json.loads(result.request_state)["s"])
    return state


def rewritten(result: InputRequiredResult, state: Any) -> str:
    """The token with another plain state in it; text goes as it is."""
    assert result.request_state
    plain = state if isinstance(state, str) else json.dumps(state)
    return json.dumps({**json.loads(result.request_state), "s": plain})


def key_of(fn: Callable[..., Any]) -> str:
    return f"{fn.__module__}:{fn.__qualname__}"


@dataclass
class Person:
    """Answers each question by its message; declares what it can answer. `asked` in the order of asking."""

    answers: Mapping[str, ElicitResult] = field(default_factory=dict)
    completion: CreateMessageResult | CreateMessageResultWithTools | None = None
    roots: ListRootsResult | None = None
    forms: bool = True
    tools: bool = False
    asked: list[str] = field(default_factory=list)

    async def on_elicitation(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return self.answers[params.message]

    async def on_sampling(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | CreateMessageResultWithTools:
        assert self.completion
        self.asked.append("sampling")
        return self.completion

    async def on_roots(self, context: ClientRequestContext) -> ListRootsResult:
        assert self.roots
        self.asked.append("roots")
        return self.roots

    def client(self, of: MCPServer, mode: Mode) -> Client:
        return Client(
            of,
            mode=mode,
            elicitation_callback=self.on_elicitation if self.forms else None,
            sampling_callback=None if self.completion is None else self.on_sampling,
            sampling_capabilities=SamplingCapability(tools=SamplingToolsCapability() if self.tools else None),
            list_roots_callback=None if self.roots is None else self.on_roots,
        )


async def call(of: MCPServer, mode: Mode, person: Person | None = None, **arguments: Any) -> CallToolResult:
    """The result of the server's one tool."""
    [tool] = await of.list_tools()
    with anyio.fail_after(WAIT_SECONDS):
        async with (person or Person()).client(of, mode) as client:
            return await client.call_tool(tool.name, arguments)


def text(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


@dataclass
class Hand:
    """Makes each round of a call to one tool."""

    client: Client
    tool: str

    async def round(
        self,
        answers: Mapping[str, InputResponse] | None = None,
        state: str | None = None,
        arguments: dict[str, Any] | None = None,
    ) -> InputRequiredResult | CallToolResult:
        return await self.client.session.call_tool(
            self.tool,
            arguments or {},
            input_responses=dict(answers) if answers else None,
            request_state=state,
            allow_input_required=True,
        )

    async def asks(
        self, answers: Mapping[str, InputResponse] | None = None, state: str | None = None, **arguments: Any
    ) -> InputRequiredResult:
        """The questions with which this round ends."""
        result = await self.round(answers, state, arguments)
        assert isinstance(result, InputRequiredResult), result
        return result

    async def ends(
        self, answers: Mapping[str, InputResponse] | None = None, state: str | None = None, **arguments: Any
    ) -> CallToolResult:
        """The result with which this round ends."""
        result = await self.round(answers, state, arguments)
        assert isinstance(result, CallToolResult), result
        return result


@asynccontextmanager
async def by_hand(of: MCPServer, person: Person | None = None) -> AsyncIterator[Hand]:
    """A client of the modern era that declares every capability, unless a person says otherwise."""
    everything = Person(completion=completion("-"), roots=ROOTS, tools=True)
    [tool] = await of.list_tools()
    with anyio.fail_after(WAIT_SECONDS):
        async with (person or everything).client(of, "2026-07-28") as client:
            yield Hand(client, tool.name)


def asked(result: InputRequiredResult) -> list[str]:
    """The wire keys of the questions."""
    return list(result.input_requests or {})


def message(result: InputRequiredResult, fn: Callable[..., Any]) -> str:
    """What the resolver's elicitation says."""
    params = (result.input_requests or {})[key_of(fn)].params
    assert params
    shown: str = params.model_dump()["message"]
    return shown
