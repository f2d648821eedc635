"""Serves a module's servers over Streamable HTTP on one Unix socket, each call under an address of its own.

The address `/<server>/<call>/mcp` is how an event finds its call: request ids repeat, and headers are the user's.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from resolver_runtime.host.reporter import current_call

MAX_BODY = 256 * 1024 * 1024
"""Bytes of one request: a completion may be large, and the default would leave the client without a word."""
KEEP_ALIVE_SECONDS = 24 * 3600
GRACE_SECONDS = 1


@asynccontextmanager
async def opened(servers: list[MCPServer]) -> AsyncIterator[ASGIApp]:
    """One application for all servers, their lifespans entered. Raises: whatever a lifespan raises."""
    # The socket is reached by name through the file system alone, so a browser cannot be led to it.
    open_to_all = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    apps = [
        server.streamable_http_app(transport_security=open_to_all, max_request_body_size=MAX_BODY) for server in servers
    ]
    async with AsyncExitStack() as lifespans:
        for app in apps:
            await lifespans.enter_async_context(app.router.lifespan_context(app))
        yield _addressed(list(apps))


async def serve(app: ASGIApp, listener: socket.socket, started: Callable[[uvicorn.Server], None]) -> None:
    """Answer on the socket until the server that `started` was given is told to exit."""
    config = uvicorn.Config(
        app,
        log_config=None,
        lifespan="off",
        ws="none",
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    started(server)
    await server.serve([listener])


def _addressed(apps: list[ASGIApp]) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def addressed(scope: Scope, receive: Receive, send: Send) -> None:
        _, server, call, *rest = scope["path"].split("/")
        path = "/" + "/".join(rest)
        token = current_call.set(call)
        try:
            await apps[int(server)]({**scope, "path": path, "raw_path": path.encode()}, receive, send)
        finally:
            current_call.reset(token)

    return addressed
