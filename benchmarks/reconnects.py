"""A page whose socket is dropped 200 times over 100,000 events, in the middle of whatever is on its way: what it missed
and what it got twice. Also by itself: `python -m benchmarks reconnects`."""

from __future__ import annotations

import json
import random
import re
import socket
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request

from websockets.sync.client import ClientConnection, connect

from benchmarks.rows import Row
from benchmarks.server import Running, playground

CALLS, STEPS, DROPS = 3, 17_000, 67
"""Each step is two events: the notification on the wire, and the progress it tells."""
WAIT_SECONDS = 60
MODULE = f"""
from mcp.server.mcpserver import Context, MCPServer
mcp = MCPServer("steps")
@mcp.tool()
async def walk(ctx: Context) -> str:
    for step in range(1, {STEPS} + 1):
        await ctx.report_progress(step)
    return "there"
"""


@dataclass
class Page:
    """What came over all sockets of one call: numbers of lines on the wire, and steps in the log."""

    address: str
    headers: dict[str, str]
    call: str
    seq: int = 0
    epoch: int = 0
    drops: int = 0
    ended: bool = False
    wire: Counter[int] = field(default_factory=Counter)
    steps: Counter[int] = field(default_factory=Counter)

    def follow(self, chance: random.Random) -> None:
        """To the call's end, dropping the socket after some frames until it was dropped often enough."""
        while not self.ended:
            query = urlencode({"call": self.call, "after": self.seq, "epoch": self.epoch})
            with connect(f"{self.address}/live?{query}", additional_headers=self.headers, proxy=None) as opened:
                self._read(opened, chance.randint(1, 3) if self.drops < DROPS else None)

    def _read(self, opened: ClientConnection, frames: int | None) -> None:
        for number, text in enumerate(opened, start=1):
            frame = json.loads(text)
            self.seq, self.epoch = frame["seq"], frame["epoch"]
            self.wire.update(map(int, re.findall(r'id="wire-(\d+)"', frame["html"])))
            self.steps.update(map(int, re.findall(r'class="text">(\d+)<', frame["html"])))
            if number == frames:
                self.drops += 1
                opened.socket.shutdown(socket.SHUT_RDWR)
                return
        self.ended = True


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        module = Path(directory) / "steps.py"
        module.write_text(MODULE)
        with playground(str(module)) as running:
            began = time.perf_counter()
            pages = [_walked(running, random.Random(number)) for number in range(CALLS)]
            seconds = time.perf_counter() - began
    events = sum(page.seq for page in pages)
    wanted = Counter(range(1, STEPS + 1))
    lost = sum(sum((wanted - page.steps).values()) + max(0, STEPS - len(page.wire)) for page in pages)
    doubled = sum(sum((page.steps - wanted).values()) + sum(n - 1 for n in page.wire.values()) for page in pages)
    what = f"{events:,} events over {sum(page.drops for page in pages)} dropped sockets, lost or doubled"
    return [Row(what, f"{lost + doubled} in {seconds:.0f} s", "0")]


def _walked(running: Running, chance: random.Random) -> Page:
    parts = urlsplit(running.url)
    base = f"{parts.scheme}://{parts.netloc}"
    headers = {"Authorization": f"Bearer {parse_qs(parts.query)['token'][0]}"}
    form = urlencode({"server": 0, "tool": "walk"}).encode()
    with running.browser.open(Request(f"{base}/calls", form, headers), timeout=WAIT_SECONDS) as answer:
        started = json.loads(answer.headers["hx-trigger"])["call-started"]
    page = Page(base.replace("http", "ws", 1), headers, started["call"], started["seq"], started["epoch"])
    page.follow(chance)
    return page
