"""A problem of a user's module, in the shape of the survey: what, where, and the way out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from resolver_runtime.describe import failure_of, location_of
from resolver_runtime.errors import SignatureProblem
from resolver_runtime.events import Failure, Frame


@dataclass(frozen=True)
class Problem:
    """`code` is short and stable; `file` and `line` the user's code that is meant."""

    code: str
    message: str
    hint: str
    tool: str | None = None
    resolver: str | None = None
    parameter: str | None = None
    file: str | None = None
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def signature_problem(error: BaseException, tool: str, function: Any) -> Problem:
    """A tool that could not be registered."""
    if isinstance(error, SignatureProblem):
        return Problem(
            error.code, str(error), error.hint, tool, error.resolver, error.parameter, error.file, error.line
        )
    file, line = location_of(function)
    hint = "Compare the signature with what the message says; annotations must be importable where the tool is defined."
    return Problem("signature", str(error), hint, tool, file=file, line=line)


def import_problem(error: BaseException) -> Problem:
    """A module that raised while it was imported: the user's own frames tell where."""
    failure = failure_of(error)
    frame = _innermost(failure)
    if isinstance(error, SignatureProblem):
        return signature_problem(error, error.tool or "", None)
    if isinstance(error, SyntaxError):
        place = (error.filename, error.lineno)
        return Problem("syntax", f"{failure.kind}: {error.msg}", "Mend the line.", file=place[0], line=place[1])
    code, hint = _advice(error)
    lines = [f"  {one.file}:{one.line}, in {one.function}: {one.code}" for one in failure.frames if one.user]
    message = "\n".join([f"{failure.kind}: {failure.message}", *lines])
    return Problem(code, message, hint, file=frame.file if frame else None, line=frame.line if frame else None)


def _advice(error: BaseException) -> tuple[str, str]:
    missing = error.name or "" if isinstance(error, ImportError) else ""
    if missing.startswith("mcp.server.fastmcp"):
        return "mcp_v1", (
            "This module is written for mcp 1. In mcp 2, FastMCP is MCPServer: "
            "from mcp.server.mcpserver import MCPServer."
        )
    if missing.split(".")[0] == "fastmcp":
        return "fastmcp", (
            "This module uses the package fastmcp, whose servers have no resolvers. Resolvers come with the SDK's own "
            "MCPServer: from mcp.server.mcpserver import MCPServer."
        )
    if isinstance(error, ModuleNotFoundError):
        return "missing_package", (
            f"Install {missing.split('.')[0]!r} for the interpreter that runs the module, or name your project's with "
            "--python path/to/python."
        )
    if isinstance(error, SystemExit):
        return "exit", "Keep what ends the process behind `if __name__ == '__main__':`, or in a function."
    return "import", "Mend what raises, and save: the module must import without errors."


def _innermost(failure: Failure) -> Frame | None:
    return next((frame for frame in reversed(failure.frames) if frame.user), None)
