"""A stand-in for a worker: an `MCPServer` in this process, served on a Unix socket as a worker serves it."""

from __future__ import annotations

import socket
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from resolver_runtime.events import Event

END_SECONDS = 20


@dataclass(frozen=True)
class FakeDeath:
    sentence: str = "The process ended with exit code 3."
    next_step: str = "Look at the log for its last words."


@dataclass
class FakeWorker:
    """`tell` plays the worker's side of the event stream, `hang` one that does not answer any more, `die` its end."""

    socket: str
    survey: dict[str, Any] = field(default_factory=lambda: {"engine": "playground"})
    fences: int = 0
    on_fence: Callable[[], None] = lambda: None
    _hangs: bool = False
    _emit: dict[str | None, Callable[[float, Event], None]] = field(default_factory=dict)
    _dead: anyio.Event = field(default_factory=anyio.Event)

    @contextmanager
    def listen(self, call: str | None, emit: Callable[[float, Event], None]) -> Iterator[None]:
        self._emit[call] = emit
        yield
        del self._emit[call]

    def tell(self, event: Event) -> None:
        for emit in self._emit.values():
            emit(time.monotonic(), event)

    async def fence(self) -> None:
        self.fences += 1
        self.on_fence()
        if self._hangs:
            await anyio.sleep_forever()

    def hang(self) -> None:
        self._hangs = True

    async def wait_dead(self) -> FakeDeath:
        await self._dead.wait()
        return FakeDeath()

    def die(self) -> None:
        self._dead.set()


@asynccontextmanager
async def served(server: MCPServer) -> AsyncIterator[FakeWorker]:
    """A fake worker whose only server is this one."""
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = _without_call(server.streamable_http_app(transport_security=security))
    config = uvicorn.Config(app, log_level="error", lifespan="on", ws="none", timeout_graceful_shutdown=1)
    serving = uvicorn.Server(config)
    with tempfile.TemporaryDirectory(prefix="rp") as directory:
        path = str(Path(directory) / "w")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serving.serve, [listener])
                yield FakeWorker(path)
                # A call that was left in the middle would hold a polite end for seconds.
                serving.should_exit = serving.force_exit = True


def _without_call(app: ASGIApp) -> ASGIApp:
    async def rewritten(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            _, _server, _call, *rest = scope["path"].split("/")
            path = "/" + "/".join(rest)
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await app(scope, receive, send)

    return rewritten
