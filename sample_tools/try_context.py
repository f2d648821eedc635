"""Try: call greet, then add the header `X-Shop-Branch: Lisbon` to the client's settings and call again.
The Log shows the tool's own lines and its progress; `Context` reaches resolvers and the tool, never the model.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer, Resolve


@dataclass(frozen=True)
class Shop:
    """What the server opens once, when it starts, and closes at its end."""

    greetings: dict[str, str]


@asynccontextmanager
async def open_shop(server: MCPServer[Shop]) -> AsyncIterator[Shop]:
    print(f"{server.name} opens")
    yield Shop(greetings={"Lisbon": "Bom dia", "Paris": "Bonjour"})
    print(f"{server.name} closes")


mcp = MCPServer("Reception", lifespan=open_shop)


def find_branch(ctx: Context[Any, Any]) -> str:
    """The branch a request names in its headers; a client in the same process sends none."""
    return (ctx.headers or {}).get("x-shop-branch", "the main branch")


def find_greeting(branch: Annotated[str, Resolve(find_branch)], ctx: Context[Shop, Any]) -> str:
    return ctx.request_context.lifespan_context.greetings.get(branch, "Welcome")


@mcp.tool()
async def greet(
    name: str,
    branch: Annotated[str, Resolve(find_branch)],
    greeting: Annotated[str, Resolve(find_greeting)],
    ctx: Context[Shop, Any],
) -> str:
    """Greet a visitor as the branch does."""
    await ctx.report_progress(1, 2, "found the visitor's branch")
    print(f"greeting {name}")
    await ctx.report_progress(2, 2, "found the words")
    return f"{greeting}, {name}, from {branch}!"
