"""Output as lines of a bounded length. Pure."""

from __future__ import annotations

from typing import Literal, TypeVar

StreamName = Literal["stdout", "stderr"]
Text = TypeVar("Text", str, bytes)

LINE_LENGTH = 16 * 1024
"""Characters of a line; a longer one becomes several."""


def pieces(line: Text) -> list[Text]:
    """The line, cut where it becomes too long; at least one piece."""
    return [line[start : start + LINE_LENGTH] for start in range(0, len(line) or 1, LINE_LENGTH)]
