"""Who comes in: hosts × methods, origins × content types, the token, and the WebSocket."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Message, Scope
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from app.gate import Gate, Rules
from app.settings import Settings
from app.strangers import Strangers

pytestmark = pytest.mark.anyio

WAIT_SECONDS = 10
SETTINGS = Settings(port=8000)
HOST = "127.0.0.1:8000"
OWN = "http://127.0.0.1:8000"
COOKIE = f"playground_8000={SETTINGS.token}"
SAFE = ["GET", "HEAD", "OPTIONS"]
UNSAFE = ["POST", "PUT", "PATCH", "DELETE"]
FOREIGN_HOSTS = [
    "",
    "evil.example",
    "evil.example:8000",
    "127.0.0.1",
    "127.0.0.1:8001",
    "127.0.0.1:08000",
    "127.0.0.1:8000, evil.example",
    "127.0.0.1:8000.evil.example",
    "ana@127.0.0.1:8000",
    "127.1:8000",
    "0.0.0.0:8000",
    "localhost",
    "localhost.:8000",
    "localhost.evil.example:8000",
    "[::1]",
    "[::ffff:127.0.0.1]:8000",
    "2130706433:8000",
]
FOREIGN_ORIGINS = [
    "null",
    "http://evil.example",
    "https://127.0.0.1:8000",
    "http://127.0.0.1",
    "http://127.0.0.1:8001",
    "http://127.0.0.1:8000.evil.example",
    "http://127.0.0.1:8000/",
    "http://localhost.:8000",
    "",
]


class Reached:
    """An application that counts how often the gate let a request through."""

    def __init__(self) -> None:
        self.requests = 0
        routes = [
            Route("/healthz", self.text),
            Route("/page", self.page),
            Route("/file", self.file),
            Route("/{path:path}", self.text, methods=[*SAFE, *UNSAFE]),
            WebSocketRoute("/live", self.live),
        ]
        self.app = Starlette(routes=routes)

    async def text(self, request: Request) -> Response:
        self.requests += 1
        return PlainTextResponse("reached")

    async def page(self, request: Request) -> Response:
        self.requests += 1
        return HTMLResponse("<p>reached", headers={"cache-control": "public", "etag": "1", "x-frame-options": "ALLOW"})

    async def file(self, request: Request) -> Response:
        return PlainTextResponse("reached", headers={"etag": "1"})

    async def live(self, websocket: WebSocket) -> None:
        self.requests += 1
        await websocket.accept()
        await websocket.send_text("reached")
        await websocket.close()


@asynccontextmanager
async def visitor(reached: Reached, scripts_from: str | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    """A client that sends exactly the headers it is told to, besides Host."""
    transport = httpx2.ASGITransport(app=Gate(reached.app, Rules.of(SETTINGS, scripts_from)))
    async with httpx2.AsyncClient(transport=transport, base_url=OWN) as client:
        yield client


async def status(method: str = "GET", path: str = "/", **headers: str) -> tuple[int, int]:
    """The status of one request with these headers (`_` for `-`), and how many came through."""
    reached = Reached()
    async with visitor(reached) as client:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return (await client.request(method, path, headers=named)).status_code, reached.requests


@pytest.mark.parametrize("method", [*SAFE, *UNSAFE])
@pytest.mark.parametrize("host", [HOST, "localhost:8000", "LocalHost:8000", "[::1]:8000"])
async def test_each_of_our_names_is_answered(host: str, method: str) -> None:
    assert await status(method, host=host, cookie=COOKIE, origin=OWN) == (200, 1)


@pytest.mark.parametrize("method", [*SAFE, *UNSAFE])
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
async def test_any_other_name_is_misdirected(host: str, method: str) -> None:
    assert await status(method, "/healthz", host=host, cookie=COOKIE, origin=OWN) == (421, 0)


@pytest.mark.parametrize("names", [[], [b"127.0.0.1:8000", b"evil.example"]])
async def test_a_request_with_no_name_or_two_is_misdirected(names: list[bytes]) -> None:
    scope: Scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
    scope["headers"] = [(b"host", name) for name in names]
    sent = await answered(Reached(), scope)
    assert sent[0]["status"] == 421


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-www-form-urlencoded", "application/json"])
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
@pytest.mark.parametrize("method", UNSAFE)
async def test_another_site_changes_nothing(method: str, origin: str, content_type: str) -> None:
    assert await status(method, cookie=COOKIE, origin=origin, content_type=content_type) == (403, 0)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "Same-Origin", ""])
@pytest.mark.parametrize("method", UNSAFE)
async def test_a_browser_that_names_another_site_changes_nothing(method: str, site: str) -> None:
    assert await status(method, cookie=COOKIE, sec_fetch_site=site) == (403, 0)
    assert await status(method, cookie=COOKIE, sec_fetch_site=site, origin=OWN) == (403, 0)


@pytest.mark.parametrize("method", UNSAFE)
@pytest.mark.parametrize("headers", [{"origin": OWN}, {"sec_fetch_site": "same-origin"}])
async def test_our_own_page_changes_things(method: str, headers: dict[str, str]) -> None:
    assert await status(method, cookie=COOKIE, **headers) == (200, 1)


@pytest.mark.parametrize("method", UNSAFE)
async def test_a_request_that_does_not_say_where_it_comes_from_needs_the_token_in_its_header(method: str) -> None:
    assert await status(method, cookie=COOKIE) == (403, 0)
    assert await status(method, authorization=f"Bearer {SETTINGS.token}") == (200, 1)


async def test_the_token_in_a_header_does_not_open_for_another_site() -> None:
    assert await status("POST", authorization=f"Bearer {SETTINGS.token}", origin="http://evil.example") == (403, 0)


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "playground_8000=",
        "playground_8000=wrong",
        f"playground_8001={SETTINGS.token}",
        f"playground={SETTINGS.token}",
        f"playground_8000={SETTINGS.token}x",
        f"playground_8000={SETTINGS.token[:-1]}",
        "playground_8000=\udcff",
    ],
)
async def test_nothing_is_shown_without_the_token(cookie: str) -> None:
    header = (b"cookie", cookie.encode("utf-8", "surrogateescape"))
    scope: Scope = {"type": "http", "method": "GET", "path": "/", "query_string": b""}
    sent = await answered(Reached(), {**scope, "headers": [(b"host", HOST.encode()), header]})
    assert sent[0]["status"] == 401


async def test_the_cookie_is_found_among_those_of_other_servers() -> None:
    others = 'session={"a":1,"b":[2]}; playground_8000=old; other'
    assert await status(cookie=f"{others}; {COOKIE}; last=1") == (200, 1)


async def test_the_health_check_needs_no_token() -> None:
    assert await status("GET", "/healthz") == (200, 1)


@pytest.mark.parametrize("path", ["/healthz/", "/healthz/../", "//healthz", "/healthz%2f", "/static/a.js"])
async def test_only_the_health_check_needs_no_token(path: str) -> None:
    assert (await status("GET", path))[0] == 401


@pytest.mark.parametrize(
    ("address", "location"),
    [
        ("/?token={}", "/"),
        ("/tools/a%20b?x=1&token={}&y=%26", "/tools/a%20b?x=1&y=%26"),
        ("//evil.example/?token={}", "/evil.example/"),
        ("/%5Cevil.example?token={}", "/%5Cevil.example"),
        ("/%0d%0aset-cookie:a?token={}", "/%0D%0Aset-cookie:a"),
    ],
)
async def test_the_token_in_an_address_becomes_a_cookie_and_leaves_the_address(address: str, location: str) -> None:
    reached = Reached()
    async with visitor(reached) as client:
        response = await client.get(OWN + address.format(SETTINGS.token))
    assert (response.status_code, response.headers["location"], reached.requests) == (303, location, 0)
    parts = {part.strip().lower() for part in response.headers["set-cookie"].split(";")[1:]}
    assert response.headers["set-cookie"].startswith(f"playground_8000={SETTINGS.token};")
    assert parts == {"httponly", "path=/", "samesite=strict"}
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_someone_who_comes_from_another_site_is_led_on_by_a_page_of_ours(site: str) -> None:
    address = f"/tools/a?x=%22%3E%3Cb%3E&token={SETTINGS.token}"
    async with visitor(Reached()) as client:
        response = await client.get(address, headers={"sec-fetch-site": site})
    assert response.status_code == 200
    assert '<meta http-equiv="refresh" content="0;url=/tools/a?x=%22%3E%3Cb%3E">' in response.text
    assert SETTINGS.token not in response.text
    assert response.headers["set-cookie"].startswith("playground_8000=")


async def test_behind_https_the_cookie_is_for_https_only() -> None:
    rules = Rules.of(Settings(host="0.0.0.0", public_url="https://example.org"))
    query = f"token={rules.passes.token}".encode()
    response = rules.exchange({"type": "http", "method": "GET", "path": "/", "query_string": query, "headers": []})
    assert response is not None
    assert "; Secure" in response.headers["set-cookie"]


@pytest.mark.parametrize("method", UNSAFE)
async def test_the_token_in_an_address_opens_nothing_that_has_effects(method: str) -> None:
    assert await status(method, f"/?token={SETTINGS.token}") == (403, 0)
    assert await status(method, f"/?token={SETTINGS.token}", origin=OWN) == (401, 0)


async def test_a_wrong_token_in_an_address_is_refused_with_the_way_out() -> None:
    async with visitor(Reached()) as client:
        response = await client.get("/?token=wrong")
    assert response.status_code == 401
    assert "Open the whole address that the playground command printed" in response.text
    assert "set-cookie" not in response.headers
    assert "wrong" not in response.text


async def test_only_the_refusals_of_wrong_tokens_wait() -> None:
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    gate = Gate(Reached().app, Rules.of(SETTINGS), Strangers(sleep=note))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=gate), base_url=OWN) as client:
        wrong: list[tuple[str, dict[str, str]]] = [
            ("/?token=wrong", {}),
            ("/", {"cookie": "playground_8000=wrong"}),
            ("/", {"authorization": "Bearer wrong"}),
        ]
        for path, headers in wrong * 3:
            assert (await client.get(path, headers=headers)).status_code == 401
        assert waits == [0.1, 0.2, 0.4, 0.8]
        for headers in ({"cookie": COOKIE}, {"authorization": f"Bearer {SETTINGS.token}"}):
            assert (await client.get("/", headers=headers)).status_code == 200
        assert (await client.get(f"/?token={SETTINGS.token}")).status_code == 303
        assert (await client.get("/", headers={"cookie": ""})).status_code == 401
        assert len(waits) == 4


async def test_a_program_is_refused_in_json() -> None:
    async with visitor(Reached()) as client:
        error = (await client.get("/api/tools")).json()["error"]
    assert (error["code"], set(error)) == (401, {"code", "message", "next_step"})


@pytest.mark.parametrize("path", ["/page", "/missing?token=wrong", "/healthz"])
async def test_every_response_forbids_foreign_script_frames_and_referrers(path: str) -> None:
    async with visitor(Reached()) as client:
        headers = (await client.get(path, headers={"cookie": COOKIE})).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"


async def test_the_cdn_is_permitted_only_while_its_scripts_are_needed() -> None:
    async with visitor(Reached(), "https://cdn.example") as client:
        policy = (await client.get("/healthz")).headers["content-security-policy"]
    assert "script-src 'self' https://cdn.example; style-src 'self';" in policy


@pytest.mark.parametrize(("path", "kept"), [("/page", "no-store"), ("/file", "no-cache"), ("/other", "no-store")])
async def test_a_page_is_never_kept_and_a_file_only_with_its_tag(path: str, kept: str) -> None:
    async with visitor(Reached()) as client:
        assert (await client.get(path, headers={"cookie": COOKIE})).headers["cache-control"] == kept


async def answered(reached: Reached, scope: Scope) -> list[Message]:
    """What the gate sends for a scope, without a server or client in between."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect" if scope["type"] == "websocket" else "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    with anyio.fail_after(WAIT_SECONDS):
        await Gate(reached.app, Rules.of(SETTINGS))(scope, receive, send)
    return sent


