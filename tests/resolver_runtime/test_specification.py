"""Every behaviour of the SDK that ours must equal has a test that bears its number; and ours is our own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ENGINE = HERE.parents[1] / "resolver_runtime"

NUMBERS = {*(f"a{number}" for number in range(1, 71)), *(f"b{number}" for number in range(1, 11))}
"""A1 to A70 are held by the SDK's own tests; B1 to B10 are true of it, and held by none."""

DECLARATIONS = {
    "Resolve",
    "Elicit",
    "Sample",
    "ListRoots",
    "ElicitationResult",
    "AcceptedElicitation",
    "DeclinedElicitation",
    "CancelledElicitation",
}


def test_every_numbered_behaviour_has_a_test() -> None:
    borne: set[str] = set()
    for path in HERE.glob("test_*.py"):
        for name in re.findall(r"def test_((?:[ab]\d+_)+)", path.read_text()):
            borne.update(name.rstrip("_").split("_"))
    assert borne == NUMBERS


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=lambda path: path.name)
def test_of_the_sdks_resolvers_only_the_declarations_are_used(path: Path) -> None:
    if path.name == "sdk.py":  # observes the SDK's own executor, and so must know it
        return
    imported = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("mcpserver.resolve")
        for alias in node.names
    }
    assert imported <= DECLARATIONS
    assert "import resolve\n" not in path.read_text()
