"""A request without a client: for what no client of the SDK's would send, and for what no wire shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ClientCapabilities, ElicitationCapability, ListRootsResult

from tests.resolver_runtime.driving import ANA, ROOTS, completion


class Session:
    """What the engine needs of the SDK's session; every question gets the same answer."""

    def __init__(self, can_send_request: bool = True) -> None:
        self.client_capabilities: ClientCapabilities | None = ClientCapabilities(elicitation=ElicitationCapability())
        self.can_send_request = can_send_request
        self.sent: list[tuple[str, Any]] = []

    async def elicit_form(self, message: str, requested_schema: Mapping[str, Any], related_request_id: str) -> Any:
        self.sent.append(("elicitation/create", related_request_id))
        return ANA

    async def send_request(self, request: Any, result_type: Any, *, metadata: ServerMessageMetadata) -> Any:
        self.sent.append((request.method, metadata.related_request_id))
        return ROOTS if result_type is ListRootsResult else completion("so")


def context(session: Session, version: str) -> Context:
    request: Any = ServerRequestContext(
        session=session,  # type: ignore[arg-type]
        lifespan_context=None,
        protocol_version=version,
        method="tools/call",
        request_id=17,
    )
    return Context(request_context=request)
