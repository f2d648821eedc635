"""Lines typed at a terminal, read without blocking whoever else has work to do."""

from __future__ import annotations

import io
import os
import pty

import anyio
import pytest
from rich.console import Console

from app.cli.terminal import Lines

pytestmark = pytest.mark.anyio

SECONDS = 10


def console() -> Console:
    return Console(file=io.StringIO())


async def test_lines_come_one_by_one_from_a_pseudo_terminal() -> None:
    person, terminal = pty.openpty()
    try:
        lines = Lines(terminal, console())
        os.write(person, b"Ana\nnext\n")
        with anyio.fail_after(SECONDS):
            assert await lines.read("Name: ") == "Ana"
            assert await lines.read("Next: ") == "next"
    finally:
        os.close(person)
        os.close(terminal)


async def test_the_prompt_is_shown_as_it_is() -> None:
    shown = io.StringIO()
    reader, writer = os.pipe()
    os.write(writer, b"x\n")
    os.close(writer)
    await Lines(reader, Console(file=shown)).read("[y]es, [n]o: ")
    os.close(reader)
    assert shown.getvalue() == "[y]es, [n]o: "


async def test_the_end_of_input_is_none() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    with anyio.fail_after(SECONDS):
        assert await Lines(reader, console()).read("") is None
    os.close(reader)


async def test_waiting_for_a_line_lets_others_work_and_can_be_given_up() -> None:
    reader, writer = os.pipe()
    with anyio.fail_after(SECONDS):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Lines(reader, console()).read, "")
            await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    os.close(reader)
    os.close(writer)
