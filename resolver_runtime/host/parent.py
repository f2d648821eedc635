"""The warm parent: imports everything once, and forks a worker in milliseconds whenever it is asked to.

One thread and no event loop, so that a fork copies nothing half done. Speaks JSON lines, in which a worker goes by the
number it was ordered with: down come `start` (a job) and `kill`, up go `ready`, `started` (its process id) and `ended`
(the status of `os.waitpid`, and its last words). When its standard input ends it ends, and every worker with it. It
adopts what its workers leave behind, and ends it.
"""

from __future__ import annotations

import gc
import importlib
import json
import logging
import os
import select
import signal
import time
import traceback
from contextlib import suppress
from typing import Any

from resolver_runtime.host import fresh, process, worker
from resolver_runtime.host.children import Child, Children
from resolver_runtime.host.job import Job
from resolver_runtime.host.loop import exit_code
from resolver_runtime.host.output import Ends
from resolver_runtime.host.pipes import open_pipe

GRACE_SECONDS = 0.2
"""Between the request to end and the end."""
LATE_IMPORTS = (
    "anyio._backends._asyncio",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.auto",
    "mcp.server.streamable_http_manager",
    "rich.console",
    "rich.logging",
)
"""What every worker imports as it begins to serve; not every one of them is there everywhere."""


class Parent:
    def __init__(self) -> None:
        self._children = Children()
        self._buffer = b""
        read, write = os.pipe()
        os.set_blocking(write, False)
        self._wake = read
        self._ends = (read, write)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl+C at the terminal is the web process's to answer
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def run(self) -> None:
        with suppress(BrokenPipeError):  # the web process is gone
            _tell(kind="ready")
            while self._turn():
                pass
        for pid in self._children.pids():
            process.kill_tree(pid)
        with suppress(ChildProcessError):
            while True:  # nobody else would collect them where there is no proper init
                self._end_orphans(())
                os.waitpid(-1, 0)

    def _turn(self) -> bool:
        timeout = GRACE_SECONDS / 4 if self._children.any_dying() else None
        ready, _, _ = select.select([0, self._wake], [], [], timeout)
        if self._wake in ready:
            os.read(self._wake, 4096)
        self._reap()
        for pid in self._children.due(time.monotonic()):
            process.kill_tree(pid)
        return 0 not in ready or self._read()

    def _read(self) -> bool:
        piece = os.read(0, 65_536)
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return bool(piece)

    def _obey(self, order: dict[str, Any]) -> None:
        if order["kind"] == "start":
            child = self._start(order["number"], Job(**order["job"]))
            self._children.add(child)
            _tell(kind="started", number=child.number, pid=child.pid)
        else:
            self._let_die(order["number"])

    def _let_die(self, number: int) -> None:
        child = self._children.numbered(number)
        if child is not None:
            process.kill_group(child.pid, signal.SIGTERM)
            self._children.let_die(child, time.monotonic() + GRACE_SECONDS)

    def _start(self, number: int, job: Job) -> Child:
        if not hasattr(os, "fork"):
            return Child(number, fresh.start(job))
        parent = os.getpid()
        (read_out, write_out), (read_err, write_err) = ends = open_pipe(), open_pipe()
        pid = os.fork()
        if pid == 0:
            self._be_worker(job, parent, ends)
        os.close(write_out)
        os.close(write_err)
        return Child(number, pid, {"stdout": read_out, "stderr": read_err})

    def _be_worker(self, job: Job, parent: int, ends: Ends) -> None:
        code = 1
        try:
            process.stand_alone(parent)
            process.forget_parent()
            for descriptor in (*self._ends, *self._children.descriptors()):
                os.close(descriptor)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1):
                os.dup2(nothing, descriptor)
            os.close(nothing)
            worker.run(job, ends)
            code = 0
        except (SystemExit, KeyboardInterrupt) as error:
            code = exit_code(error)
        except BaseException:  # the last word of a worker that never came to serve
            traceback.print_exc()
        finally:
            os._exit(code)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                break
            if (child := self._children.pop(pid)) is not None:
                process.kill_group(pid, signal.SIGKILL)
                _tell(kind="ended", number=child.number, status=status, words=child.last_words())
        self._end_orphans(self._children.pids())

    def _end_orphans(self, workers: tuple[int, ...]) -> None:
        """What a dead worker left is ours now."""
        for pid in process.children_of(os.getpid()):
            if pid not in workers:
                process.kill_tree(pid)


def _tell(**frame: Any) -> None:
    rest = json.dumps(frame).encode() + b"\n"
    while rest:  # a signal may come in the middle
        rest = rest[os.write(1, rest) :]


def main() -> None:
    """Warm up, then wait for orders."""
    process.become_subreaper()
    for name in LATE_IMPORTS:
        with suppress(ImportError):
            importlib.import_module(name)
    # What importing has set up would keep the user's own `logging.basicConfig` from doing anything.
    logging.getLogger().handlers.clear()
    logging.getLogger().setLevel(logging.WARNING)
    # What is here stays: a worker that collects garbage would else copy every page of it.
    gc.collect()
    gc.freeze()
    Parent().run()
