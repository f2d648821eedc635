"""The gate before the real application: every route, every spelling of a host, every way to send a form."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Message, Scope

from app.gate import Gate
from app.main import ACCESS, create_app
from app.settings import Settings
from tests.app.housing import OWN, House, asked, housed
from tests.app.test_gate import FOREIGN_HOSTS, FOREIGN_ORIGINS

pytestmark = pytest.mark.anyio

MODES: list[Any] = ["one", "browser"]
ERA = 'name="era"\r\n\r\n2025-11-25'
BODIES: Mapping[str, str] = {
    "": "",
    "text/plain": "module=0-bookshop&server=0&tool=order_book&field:title=Dune",
    "application/x-www-form-urlencoded": "module=0-bookshop&server=0&tool=order_book&field:title=Dune&action=yes",
    "multipart/form-data; boundary=x": f"--x\r\ncontent-disposition: form-data; {ERA}\r\n--x--\r\n",
    "application/json": json.dumps({"tool": "order_book", "arguments": {"title": "Dune"}}),
    "text/html": "<p>",
}
"""Each kind of body a page of another site can send, and some it cannot, with what the route would act on."""


def path_of(route: str) -> str:
    """An address of the route."""
    return re.sub(r"\{[^}]*\}", "0", route.partition(" ")[2])


def scope_of(route: str, headers: list[tuple[bytes, bytes]]) -> Scope:
    method = route.partition(" ")[0]
    scope: Scope = {"path": path_of(route), "query_string": b"", "headers": headers}
    if method == "WS":
        return {**scope, "type": "websocket", "subprotocols": []}
    return {**scope, "type": "http", "method": "GET" if method == "MOUNT" else method}


async def sent_by(gate: Gate, scope: Scope) -> Message:
    """The gate's first message. Its application does not serve: what gets through to a workspace raises."""
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("a refused request is not read")

    async def send(message: Message) -> None:
        sent.append(message)

    await gate(scope, receive, send)
    return sent[0]


def refused(message: Message, status: int) -> bool:
    """Whether it is this refusal; a WebSocket's without an extension of the server is a close before the handshake."""
    return message["type"] == "websocket.close" or message.get("status") == status


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("route", sorted(ACCESS))
async def test_no_route_answers_to_a_foreign_name(route: str, mode: Any) -> None:
    settings = Settings(port=8000, workspaces=mode)
    gate = create_app(settings)
    cookie = f"playground_8000={gate.rules.passes.new()}".encode()
    for host in FOREIGN_HOSTS:
        headers = [(b"host", host.encode()), (b"cookie", cookie), (b"origin", OWN.encode())]
        headers.append((b"authorization", f"Bearer {settings.token}".encode()))
        assert refused(await sent_by(gate, scope_of(route, headers)), 421), host


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("route", sorted(set(ACCESS) - {"GET /healthz"}))
async def test_no_route_answers_without_the_token(route: str, mode: Any) -> None:
    gate = create_app(Settings(port=8000, workspaces=mode))
    for origin in ([], [(b"origin", OWN.encode())]):
        message = await sent_by(gate, scope_of(route, [(b"host", b"127.0.0.1:8000"), *origin]))
        assert refused(message, 401) or refused(message, 403)


@pytest.mark.parametrize("route", sorted(route for route, access in ACCESS.items() if access == "write"))
async def test_no_route_with_effects_answers_another_site(route: str) -> None:
    gate = create_app(Settings(port=8000))
    cookie = f"playground_8000={gate.rules.passes.new()}".encode()
    for origin in FOREIGN_ORIGINS:
        headers = [(b"host", b"127.0.0.1:8000"), (b"cookie", cookie), (b"origin", origin.encode())]
        assert refused(await sent_by(gate, scope_of(route, headers)), 403), origin


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def house(anyio_backend: str) -> AsyncIterator[House]:
    async with housed() as shared:
        yield shared


@pytest.fixture(scope="module")
async def victim(house: House) -> Victim:
    """Somebody whose call has asked, and who has the playground open while other pages do what they can."""
    browser = await house.browser()
    call = await asked(browser)
    return Victim(browser, call)


@dataclass(frozen=True)
class Victim:
    browser: httpx2.AsyncClient
    call: str

    async def state(self, house: House) -> Any:
        """Everything that requests can change: the client, the roots, the calls with their ends and answers."""
        app = house.gate.app
        assert isinstance(app, FastAPI)
        holder = house.gate.rules.passes.holder(self.browser.cookies["playground_8000"])
        async with app.state.playground.workspaces.visit(holder) as workspace:
            calls = {name: (one.call.ended, one.view().questions["q1"].answer) for name, one in workspace.calls.items()}
            return workspace.client, workspace.roots, calls


@pytest.mark.parametrize("content_type", sorted(BODIES))
@pytest.mark.parametrize("origin", [*FOREIGN_ORIGINS, None])
async def test_whatever_another_site_sends_the_state_stays_as_it_is(
    house: House, victim: Victim, origin: str | None, content_type: str
) -> None:
    before = await victim.state(house)
    assert before[2] == {victim.call: (False, None)}
    site = await house.client(cookie=f"playground_8000={victim.browser.cookies['playground_8000']}")
    headers = {"content-type": content_type} | ({} if origin is None else {"origin": origin})
    for path in ("/calls", "/client", "/api/call", f"/calls/{victim.call}/stop", f"/calls/{victim.call}/questions/q1"):
        assert (await site.post(path, content=BODIES[content_type], headers=headers)).status_code == 403
    assert await victim.state(house) == before
