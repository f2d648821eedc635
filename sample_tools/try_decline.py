"""Try: call sign_guestbook and accept, decline, and cancel. None of the three is an error here.
The parameter is an ElicitationResult: the tool gets the whole outcome, and decides what a refusal means.
"""

from typing import Annotated

from mcp.server.mcpserver import AcceptedElicitation, DeclinedElicitation, Elicit, ElicitationResult, MCPServer, Resolve
from pydantic import BaseModel, Field

mcp = MCPServer("Guestbook")


class Entry(BaseModel):
    name: str = Field(title="Name", min_length=1)
    remark: str = Field("", title="Remark", max_length=200)


def ask_entry() -> Elicit[Entry]:
    return Elicit("What shall we write into the guestbook?", Entry)


@mcp.tool()
def sign_guestbook(entry: Annotated[ElicitationResult[Entry], Resolve(ask_entry)]) -> str:
    """Sign the guestbook, or leave without."""
    if isinstance(entry, AcceptedElicitation):
        return f"{entry.data.name} wrote: {entry.data.remark or '(nothing)'}"
    if isinstance(entry, DeclinedElicitation):
        return "The guest would rather not sign."
    return "The guest closed the book without an answer."