def socket_scope(headers: dict[str, str], extensions: dict[str, Any] | None = None) -> Scope:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "websocket",
        "path": "/live",
        "query_string": b"",
        "headers": raw,
        "subprotocols": [],
        "extensions": extensions or {},
    }


@pytest.mark.parametrize("host", [HOST, "evil.example:8000", "127.0.0.1:8001"])
@pytest.mark.parametrize("origin", [OWN, None, *FOREIGN_ORIGINS])
@pytest.mark.parametrize("cookie", [COOKIE, "playground_8000=wrong", None])
async def test_a_websocket_opens_only_for_our_own_page_with_the_token(
    host: str, origin: str | None, cookie: str | None
) -> None:
    reached = Reached()
    given = {"host": host, "origin": origin, "cookie": cookie}
    sent = await answered(reached, socket_scope({name: value for name, value in given.items() if value is not None}))
    ours = (host, origin, cookie) == (HOST, OWN, COOKIE)
    assert (sent[0]["type"], reached.requests) == (("websocket.accept", 1) if ours else ("websocket.close", 0))


async def test_a_program_opens_a_websocket_with_the_token_in_its_header() -> None:
    headers = {"host": HOST, "authorization": f"Bearer {SETTINGS.token}"}
    assert (await answered(Reached(), socket_scope(headers)))[0]["type"] == "websocket.accept"


