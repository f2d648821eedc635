"""What there is to find in a survey: one of its tools, and what is wrong with it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Misuse(ValueError):
    """Raised when what was asked for does not fit the module; the message says what there is instead."""


def find_tool(survey: Mapping[str, Any], name: str) -> tuple[int, Mapping[str, Any]]:
    """The index of the tool's server, and the tool's entry.

    Raises:
        Misuse: no tool has this name, or tools of several servers have it.
    """
    found = [(index, tool) for index, _, tool in _tools(survey) if tool["name"] == name]
    if not found:
        names = sorted({tool["name"] for _, _, tool in _tools(survey)})
        raise Misuse(f"{survey['module']} has no tool {name!r}. It has: {', '.join(names) or 'none'}.")
    if len(found) > 1:
        servers = [survey["servers"][index] for index, _ in found]
        choices = ", ".join(f"{survey['module']}:{server['variable'] or server['name']}" for server in servers)
        raise Misuse(f"{len(found)} servers have a tool {name!r}. Name the one you mean: {choices}.")
    return found[0]


def problem_lines(problem: Mapping[str, Any]) -> list[str]:
    """A problem as lines of text: what and where, then what to do."""
    where = f" ({problem['file']}:{problem['line']})" if problem["file"] else ""
    return [f"{problem['code']}: {problem['message']}{where}", *filter(None, [problem["hint"]])]


def _tools(survey: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    for index, server in enumerate(survey["servers"]):
        for tool in server["tools"]:
            yield index, server, tool
