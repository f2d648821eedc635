"""Try: call list_projects and answer with a root or two, such as file:///home/ana/novel with the name "Novel".
Call it again with the capability `roots` off: the server refuses, and says what it would have needed.
"""

from typing import Annotated

from mcp.server.mcpserver import ListRoots, MCPServer, Resolve
from mcp_types import ListRootsResult

mcp = MCPServer("Workshop")


def fetch_roots() -> ListRoots:
    return ListRoots()


@mcp.tool()
def list_projects(roots: Annotated[ListRootsResult, Resolve(fetch_roots)]) -> list[str]:
    """List the directories that the client lets servers see."""
    return [root.name or str(root.uri) for root in roots.roots]
