"""Try: call order_book for "Dune" and for "Neuromancer"; estimate_delivery depends on check_stock, as the tool does.
The counter on check_stock says 1: two parameters need the stock, and it is looked up once per round.
"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, Resolve

mcp = MCPServer("Bookshop, step 2")

SHELF = {"Dune": 7, "Neuromancer": 0}


def check_stock(title: str) -> int:
    return SHELF.get(title, 0)


def estimate_delivery(stock: Annotated[int, Resolve(check_stock)]) -> str:
    """When a book would arrive, told from whether it is on the shelf."""
    return "tomorrow" if stock else "in 2-3 weeks"


@mcp.tool()
def order_book(
    title: str,
    stock: Annotated[int, Resolve(check_stock)],
    delivery: Annotated[str, Resolve(estimate_delivery)],
) -> str:
    """Order a book and say when it arrives."""
    if stock == 0:
        return f"{title!r} is on backorder; it would arrive {delivery}."
    return f"Ordered {title!r}; it arrives {delivery}."
