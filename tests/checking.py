"""Modules written in a test, and what a check finds in them. `«` stands before each place that is to be found."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import resolver_runtime
from app.documents import check_document
from resolver_runtime.host.loading import load
from resolver_runtime.host.survey import survey

HEAD = """\
from typing import Annotated, Any
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, ListRoots, MCPServer, Resolve, Sample
from pydantic import BaseModel, Field
mcp = MCPServer("shop")
class Sure(BaseModel):
    yes: bool
"""
_numbers = itertools.count()


def marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without its marks, and the line and column of each."""
    places = [
        (number, position + 1 - before)
        for number, line in enumerate(text.splitlines(), start=1)
        for before, position in enumerate(one for one, character in enumerate(line) if character == "«")
    ]
    return text.replace("«", ""), places


@contextmanager
def imports_restored() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    resolver_runtime.install()
    try:
        yield
    finally:
        resolver_runtime.uninstall()
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            del sys.modules[name]


def checked_file(path: Path) -> list[dict[str, Any]]:
    """The findings of the document of `check`, without a worker."""
    with imports_restored():
        found = survey(path.name, load(path.name, str(path.parent)), "playground", None)
    findings: list[dict[str, Any]] = check_document(found)["findings"]
    return findings


def checked(directory: Path, text: str) -> list[dict[str, Any]]:
    # A name of its own: linecache and the import system remember what a file of this name held.
    path = directory / f"shop{next(_numbers)}.py"
    path.write_text(text, encoding="utf-8")
    return checked_file(path)


def places(findings: list[dict[str, Any]], code: str) -> list[tuple[int | None, int | None]]:
    return [(one["line"], one["column"]) for one in findings if one["code"] == code]
