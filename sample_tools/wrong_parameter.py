"""Try: open this module. It is broken on purpose: nothing says where the resolver's parameter `isbn` comes from.
To mend it, add an argument `isbn` to the tool, or give the parameter a resolver of its own.
"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, Resolve

mcp = MCPServer("Broken: a parameter from nowhere")


def find_shelf(isbn: str) -> str:
    return f"shelf {isbn[-1]}"


@mcp.tool()
def locate_book(title: str, shelf: Annotated[str, Resolve(find_shelf)]) -> str:
    """Say where a book stands."""
    return f"{title!r} stands on {shelf}."
