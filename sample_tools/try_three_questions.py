"""Try: call write_card: in 2026-07-28 all three questions come in one round, in 2025-11-25 one after the other.
Answer them in any order; the round goes on its way when the last one is settled.
"""

from typing import Annotated, Literal

from mcp.server.mcpserver import Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

mcp = MCPServer("Card writer")


class Style(BaseModel):
    tone: Literal["formal", "warm", "funny"] = Field(title="Tone")


def ask_style(recipient: str) -> Elicit[Style]:
    return Elicit(f"How shall the card to {recipient} sound?", Style)


def draft_text(recipient: str) -> Sample:
    wish = f"Write one sentence for a card to {recipient}."
    return Sample([SamplingMessage(role="user", content=TextContent(text=wish))], max_tokens=80)


def find_folder() -> ListRoots:
    return ListRoots()


@mcp.tool()
def write_card(
    recipient: str,
    style: Annotated[Style, Resolve(ask_style)],
    draft: Annotated[CreateMessageResult, Resolve(draft_text)],
    folder: Annotated[ListRootsResult, Resolve(find_folder)],
) -> str:
    """Write a card from three answers that do not depend on each other."""
    text = draft.content.text if isinstance(draft.content, TextContent) else f"({draft.content.type})"
    place = str(folder.roots[0].uri) if folder.roots else "no folder"
    return f"A {style.tone} card to {recipient}: {text} Saved in {place}."
