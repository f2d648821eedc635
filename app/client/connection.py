"""The way to a worker: Streamable HTTP on its Unix socket, every message in both directions told as it passes."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Literal, Self

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from app.client.transport import unix_transport

Direction = Literal["sent", "received"]
Told = Callable[[Direction, dict[str, Any]], None]

_NO_LIMITS: dict[str, Any] = {
    # A result may be larger than the transport's limit for one event; older transports have none to lift.
    name: None
    for name in ("max_sse_event_size",)
    if name in inspect.signature(streamable_http_client).parameters
}


class _Tapped:
    """One end of the transport's streams; closing it closes the transport's."""

    def __init__(self, inner: Any, told: Told) -> None:
        self._inner = inner
        self._told = told

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Sending(_Tapped):
    """The client's end for what it sends, until it is cut."""

    def __init__(self, inner: Any, told: Told) -> None:
        super().__init__(inner, told)
        self._cut = False
        self._waiting: set[anyio.CancelScope] = set()

    async def send(self, item: SessionMessage, /) -> None:
        """Raises: BrokenResourceError once it is cut."""
        with anyio.CancelScope() as scope:
            if self._cut:
                raise anyio.BrokenResourceError
            self._told("sent", _json(item))
            self._waiting.add(scope)
            try:
                await self._inner.send(item)
            finally:
                self._waiting.discard(scope)
        if scope.cancelled_caught:
            raise anyio.BrokenResourceError

    async def cut_when_cancelled(self) -> None:
        """Send nothing any more once this task is cancelled.

        A session that is cancelled shields its last words for seconds, and a worker that spins does not listen.
        """
        try:
            await anyio.sleep_forever()
        finally:
            self._cut = True
            for scope in tuple(self._waiting):
                scope.cancel()


class Receiving(_Tapped):
    """The client's end for what it receives; transport faults pass through untold."""

    async def receive(self) -> SessionMessage | Exception:
        item: SessionMessage | Exception = await self._inner.receive()
        if isinstance(item, SessionMessage):
            self._told("received", _json(item))
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        item: SessionMessage | Exception = await self._inner.__anext__()
        if isinstance(item, SessionMessage):
            self._told("received", _json(item))
        return item


@asynccontextmanager
async def connected(
    socket: str, path: str, headers: Mapping[str, str], told: Told
) -> AsyncIterator[tuple[Receiving, Sending]]:
    """The two streams of a new MCP connection to the worker that listens at `socket`.

    Raises:
        ExceptionGroup: the connection could not be made, or broke (of httpx2's errors).
    """
    # No clock on a question, and no proxy on the way.
    uds = unix_transport(socket)
    async with (
        httpx2.AsyncClient(transport=uds, timeout=None, headers=dict(headers), trust_env=False) as http,
        # The server's check of the host wants a port.
        streamable_http_client(f"http://worker:8000{path}", http_client=http, **_NO_LIMITS) as (read, write),
    ):
        sending = Sending(write, told)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sending.cut_when_cancelled)
            yield Receiving(read, told), sending
            tasks.cancel_scope.cancel()


def _json(item: SessionMessage) -> dict[str, Any]:
    return item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
