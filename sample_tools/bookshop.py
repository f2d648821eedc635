"""Try: call order_book for "Neuromancer" and answer the question; then for "Dune", which asks nothing.
The schema shows `title` alone: resolvers fill the stock and the customer's word, and the model sees neither.
"""

from typing import Annotated

from mcp.server.mcpserver import Elicit, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CreateMessageResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

mcp = MCPServer("Bookshop")

SHELF = {"Dune": 7, "Neuromancer": 0}
RESTOCK = "2-3 weeks"


class Backorder(BaseModel):
    confirm: bool = Field(title="Order anyway", description="The book ships when it is back in stock.")


def check_stock(title: str) -> int:
    """Copies on the shelf; `title` is the tool's argument of the same name."""
    return SHELF.get(title, 0)


def confirm_backorder(title: str, stock: Annotated[int, Resolve(check_stock)]) -> Backorder | Elicit[Backorder]:
    """Asks only when it must: a book on the shelf needs nobody's word."""
    if stock:
        return Backorder(confirm=False)
    return Elicit(f"{title!r} is out of stock ({RESTOCK}). Order anyway?", Backorder)


def pick_title(genre: str) -> Sample:
    """The client's model picks; this server needs none of its own."""
    wish = f"Name one {genre} novel worth reading today. Reply with its title and nothing else."
    return Sample([SamplingMessage(role="user", content=TextContent(text=wish))], max_tokens=40)


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


@mcp.tool()
def reserve_book(title: str, stock: Annotated[int, Resolve(check_stock)]) -> str:
    """Reserve one copy of a book."""
    if stock == 0:
        return f"{title!r} is out of stock."
    return f"Reserved {title!r} ({stock - 1} copies left)."


@mcp.tool()
def recommend_book(genre: str, pick: Annotated[CreateMessageResult, Resolve(pick_title)]) -> str:
    """Recommend a book of a genre."""
    if not isinstance(pick.content, TextContent):
        raise ToolError(f"The model answered with {pick.content.type}; a title in words was needed.")
    return f"Today's {genre} pick: {pick.content.text}."
