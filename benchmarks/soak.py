"""`make soak`: a workspace used for half an hour as no person would: calls, answers, stops, edits, kills, at random.

Ends with a table, and with exit code 1 if a call had no end or more than one, or a process was left. Not part of
`make bench`: it takes as long as it is told to.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
from rich.console import Console
from rich.table import Table

from app.client.settings import ClientSettings
from app.pages import Place
from app.running import Running
from app.workers import Workers
from app.workspace import Workspace, modules_at
from resolver_runtime import events as ev
from resolver_runtime.events import Era
from resolver_runtime.host.process import tree_of

SAMPLES = Path(__file__).parents[1] / "sample_tools"
USED = {
    "step3_confirm.py": ("order_book", {"title": "Neuromancer"}),
    "try_chain.py": ("plan_trip", {"traveller": "Ben"}),
    "try_three_questions.py": ("write_card", {"recipient": "Ana"}),
}
ANSWERS: dict[str, dict[str, Any]] = {
    "confirm_backorder": {"action": "accept", "content": {"confirm": True}},
    "ask_destination": {"action": "accept", "content": {"city": "Porto"}},
    "ask_stay": {"action": "accept", "content": {"nights": 3}},
    "ask_room": {"action": "accept", "content": {"view": "sea"}},
    "ask_style": {"action": "accept", "content": {"tone": "warm"}},
    "draft_text": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi!"}},
    "find_folder": {"roots": []},
}
ERAS: tuple[Era, ...] = ("2026-07-28", "2025-11-25")
END_SECONDS = 30
PAUSE_SECONDS = 0.02
"""Between two calls: the machine has other things to do."""


class Soak:
    def __init__(self, workspace: Workspace, chance: random.Random) -> None:
        self.workspace = workspace
        self.chance = chance
        self.ends: Counter[str] = Counter()
        self.faults: list[str] = []

    async def call_once(self) -> None:
        module = self.chance.choice(self.workspace.modules)
        tool, arguments = USED[module.label]
        loaded = await self.workspace.load(module)
        client = ClientSettings(self.chance.choice(ERAS))
        running = await self.workspace.start_call(loaded, Place(module.id, 0, tool), arguments, client)
        running.call.log.subscribe(lambda record: self._react(running, record.event))
        with anyio.move_on_after(END_SECONDS) as deadline:
            await running.call.log.wait_for(ev.CallEnded)
        self._judge(running, deadline.cancelled_caught)
        if self.chance.random() < 0.05:
            Path(module.spec.module).touch()

    def _react(self, running: Running, event: ev.Event) -> None:
        if isinstance(event, ev.QuestionAsked):
            running.call.answer(event.id, ANSWERS[event.resolver or ""])
        elif self.chance.random() < 0.004:
            running.call.stop()
        elif self.chance.random() < 0.002:
            assert running.worker is not None, "a call that runs has a worker"
            os.kill(running.worker.pid, signal.SIGKILL)

    def _judge(self, running: Running, timed_out: bool) -> None:
        records = running.call.log.records()
        ends = [record.event for record in records if isinstance(record.event, ev.CallEnded)]
        if timed_out or len(ends) != 1 or records[-1].event is not ends[0]:
            self.faults.append(f"{running.call.id}: {len(ends)} ends")
        if [record.seq for record in records] != list(range(1, len(records) + 1)):
            self.faults.append(f"{running.call.id}: numbers with gaps")
        self.ends[ends[0].status if ends else "none"] += 1


async def soak(seconds: float) -> Soak:
    with tempfile.TemporaryDirectory() as directory:
        for name in USED:
            shutil.copy(SAMPLES / name, directory)
        async with Workers() as workers, anyio.create_task_group() as tasks:
            done = Soak(Workspace(workers, modules_at((directory,), None), tasks), random.Random(1))
            began, sizes = time.monotonic(), []
            while time.monotonic() - began < seconds:
                await done.call_once()
                await anyio.sleep(PAUSE_SECONDS)
                sizes.append(_resident_mb())
            tasks.cancel_scope.cancel()
    left = tree_of(os.getpid())[1:]
    if left:
        done.faults.append(f"{len(left)} processes left")
    _print(done, seconds, sizes)
    return done


def _print(done: Soak, seconds: float, sizes: list[float]) -> None:
    table = Table("what", "measured", title=f"Soak of {seconds / 60:.0f} minutes")
    for status, number in sorted(done.ends.items()):
        table.add_row(f"calls that ended {status}", str(number))
    tenth = max(1, len(sizes) // 10)
    table.add_row("memory of this process after a tenth", f"{sizes[tenth]:.0f} MB")
    table.add_row("memory of this process at the end", f"{sizes[-1]:.0f} MB")
    table.add_row("faults", ", ".join(done.faults[:5]) or "none")
    Console().print(table)


def _resident_mb() -> float:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # every kill breaks a connection, and is meant to
    sys.exit(1 if anyio.run(soak, 60 * float(sys.argv[1] if len(sys.argv) > 1 else 30)).faults else 0)
