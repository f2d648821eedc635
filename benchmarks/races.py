"""Two answers to one question at the same moment, over HTTP, a thousand times. Also by itself:
`python -m benchmarks races`."""

from __future__ import annotations

import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from threading import Barrier
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from websockets.sync.client import connect

from benchmarks.rows import Row
from benchmarks.server import Running, playground

RACES = 1000
TEXTS = ("left", "right")
WAIT_SECONDS = 60
MODULE = """
from typing import Annotated
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import BaseModel
mcp = MCPServer("races")
class Side(BaseModel):
    text: str
def side() -> Elicit[Side]:
    return Elicit("Which side?", Side)
@mcp.tool()
def choose(side: Annotated[Side, Resolve(side)]) -> str:
    return f"chosen: {side.text}"
"""


class Caller:
    """A program with the token."""

    def __init__(self, running: Running) -> None:
        parts = urlsplit(running.url)
        self.base = f"{parts.scheme}://{parts.netloc}"
        self.headers = {"Authorization": f"Bearer {parse_qs(parts.query)['token'][0]}"}
        self.opener = build_opener(ProxyHandler({}))

    def begin(self) -> str:
        form = urlencode({"server": 0, "tool": "choose"}).encode()
        with self.opener.open(Request(f"{self.base}/calls", form, self.headers), timeout=WAIT_SECONDS) as answer:
            call: str = json.loads(answer.headers["hx-trigger"])["call-started"]["call"]
            return call

    def answer(self, call: str, text: str) -> int:
        """The status of this answer to the call's question."""
        form = urlencode({"action": "accept", "field:text": text}).encode()
        request = Request(f"{self.base}/calls/{call}/questions/q1", form, self.headers)
        try:
            with self.opener.open(request, timeout=WAIT_SECONDS) as answer:
                return int(answer.status)
        except HTTPError as refused:
            with refused:
                return refused.code

    def read(self, call: str, until: str = "") -> str:
        """What the call's socket brings, to these words or else to its end."""
        address = f"{self.base.replace('http', 'ws', 1)}/live?{urlencode({'call': call, 'after': 0, 'epoch': 1})}"
        with connect(address, additional_headers=self.headers, proxy=None) as opened:
            html = ""
            for frame in opened:
                html += json.loads(frame)["html"]
                if until and until in html:
                    break
            return html


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        module = Path(directory) / "races.py"
        module.write_text(MODULE)
        with playground(str(module)) as running, ThreadPoolExecutor(len(TEXTS)) as threads:
            caller = Caller(running)
            began = time.perf_counter()
            fair = sum(_has_one_winner(caller, threads) for _ in range(RACES))
            seconds = time.perf_counter() - began
    what = f"two answers at once: exactly one winner, of {RACES:,}"
    return [Row(what, f"{fair:,} in {seconds:.0f} s", f"{RACES:,}")]


def _has_one_winner(caller: Caller, threads: ThreadPoolExecutor) -> bool:
    """Whether one answer was taken, the other refused as second, and the tool given the one that was taken."""
    call = caller.begin()
    caller.read(call, until='id="question-q1"')
    together = Barrier(len(TEXTS))

    def send(text: str) -> int:
        together.wait(WAIT_SECONDS)
        return caller.answer(call, text)

    told = dict(zip(threads.map(send, TEXTS), TEXTS, strict=True))
    won = told.get(HTTPStatus.OK)
    return told.keys() == {HTTPStatus.OK, HTTPStatus.CONFLICT} and f"chosen: {won}" in caller.read(call)
