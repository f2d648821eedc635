"""Where the SDK's serving is listened to, or made to last: what neither the engine nor the client can see.

Each tap replaces one method for the life of the worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer, exceptions
from mcp.server.mcpserver.tools.base import Tool
from mcp.server.request_state import AESGCMRequestStateCodec, RequestStateBoundary
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import JSONRPCRequest

from resolver_runtime.events import Emit, QuestionSent, StateSealed
from resolver_runtime.executor import asking
from resolver_runtime.patches import Patches

NO_CLOCK_SECONDS = 10 * 365 * 24 * 3600.0
"""The lifetime of a request state whose server says nothing about it: nobody is hurried by a default."""

_ERROR: type[Exception] = getattr(exceptions, "UnexpectedToolError", exceptions.ToolError)
"""What the SDK raises for an exception it did not expect; mcp 2.0 has no class of its own for it."""

_QUESTIONS = ("elicitation/create", "sampling/createMessage", "roots/list")


def tap_questions(emit: Emit) -> None:
    """Tell which JSON-RPC request carries which resolver's question: in the handshake era the wire does not say."""
    theirs = JSONRPCDispatcher._write

    async def write(dispatcher: Any, message: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(message, JSONRPCRequest) and message.method in _QUESTIONS:
            emit(QuestionSent(message.id, asking.get()))
        await theirs(dispatcher, message, *args, **kwargs)

    Patches().replace(JSONRPCDispatcher, "_write", write)


def tap_states(emit: Emit, with_policy: list[MCPServer]) -> None:
    """Tell each request state that is sealed, opened up."""
    theirs = RequestStateBoundary._seal
    own = {id(_boundary(server)) for server in with_policy}

    def seal(boundary: RequestStateBoundary, ctx: Any, state: str, *args: Any) -> str:
        token = theirs(boundary, ctx, state, *args)
        issued = time.time()
        emit(StateSealed(state, len(token), issued, issued + boundary._security.ttl, id(boundary) in own))
        return token

    Patches().replace(RequestStateBoundary, "_seal", seal)


def keep_states(server: MCPServer, key: str) -> None:
    """For a server without a policy of its own: states that outlive the worker, and no clock on the person."""
    security = _boundary(server)._security
    security.codec = AESGCMRequestStateCodec([bytes.fromhex(key)])
    security.ttl = NO_CLOCK_SECONDS


def guard_runs(finished: Callable[[], None]) -> None:
    """Call `finished` when a tool's code has ended, before its result leaves.

    `sys.exit()` in it fails that call: it would end the whole server, without a word.
    """
    theirs = Tool.run

    async def run(tool: Tool, *args: Any, **kwargs: Any) -> Any:
        try:
            return await theirs(tool, *args, **kwargs)
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            raise _ERROR(f"Error executing tool {tool.name}") from error
        finally:
            finished()

    Patches().replace(Tool, "run", run)


def _boundary(server: MCPServer) -> RequestStateBoundary:
    middleware = server._lowlevel_server.middleware
    return next(one for one in middleware if isinstance(one, RequestStateBoundary))
