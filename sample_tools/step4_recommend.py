"""Try: call recommend_book with the genre "mystery", and play the model: answer with the title of a book.
Then switch the capability `sampling` off and call again: the server refuses, and says what it would have needed.
"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CreateMessageResult, SamplingMessage, TextContent

mcp = MCPServer("Bookshop, step 4")


def pick_title(genre: str) -> Sample:
    """The client's model picks; this server needs none of its own."""
    wish = f"Name one {genre} novel worth reading today. Reply with its title and nothing else."
    return Sample(
        [SamplingMessage(role="user", content=TextContent(text=wish))],
        system_prompt="You are a bookseller with good taste and few words.",
        max_tokens=40,
    )


@mcp.tool()
def recommend_book(genre: str, pick: Annotated[CreateMessageResult, Resolve(pick_title)]) -> str:
    """Recommend a book of a genre."""
    if not isinstance(pick.content, TextContent):
        raise ToolError(f"The model answered with {pick.content.type}; a title in words was needed.")
    return f"Today's {genre} pick: {pick.content.text}."
