"""Try: open this module. It is broken on purpose: two resolvers need each other, so neither can ever run.
The page draws the cycle; to mend it, let `find_rate` take a currency from the tool's arguments instead.
"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, Resolve

mcp = MCPServer("Broken: a cycle")


def convert_price(rate: "Annotated[float, Resolve(find_rate)]") -> float:
    return 10 * rate


def find_rate(price: Annotated[float, Resolve(convert_price)]) -> float:
    return 0.9 if price > 100 else 1.1


@mcp.tool()
def quote_price(title: str, price: Annotated[float, Resolve(convert_price)]) -> str:
    """Quote the price of a book in another currency."""
    return f"{title!r} costs {price:.2f}."