async def test_a_websocket_to_another_name_is_misdirected_where_the_server_can_carry_it() -> None:
    scope = socket_scope({"host": "evil.example:8000", "origin": OWN}, {"websocket.http.response": {}})
    sent = await answered(Reached(), scope)
    assert (sent[0]["type"], sent[0]["status"]) == ("websocket.http.response.start", 421)


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound


async def test_over_a_real_socket_a_foreign_page_gets_no_websocket_and_ours_does(listening: socket.socket) -> None:
    reached = Reached()
    port = listening.getsockname()[1]
    settings = SETTINGS.with_port(port)
    config = uvicorn.Config(Gate(reached.app, Rules.of(settings)), ws="websockets-sansio", lifespan="off", log_level=50)
    server = uvicorn.Server(config)
    cookie = {"Cookie": f"playground_{port}={settings.token}"}
    with anyio.fail_after(WAIT_SECONDS):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            while not server.started:
                await anyio.lowlevel.checkpoint()
            with pytest.raises(InvalidStatus) as refused:
                await connect(
                    f"ws://127.0.0.1:{port}/live", origin=Origin("http://evil.example"), additional_headers=cookie
                )
            assert (refused.value.response.status_code, reached.requests) == (403, 0)
            ours = Origin(f"http://127.0.0.1:{port}")
            async with connect(f"ws://127.0.0.1:{port}/live", origin=ours, additional_headers=cookie) as socket_of_ours:
                assert await socket_of_ours.recv() == "reached"
            server.should_exit = True
