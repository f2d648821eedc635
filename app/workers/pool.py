"""All workers of this process, and the warm parents they are forked from."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
import anyio.abc

from app.workers.death import Death, WorkerFailed, no_isolation, not_loaded, not_started
from app.workers.parent import Parent, warm_parent
from app.workers.spec import ModuleSpec
from app.workers.worker import Worker
from resolver_runtime import wire

IMPORT_SECONDS = 120.0
"""For a module to import and its servers to begin: generous, for some load models; shown while it lasts."""
CONNECT_SECONDS = 20.0
"""From the start of the new process until it reports, on a machine under load."""
LONGEST_DIRECTORY = 90
"""Bytes of the path to the sockets: with their names it stays under what a socket may have."""


class Workers:
    """Starts workers while the `async with` lasts; at its end none is left.

    The parent for the default interpreter is made at once, so that it is warm when the first worker is wanted.
    """

    def __init__(self) -> None:
        self._directory = _short_directory()
        self._parents: dict[str | None, Parent] = {}
        self._starting: dict[str | None, anyio.Lock] = defaultdict(anyio.Lock)
        self._count = 0
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._stack.callback(shutil.rmtree, self._directory, ignore_errors=True)
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        self._stack.callback(lambda: self._tasks.cancel_scope.cancel())
        await self._parent(None)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, trace)

    async def start(self, spec: ModuleSpec, key: str | None = None) -> Worker:
        """A worker that has loaded its module. What is wrong with the module stands in its survey.

        `key` seals its request states (`new_key`); without one no other worker can open them.

        Raises:
            WorkerFailed: it never became ready.
        """
        self._count += 1
        reports, serves, scratch = (str(Path(self._directory, f"{self._count}{end}")) for end in "rsf")
        worker = Worker(serves)
        if spec.isolate and sys.platform != "linux":
            raise WorkerFailed(no_isolation(sys.platform))
        try:
            await self._begin(worker, spec, key or new_key(), reports, scratch if spec.isolate else None)
            await _loaded(worker)
        except BaseException:  # cancelled, or failed: nobody will ever call it
            with anyio.CancelScope(shield=True):
                await worker.kill()
            raise
        return worker

    async def _begin(self, worker: Worker, spec: ModuleSpec, key: str, reports: str, scratch: str | None) -> None:
        job = {
            "module": spec.module,
            "engine": spec.engine,
            "socket": worker.socket,
            "reports": reports,
            "key": key,
            "directory": os.getcwd(),
            "scratch": scratch,
        }
        with _listening(reports) as listener:
            async with self._starting[spec.python]:
                parent = await self._parent(spec.python)
            await parent.start(worker, job)
            connection = await _accepted(listener, worker)
        # asyncio's stream reads lines, and is at peace when a read is cancelled (see app/client/transport.py).
        streams = await asyncio.open_unix_connection(sock=connection, limit=wire.MAX_FRAME)
        self._tasks.start_soon(self._follow, worker, scratch, *streams)

    async def _follow(
        self, worker: Worker, scratch: str | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await worker.follow(reader, writer)
            if scratch is not None:
                await anyio.to_thread.run_sync(partial(shutil.rmtree, scratch, ignore_errors=True))
        finally:
            Path(worker.socket).unlink(missing_ok=True)

    async def _parent(self, python: str | None) -> Parent:
        parent = self._parents.get(python)
        if parent is None or parent.gone:
            parent = self._parents[python] = await self._tasks.start(self._keep_parent, python)
        return parent

    async def _keep_parent(self, python: str | None, *, task_status: anyio.abc.TaskStatus[Parent]) -> None:
        """In a task of its own: whoever asks for a worker may be cancelled, and the parent stays."""
        async with warm_parent(python) as parent:
            task_status.started(parent)
            await parent.wait_gone()


def new_key() -> str:
    """A key for request states, 256 bits in hexadecimal."""
    return secrets.token_hex(32)


def _short_directory() -> str:
    """A new directory for sockets, whose paths may have 104 bytes at most (macOS; Linux 108)."""
    directory = tempfile.mkdtemp(prefix="rp")
    if len(os.fsencode(directory)) <= LONGEST_DIRECTORY:
        return directory
    os.rmdir(directory)
    return tempfile.mkdtemp(prefix="rp", dir="/tmp")


async def _loaded(worker: Worker) -> None:
    with anyio.move_on_after(IMPORT_SECONDS):
        await worker.wait_loaded()
    if not worker.survey:
        raise _failed(worker, not_loaded(IMPORT_SECONDS))


@contextmanager
def _listening(path: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        try:
            listener.listen(1)
            listener.setblocking(False)
            yield listener
        finally:
            Path(path).unlink(missing_ok=True)


async def _accepted(listener: socket.socket, worker: Worker) -> socket.socket:
    """The worker's connection; it may die before it makes one."""
    with anyio.move_on_after(CONNECT_SECONDS):
        async with anyio.create_task_group() as first:
            first.start_soon(_cancel_with, worker, first.cancel_scope)
            await anyio.wait_readable(listener)
            first.cancel_scope.cancel()
    try:
        return listener.accept()[0]
    except BlockingIOError:
        raise _failed(worker, not_started(CONNECT_SECONDS)) from None


async def _cancel_with(worker: Worker, scope: anyio.CancelScope) -> None:
    await worker.wait_dead()
    scope.cancel()


def _failed(worker: Worker, otherwise: Death) -> WorkerFailed:
    return WorkerFailed(worker.death or otherwise, "\n".join(worker.output))
