"""The application in this process, and browsers that have opened its address."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
import httpx2
from fastapi import FastAPI
from starlette.types import Message, Scope

from app.gate import Gate
from app.main import create_app
from app.settings import Settings
from app.workspaces import Limits
from tests.served import ROOT

WAIT_SECONDS = 20
SAMPLE = str(ROOT / "sample_tools" / "bookshop.py")
OWN = "http://127.0.0.1:8000"
TOOL = "/tools/0/order_book?module=0-bookshop"


@dataclass
class House:
    """An application that serves; `browsers` are closed with it."""

    gate: Gate
    settings: Settings
    browsers: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def client(self, **headers: str) -> httpx2.AsyncClient:
        transport = httpx2.ASGITransport(app=self.gate)
        client = httpx2.AsyncClient(transport=transport, base_url=OWN, headers=headers, timeout=WAIT_SECONDS)
        return await self.browsers.enter_async_context(client)

    async def browser(self) -> httpx2.AsyncClient:
        """A browser with its cookie; what it sends comes from our own page."""
        client = await self.client(origin=OWN)
        opened = await client.get(f"/?token={self.settings.token}")
        assert opened.status_code == 303
        return client

    async def closed_with(self, client: httpx2.AsyncClient, call: str) -> tuple[int, str]:
        """The code and reason with which the client's socket for this call is closed at once."""
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        headers = [(b"host", b"127.0.0.1:8000"), (b"origin", OWN.encode()), (b"cookie", cookie.encode())]
        scope: Scope = {
            "type": "websocket",
            "path": "/live",
            "query_string": f"call={call}".encode(),
            "headers": headers,
            "subprotocols": [],
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await self.gate(scope, receive, send)
        return sent[-1]["code"], sent[-1]["reason"]


@asynccontextmanager
async def housed(
    settings: Settings | None = None, limits: Limits | None = None, seconds: float | None = 3 * WAIT_SECONDS
) -> AsyncIterator[House]:
    """The application with one sample; without other settings each browser has a workspace. All within `seconds`."""
    settings = settings or Settings((SAMPLE,), workspaces="browser", offline=True)
    gate = create_app(settings, limits)
    app = gate.app
    assert isinstance(app, FastAPI)
    with anyio.fail_after(seconds):
        async with app.router.lifespan_context(app), AsyncExitStack() as browsers:
            yield House(gate, settings, browsers)


async def begun(browser: httpx2.AsyncClient, title: str = "Neuromancer") -> str:
    """The id of a call of order_book that has begun."""
    form = {"module": "0-bookshop", "server": "0", "tool": "order_book", "field:title": title}
    answer = await browser.post("/calls", data=form)
    call: str = json.loads(answer.headers["hx-trigger"])["call-started"]["call"]
    return call


async def asked(browser: httpx2.AsyncClient) -> str:
    """The id of a call whose question waits."""
    call = await begun(browser)
    await shown(browser, f"/calls/{call}/questions/q1")
    return call


async def shown(browser: httpx2.AsyncClient, words: str) -> None:
    with anyio.fail_after(WAIT_SECONDS):
        while words not in await page(browser):
            await anyio.lowlevel.checkpoint()


async def page(browser: httpx2.AsyncClient, path: str = TOOL) -> str:
    return (await browser.get(path, headers={"hx-request": "true"})).text
