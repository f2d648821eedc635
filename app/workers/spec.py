"""Which module a worker serves, with which interpreter, on whose executor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ModuleSpec:
    """`module` as on the command line: `path.py` or `package.module`, with `:server` after it or without.

    `python` is an interpreter with `mcp`; None: the one that runs the playground. `isolate`: with walls round it, on
    Linux.
    """

    module: str
    python: str | None = None
    engine: Literal["playground", "sdk"] = "playground"
    isolate: bool = False
