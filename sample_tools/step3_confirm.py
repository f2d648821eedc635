"""Try: order "Dune" (nothing is asked), then "Neuromancer": answer Yes, answer No, and decline the question.
A No is an answer the tool works with; declining gives it no answer at all, and the call ends with an error.
"""

from typing import Annotated

from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import BaseModel, Field

mcp = MCPServer("Bookshop, step 3")

SHELF = {"Dune": 7, "Neuromancer": 0}
RESTOCK = "2-3 weeks"


class Backorder(BaseModel):
    confirm: bool = Field(title="Order anyway", description="The book ships when it is back in stock.")


def check_stock(title: str) -> int:
    return SHELF.get(title, 0)


def confirm_backorder(title: str, stock: Annotated[int, Resolve(check_stock)]) -> Backorder | Elicit[Backorder]:
    """Asks only when it must: a book on the shelf needs nobody's word."""
    if stock:
        return Backorder(confirm=False)
    return Elicit(f"{title!r} is out of stock ({RESTOCK}). Order anyway?", Backorder)


@mcp.tool()
def order_book(
    title: str,
    stock: Annotated[int, Resolve(check_stock)],
    backorder: Annotated[Backorder, Resolve(confirm_backorder)],
) -> str:
    """Order a book, or put it on backorder if the customer agrees."""
    if stock:
        return f"Ordered {title!r}."
    if backorder.confirm:
        return f"Backordered {title!r}; it ships in {RESTOCK}."
    return "No order placed."
