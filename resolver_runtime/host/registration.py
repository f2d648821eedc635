"""What is learned while a user's module registers its tools: which are broken, and which server has a policy.

The SDK raises at the first broken tool, and the module serves nothing. Here the module goes on loading, so that its
other tools can be looked at; that it would serve nothing is kept in mind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import InvalidSignature
from mcp.server.mcpserver.tools.tool_manager import ToolManager

from resolver_runtime.describe import name_of
from resolver_runtime.host.problem import Problem, signature_problem
from resolver_runtime.patches import Patches


@dataclass(frozen=True)
class BrokenTool:
    """A tool that could not be registered with the server of `manager`."""

    manager: ToolManager
    name: str
    function: Callable[..., Any]
    problem: Problem


@dataclass
class Registry:
    """`with_policy` are the servers that were given their own protection of request states; `ran` those that ran."""

    broken: list[BrokenTool] = field(default_factory=list)
    with_policy: list[MCPServer] = field(default_factory=list)
    ran: list[MCPServer] = field(default_factory=list)


@contextmanager
def watched() -> Iterator[Registry]:
    """While the body lasts, `MCPServer` and its tools tell the registry, and no server runs."""
    registry, patches = Registry(), Patches()
    patches.replace(ToolManager, "add_tool", _tolerant(ToolManager.add_tool, registry))
    patches.replace(MCPServer, "__init__", _noting_policy(MCPServer.__init__, registry))
    patches.replace(MCPServer, "run", _noting_run(registry))
    for name in ("run_stdio_async", "run_sse_async", "run_streamable_http_async"):
        patches.replace(MCPServer, name, _noting_async_run(registry))
    patches.replace(uvicorn, "run", _not_run)
    try:
        yield registry
    finally:
        patches.undo()


def _tolerant(theirs: Any, registry: Registry) -> Any:
    @functools.wraps(theirs)
    def add_tool(
        manager: ToolManager, fn: Callable[..., Any], name: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        try:
            return theirs(manager, fn, name, *args, **kwargs)
        except InvalidSignature as error:
            known = name or name_of(fn)
            registry.broken.append(BrokenTool(manager, known, fn, signature_problem(error, known, fn)))
            return None

    return add_tool


def _noting_policy(theirs: Any, registry: Registry) -> Any:
    @functools.wraps(theirs)
    def init(server: MCPServer, *args: Any, **kwargs: Any) -> None:
        theirs(server, *args, **kwargs)
        if kwargs.get("request_state_security") is not None:
            registry.with_policy.append(server)

    return init


def _noting_run(registry: Registry) -> Any:
    def run(server: MCPServer, *_args: Any, **_kwargs: Any) -> None:
        registry.ran.append(server)

    return run


def _noting_async_run(registry: Registry) -> Any:
    async def run(server: MCPServer, *_args: Any, **_kwargs: Any) -> None:
        registry.ran.append(server)

    return run


def _not_run(*_args: Any, **_kwargs: Any) -> None:
    """A module that serves its server's application by itself, at import."""
