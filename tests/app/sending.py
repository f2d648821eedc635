"""Requests as bytes, sent to the gate as a server would hand them on: also those that no client library would send."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from starlette.types import Message, Scope

from app.gate import Gate

OWN_HEADERS = ((b"host", b"127.0.0.1:8000"), (b"origin", b"http://127.0.0.1:8000"))
Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class Answer:
    """What came back. An exception that the application lets through ends the test: a server makes a 500 of it."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def sentence(self) -> str:
        """What it says to a person."""
        text = self.body.decode()
        if self.headers.get("content-type") == "application/json":
            error: dict[str, Any] = json.loads(text)["error"]
            return str(error["message"])
        paragraphs = re.findall(r"<p>([^<]*)", text)
        return html.unescape(paragraphs[0]) if paragraphs else ""


async def sent(gate: Gate, method: str, target: bytes, headers: Headers = (), body: bytes = b"") -> Answer:
    """The answer to one request; `target` is the address as it stands on the wire, in ASCII."""
    came: list[Message] = []
    brought: list[Message] = [{"type": "http.request", "body": body}]

    async def receive() -> Message:
        return brought.pop() if brought else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        came.append(message)

    await gate({**_scope(target, headers), "type": "http", "method": method}, receive, send)
    received = {name.decode("latin-1"): value.decode("latin-1") for name, value in came[0]["headers"]}
    return Answer(came[0]["status"], received, b"".join(message.get("body", b"") for message in came[1:]))


async def opened(gate: Gate, target: bytes, headers: Headers = ()) -> list[Message]:
    """All that a WebSocket is sent, by somebody who listens to the first frame and leaves."""
    came: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.disconnect", "code": 1001} if came else {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        came.append(message)

    await gate({**_scope(target, headers), "type": "websocket", "subprotocols": []}, receive, send)
    return came


def _scope(target: bytes, headers: Headers) -> Scope:
    path, _, query = target.partition(b"?")
    return {
        "http_version": "1.1",
        "scheme": "http",
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [*OWN_HEADERS, *headers],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
