"""All workers of this process, and the warm parents they are forked from."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import socket
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.abc

from app.workers.death import WorkerFailed, death_of, start_death
from app.workers.parent import Parent, warm_parent
from app.workers.spec import ModuleSpec
from app.workers.worker import Worker
from resolver_runtime import wire

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

IMPORT_SECONDS = 120.0
"""For a module to import: generous, for some load models; shown while it lasts."""
CONNECT_SECONDS = 20.0
"""From the order to start until the new process reports, on a machine under load."""


class Workers:
    """Starts workers while the `async with` lasts; at its end none is left.

    The parent for the default interpreter is made at once, so that it is warm when the first worker is wanted.
    """

    def __init__(self) -> None:
        self._directory = tempfile.mkdtemp(prefix="rp")
        self._key = secrets.token_hex(32)
        self._workers: dict[int, Worker] = {}
        self._early_deaths: dict[int, int] = {}
        self._parents: dict[str | None, Parent] = {}
        self._starting = anyio.Lock()
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

    async def start(self, spec: ModuleSpec) -> Worker:
        """A worker that has loaded its module. What is wrong with the module stands in its survey.

        Raises:
            WorkerFailed: it never became ready.
        """
        async with self._starting:
            worker = await self._started(spec)
        with anyio.move_on_after(IMPORT_SECONDS) as deadline:
            await worker.wait_loaded()
        if deadline.cancelled_caught:
            await worker.kill()
            raise WorkerFailed(_slow(), "\n".join(worker.output))
        if worker.death is not None and not worker.survey:
            raise WorkerFailed(worker.death, "\n".join(worker.output))
        return worker

    async def _started(self, spec: ModuleSpec) -> Worker:
        self._count += 1
        reports, serves = (str(Path(self._directory, f"{self._count}{end}")) for end in "rs")
        job = {
            "module": spec.module,
            "engine": spec.engine,
            "socket": serves,
            "reports": reports,
            "key": self._key,
            "directory": os.getcwd(),
        }
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(reports)
            listener.listen(1)
            listener.setblocking(False)
            parent = await self._parent(spec.python)
            pid = await parent.start(job)
            streams = await self._connected(listener, pid)
        worker = Worker(pid, serves, streams[1], parent.kill)
        self._workers[pid] = worker
        self._tasks.start_soon(self._follow, worker, streams, (reports, serves))
        if pid in self._early_deaths:
            self._ended(pid, self._early_deaths.pop(pid))
        return worker

    async def _connected(self, listener: socket.socket, pid: int) -> Streams:
        with anyio.move_on_after(CONNECT_SECONDS):
            await anyio.wait_readable(listener)
            connection, _ = listener.accept()
            # asyncio's stream reads lines, and is at peace when a read is cancelled (see app/client/transport.py).
            return await asyncio.open_unix_connection(sock=connection, limit=wire.MAX_FRAME)
        raise WorkerFailed(_silent(pid))

    async def _follow(self, worker: Worker, streams: Streams, paths: tuple[str, str]) -> None:
        reader, writer = streams
        try:
            # At the end it has ended, or closed its side: its parent says which.
            while line := await reader.readline():
                worker.hear(line)
        except ValueError:  # a line beyond the limit
            await worker.kill()
        except OSError:
            pass
        finally:
            for path in paths:
                Path(path).unlink(missing_ok=True)
            writer.transport.abort()

    async def _parent(self, python: str | None) -> Parent:
        if python not in self._parents:
            self._parents[python] = await self._tasks.start(self._keep_parent, python)
        return self._parents[python]

    async def _keep_parent(self, python: str | None, *, task_status: anyio.abc.TaskStatus[Parent]) -> None:
        """In a task of its own: whoever asks for a worker may be cancelled, and the parent stays."""
        async with warm_parent(python, self._ended) as parent:
            task_status.started(parent)
            await anyio.sleep_forever()

    def _ended(self, pid: int, status: int) -> None:
        worker = self._workers.pop(pid, None)
        if worker is None:
            self._early_deaths[pid] = status
        else:
            worker.died(death_of(status))


def _slow() -> Any:
    return start_death(
        f"The module did not finish importing within {IMPORT_SECONDS:g} s, and its worker was ended.",
        "Move what takes long out of the module's top, into the server's lifespan or into a tool.",
    )


def _silent(pid: int) -> Any:
    return start_death(
        f"The worker's process {pid} did not report within {CONNECT_SECONDS:g} s.",
        "Try again; if it happens again, the machine has no room for another process.",
    )
