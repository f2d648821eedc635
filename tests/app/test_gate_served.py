"""The gate of a playground in a process of its own: handshakes byte by byte, and where the token may be read."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from app.main import ACCESS
from resolver_runtime.host.process import tree_of
from tests.app.test_gate import FOREIGN_HOSTS
from tests.served import Served, served

WAIT_SECONDS = 20
FOREIGN_ORIGINS = ["null", "", "http://evil.example", "https://{own}", "http://127.0.0.1", "http://{own}.evil.example"]


@pytest.fixture(scope="module", params=["one", "browser"])
def playground(request: pytest.FixtureRequest) -> Iterator[Served]:
    with served("sample_tools/bookshop.py", "--workspaces", request.param, "--despite-holes") as running:
        yield running


@pytest.fixture(scope="module")
def cookie(playground: Served) -> str:
    """What a browser that has opened the address sends."""
    opened = httpx2.get(playground.address, trust_env=False)
    return str(opened.headers["set-cookie"]).partition(";")[0]


def handshake(playground: Served, host: str | None, *lines: str) -> str:
    """The first line that answers a WebSocket handshake with exactly these headers."""
    own = urlsplit(playground.base)
    request = ["GET /live?call=none HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade"]
    request += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    request += ([] if host is None else [f"Host: {host}"]) + list(lines)
    with socket.create_connection((own.hostname, own.port), WAIT_SECONDS) as connection:
        connection.sendall("\r\n".join([*request, "", ""]).encode("utf-8", "surrogateescape"))
        return connection.makefile("rb").readline().decode()


def own(playground: Served) -> str:
    return urlsplit(playground.base).netloc


def test_our_own_page_gets_its_socket(playground: Served, cookie: str) -> None:
    answer = handshake(playground, own(playground), f"Origin: {playground.base}", f"Cookie: {cookie}")
    assert answer.startswith("HTTP/1.1 101 ")


@pytest.mark.parametrize("host", [None, *FOREIGN_HOSTS])
def test_no_socket_opens_under_a_foreign_name(playground: Served, cookie: str, host: str | None) -> None:
    answer = handshake(playground, host, f"Origin: {playground.base}", f"Cookie: {cookie}")
    assert answer.startswith(("HTTP/1.1 421 ", "HTTP/1.1 400 "))


@pytest.mark.parametrize("origin", [*FOREIGN_ORIGINS, None])
def test_no_socket_opens_from_a_foreign_page(playground: Served, cookie: str, origin: str | None) -> None:
    lines = [] if origin is None else [f"Origin: {origin.format(own=own(playground))}"]
    assert handshake(playground, own(playground), f"Cookie: {cookie}", *lines).startswith("HTTP/1.1 403 ")


def test_no_socket_opens_from_two_origins_one_of_which_is_ours(playground: Served, cookie: str) -> None:
    lines = [f"Origin: {playground.base}", "Origin: http://evil.example", f"Cookie: {cookie}"]
    assert not handshake(playground, own(playground), *lines).startswith("HTTP/1.1 101 ")


@pytest.mark.parametrize("change", ["", "{cookie}x", "{name}=", "other={value}", "{name}_other={value}"])
def test_no_socket_opens_without_the_cookie(playground: Served, cookie: str, change: str) -> None:
    name, _, value = cookie.partition("=")
    line = change.format(cookie=cookie, name=name, value=value)
    answer = handshake(playground, own(playground), f"Origin: {playground.base}", f"Cookie: {line}")
    assert answer.startswith("HTTP/1.1 403 ")


def test_no_process_begins_for_a_handshake(playground: Served, cookie: str) -> None:
    before = tree_of(playground.process.pid)
    handshake(playground, own(playground), "Origin: http://evil.example", f"Cookie: {cookie}")
    handshake(playground, own(playground), f"Origin: {playground.base}", f"Cookie: {cookie}")
    assert tree_of(playground.process.pid) == before


def addresses() -> list[tuple[str, str]]:
    """Each route with a method that reaches it."""
    routes = [route.partition(" ") for route in sorted(ACCESS) if not route.startswith("WS")]
    methods = {"MOUNT": "GET"}
    paths = {"/static": "/static/page.css"}
    return [(methods.get(how, how), paths.get(path, re.sub(r"\{[^}]*\}", "0", path))) for how, _, path in routes]


@pytest.mark.parametrize("mode", ["one", "browser"])
def test_the_token_stands_in_no_answer_no_line_of_a_log_and_no_worker(mode: str, tmp_path: Path) -> None:
    log = tmp_path / "errors"
    with (
        log.open("w") as errors,
        served("sample_tools", "--workspaces", mode, "--despite-holes", errors=errors) as playground,
    ):
        said = "".join(everything_answered(playground))
        families = tree_of(playground.process.pid)
        known = "".join(readable(pid) for pid in families)
        playground.process.terminate()
        assert playground.process.stdout is not None
        printed = playground.process.stdout.read() + log.read_text()
    assert len(families) >= 3
    for where in (said, known, printed):
        assert playground.token not in where


def everything_answered(playground: Served) -> Iterator[str]:
    """What each route answers, to one who may and to one who may not, after modules, calls and errors."""
    with httpx2.Client(base_url=playground.base, trust_env=False, timeout=WAIT_SECONDS) as client:
        client.get(playground.address)  # its cookie is the one thing that may be the token
        bearer = {"authorization": f"Bearer {playground.token}", "origin": playground.base}
        body = {"tool": "order_book", "arguments": {"title": "Dune"}}
        asked: list[dict[str, Any]] = [{"method": "POST", "url": "/api/call", "json": body, "headers": bearer}]
        for method, path in addresses():
            asked += [{"method": method, "url": path, "headers": {**bearer, **more}} for more in ({}, HTMX, FOREIGN)]
            asked.append({"method": method, "url": f"{path}?token={playground.token}x"})
        for request in asked:
            answer = client.request(**request)
            yield f"{answer.status_code} {answer.headers} {answer.text}"


HTMX = {"hx-request": "true"}
FOREIGN = {"origin": "http://evil.example"}


def readable(pid: int) -> str:
    """What a program of the same account reads of a process."""
    files = (Path(f"/proc/{pid}/{name}") for name in ("environ", "cmdline"))
    return "".join(file.read_bytes().decode("utf-8", "replace") for file in files)
