"""HTTP over a worker's Unix socket, on asyncio's own streams.

anyio's stream for Unix sockets (4.16) leaves an error in the event loop when a read is cancelled in the moment in which
bytes arrive, as happens when a session is closed: `set_result` on a future that was cancelled. Nothing is lost by it,
but it is told as if something were.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from functools import cache
from typing import Any

import anyio
import httpcore2
import httpx2


def unix_transport(path: str) -> httpx2.AsyncHTTPTransport:
    """The transport to the socket at `path`."""
    transport = httpx2.AsyncHTTPTransport(verify=_no_tls())
    # httpx2 has no parameter for the backend of its pool.
    transport._pool = httpcore2.AsyncConnectionPool(uds=path, network_backend=_Backend())
    return transport


@cache
def _no_tls() -> ssl.SSLContext:
    """The TLS context that httpx2 would make for each transport, and that a Unix socket has no use for."""
    return httpx2.create_ssl_context(verify=False)


class _Backend(httpcore2.AsyncNetworkBackend):
    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002 - a Unix socket has none that matter here
    ) -> httpcore2.AsyncNetworkStream:
        try:
            with anyio.fail_after(timeout):
                return _Stream(*await asyncio.open_unix_connection(path))
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error


class _Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            with anyio.fail_after(timeout):
                return await self._reader.read(max_bytes)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout from error
        except OSError as error:
            raise httpcore2.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            with anyio.fail_after(timeout):
                self._writer.write(buffer)
                await self._writer.drain()
        except TimeoutError as error:
            raise httpcore2.WriteTimeout from error
        except OSError as error:
            raise httpcore2.WriteError(str(error)) from error

    async def aclose(self) -> None:
        self._writer.transport.abort()

    def get_extra_info(self, info: str) -> Any:
        return self._reader.at_eof() if info == "is_readable" else None
