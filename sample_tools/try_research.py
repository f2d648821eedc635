"""Try: call research with a question, and answer as a model that wants a tool: pick `search_catalogue`.
This needs the capability `sampling.tools`; without it the server refuses before anything is asked.
"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, Resolve, Sample
from mcp_types import (
    CreateMessageResultWithTools,
    SamplingMessage,
    TextContent,
    Tool,
    ToolChoice,
    ToolUseContent,
)

mcp = MCPServer("Research desk")

CATALOGUE = Tool(
    name="search_catalogue",
    description="Search the library's catalogue.",
    input_schema={"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
)


def plan_research(question: str) -> Sample:
    """Lets the client's model either answer or name a tool it would use."""
    return Sample(
        [SamplingMessage(role="user", content=TextContent(text=question))],
        system_prompt="Answer from what you know, or use a tool.",
        max_tokens=300,
        tools=[CATALOGUE],
        tool_choice=ToolChoice(mode="auto"),
    )


@mcp.tool()
def research(question: str, plan: Annotated[CreateMessageResultWithTools, Resolve(plan_research)]) -> str:
    """Find out what the client's model would do to answer a question."""
    return " ".join([f"{question}:", *(describe(block) for block in plan.content_as_list)])


def describe(block: object) -> str:
    if isinstance(block, ToolUseContent):
        return f"it would use {block.name} with {block.input}."
    if isinstance(block, TextContent):
        return f"it says {block.text!r}."
    return f"it answers with {type(block).__name__}."
