"""Try: call reserve_book for "Dune", then for "Neuromancer". Nothing is asked; look at how `stock` gets its value.
Look at the schema too: the model sees one property, `title`, and cannot fill or even see `stock`.
"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, Resolve

mcp = MCPServer("Bookshop, step 1")

SHELF = {"Dune": 7, "Neuromancer": 0}


def check_stock(title: str) -> int:
    """Copies on the shelf; `title` is the tool's argument of the same name."""
    return SHELF.get(title, 0)


@mcp.tool()
def reserve_book(title: str, stock: Annotated[int, Resolve(check_stock)]) -> str:
    """Reserve one copy of a book."""
    if stock == 0:
        return f"{title!r} is out of stock."
    return f"Reserved {title!r} ({stock - 1} copies left)."
