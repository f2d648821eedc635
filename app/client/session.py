"""The SDK's client session, made to declare any capabilities and to send any answer just as it was written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions, DispatchContext
from mcp.shared.transport_context import TransportContext

from app.client.connection import Receiving, Sending
from app.client.questions import kind_of
from resolver_runtime.events import Era, QuestionKind

MODERN: Era = "2026-07-28"

OnQuestion = Callable[[types.RequestId | None, QuestionKind, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Given the request's JSON-RPC id, its kind and its params; returns the answer or raises MCPError."""


class SimulatedSession(ClientSession):
    """One session of the simulated client. The typed calls of its parent would check what goes out; these do not."""

    def __init__(self, read: Receiving, write: Sending, capabilities: frozenset[str], on_question: OnQuestion) -> None:
        super().__init__(
            read,
            write,
            client_info=types.Implementation(name="resolver-playground", version="0.1.0"),
            log_level="debug",
        )
        self._declared = capabilities
        self._on_question = on_question

    async def greet(self, era: Era) -> None:
        """Negotiate the era. Raises: MCPError, RuntimeError if the server does not speak it."""
        if era == MODERN:
            await self.discover()
        else:
            await self.initialize()

    async def call(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """One `tools/call` with these params; the result as it came. Raises: MCPError."""
        data: dict[str, Any] = {"method": "tools/call", "params": dict(params)}
        # A request without a listener for its progress asks the server for none.
        options: CallOptions = {"on_progress": _heard_elsewhere}
        self._stamp(data, options)
        return await self._dispatcher.send_raw_request(data["method"], data["params"], options)

    def _build_capabilities(self, version: str) -> types.ClientCapabilities:  # noqa: ARG002 - one for both eras
        return declaration(self._declared)

    async def _on_request(
        self, dctx: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        kind = kind_of(method, params or {})
        if kind is None:
            return await super()._on_request(dctx, method, params)
        return await self._on_question(dctx.request_id, kind, params or {})


def declaration(capabilities: frozenset[str]) -> types.ClientCapabilities:
    """The capabilities, named as in the contract, as they are declared on the wire."""
    form = types.FormElicitationCapability() if "elicitation.form" in capabilities else None
    url = types.UrlElicitationCapability() if "elicitation.url" in capabilities else None
    tools = types.SamplingToolsCapability() if "sampling.tools" in capabilities else None
    return types.ClientCapabilities(
        elicitation=types.ElicitationCapability(form=form, url=url) if form or url else None,
        sampling=types.SamplingCapability(tools=tools) if tools or "sampling" in capabilities else None,
        roots=types.RootsCapability(list_changed=True) if "roots" in capabilities else None,
    )


async def _heard_elsewhere(progress: float, total: float | None, message: str | None) -> None:
    """Progress is recorded where messages pass, in their order; here it would come after the result."""
