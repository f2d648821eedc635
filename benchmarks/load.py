"""`make load`: a room of people. Fifty browsers open the playground at once; then each makes a call every second.

What is measured is what a person waits for: from the click until the socket of the page has brought the call's end.
Server and browsers share the machine. Not part of `make bench`: it takes a minute.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from statistics import quantiles

import anyio
import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError
from websockets.typing import Origin

from benchmarks.memory import mb, proportional_kib
from benchmarks.rows import Row
from benchmarks.server import Running, playground

BROWSERS = 50
CALLS_EACH = 60
PERIOD_SECONDS = 1.0
LOST_SECONDS = 30
"""Without its end by then, a call counts as lost."""
FORM = {"module": "0-step3_confirm", "server": "0", "tool": "order_book", "field:title": "Dune"}
END = "Ordered &#39;Dune&#39;"


@dataclass
class Room:
    """Seconds of each start and each call; `lost` counts calls that had no end, or another than theirs."""

    starts: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    lost: int = 0


def run() -> list[Row]:
    with playground("sample_tools/step3_confirm.py", "--workspaces", "browser", "--despite-holes") as running:
        room = anyio.run(_fill, running)
        sizes = {pid: proportional_kib(pid) for pid in running.family()}
    return [
        Row(f"{BROWSERS} browsers at once: open → tool on the page, p95", _ms(_p95(room.starts)), ""),
        Row("the last of them", _ms(max(room.starts)), ""),
        Row(f"{BROWSERS} workspaces, a call a second each: p95", _ms(_p95(room.calls)), "< 250 ms"),
        Row("the median, the slowest", f"{_ms(quantiles(room.calls, n=2)[0])}, {_ms(max(room.calls))}", ""),
        Row(f"calls lost, of {BROWSERS * CALLS_EACH}", str(room.lost), "0"),
        Row("calls begun late by the browsers themselves, p95", _ms(_p95(room.late)), ""),
        Row(f"memory of all {len(sizes)} processes at the end", mb(sum(sizes.values())), "< 1,074 MB"),
        Row("of it, the web process", mb(sizes[running.process.pid]), ""),
    ]


async def _fill(running: Running) -> Room:
    room = Room()
    async with AsyncExitStack() as stack:
        browsers = [await stack.enter_async_context(_browser(running)) for _ in range(BROWSERS)]
        async with anyio.create_task_group() as tasks:
            for browser in browsers:
                tasks.start_soon(_start, room, running, browser)
        begin = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for number, browser in enumerate(browsers):
                tasks.start_soon(_work, room, browser, begin + PERIOD_SECONDS * number / BROWSERS)
    return room


@asynccontextmanager
async def _browser(running: Running) -> AsyncIterator[httpx2.AsyncClient]:
    base = running.absolute("")
    headers = {"origin": base, "hx-request": "true"}
    async with httpx2.AsyncClient(base_url=base, headers=headers, timeout=LOST_SECONDS, trust_env=False) as browser:
        yield browser


async def _start(room: Room, running: Running, browser: httpx2.AsyncClient) -> None:
    began = time.monotonic()
    await browser.get(running.url)
    page = await browser.get("/")
    assert "order_book" in page.text
    room.starts.append(time.monotonic() - began)


async def _work(room: Room, browser: httpx2.AsyncClient, begin: float) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(CALLS_EACH):
            due = begin + number * PERIOD_SECONDS
            await anyio.sleep(max(0.0, due - time.monotonic()))
            room.late.append(time.monotonic() - due)
            # Also when the one before is not over: a person in a hurry does not wait either.
            tasks.start_soon(_call, room, browser)


async def _call(room: Room, browser: httpx2.AsyncClient) -> None:
    began = time.monotonic()
    with anyio.move_on_after(LOST_SECONDS):
        answer = await browser.post("/calls", data=FORM)
        started = json.loads(answer.headers["hx-trigger"])["call-started"]
        if END in await _followed(browser, started["call"], started["seq"]):
            room.calls.append(time.monotonic() - began)
            return
    room.lost += 1


async def _followed(browser: httpx2.AsyncClient, call: str, after: int) -> str:
    """All that the page's socket brings until the call's end."""
    base = str(browser.base_url).replace("http", "ws", 1).rstrip("/")
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    origin = Origin(browser.headers["origin"])
    address, headers = f"{base}/live?call={call}&after={after}", {"cookie": cookie}
    try:
        async with connect(address, additional_headers=headers, origin=origin, proxy=None) as socket:
            return "".join([str(frame) async for frame in socket])
    except (OSError, ConnectionClosedError):  # a handshake that takes too long is an OSError too
        return ""


def _p95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20)[-1]


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"
