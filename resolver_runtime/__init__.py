"""Our own runtime for the resolvers of MCP tools, with an event for everything that happens.

`install` puts it in the SDK's place in this process. Nothing else is imported here: whoever only reads our values
(`graph`, `events`) does not pay for `mcp`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resolver_runtime.events import Emit

__all__ = ["install", "uninstall"]


def install(emit: Emit | None = None) -> str | None:
    """Put our analysis, execution and state in place of the SDK's, for every `MCPServer` there is or will be.

    `emit` is told every event (see `resolver_runtime.events`), on the task or thread where it happens; it must not
    raise. A second call replaces it. Returns None, or the sentence that says why the installed `mcp` has no place for
    ours: then the SDK's own executor runs, unobserved.
    """
    from resolver_runtime import seam

    return seam.install(emit)


def uninstall() -> None:
    """Give the SDK its own back; tools registered in between go on working. Without `install` it does nothing."""
    from resolver_runtime import seam

    seam.uninstall()
