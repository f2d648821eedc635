"""The terminal: lines typed at it without blocking, and text of a module shown without its power over it."""

from __future__ import annotations

import os
import sys

import anyio
from rich.console import Console
from rich.text import Text

READ_BYTES = 65_536


def is_attended() -> bool:
    """Whether somebody can read a question and type an answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class Lines:
    """Lines from a file descriptor, read as they come."""

    def __init__(self, descriptor: int, console: Console) -> None:
        self._descriptor = descriptor
        self._console = console
        self._buffer = b""

    async def read(self, prompt: str) -> str | None:
        """Show the prompt and wait for a line; None at the end of input."""
        self._console.print(harmless(prompt), end="")
        while b"\n" not in self._buffer:
            await anyio.wait_readable(self._descriptor)
            piece = os.read(self._descriptor, READ_BYTES)
            if not piece:
                return None
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace")


def harmless(text: str) -> Text:
    """The text as it is, without the control characters that would steer a terminal, and without rich's markup."""
    return Text("".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text))
