"""The warm parent: imports everything once, and forks a worker in milliseconds whenever it is asked to.

One thread and no event loop, so that a fork copies nothing half done. Speaks JSON lines: down come `start` (a job) and
`kill` (a process id), up go `ready`, `started`, and `ended` with the status of `os.waitpid`. When its standard input
ends it ends, and every worker with it. It adopts what its workers leave behind, and ends it.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from typing import Any

from resolver_runtime.host import process, worker
from resolver_runtime.host.job import Job

GRACE_SECONDS = 0.2
"""Between the request to end and the end."""


class Parent:
    """`workers` maps process ids to the moment at which each will be killed (None: it may live)."""

    def __init__(self) -> None:
        self._workers: set[int] = set()
        self._dying: dict[int, float] = {}
        self._buffer = b""
        read, write = os.pipe()
        os.set_blocking(write, False)
        self._wake = read
        self._ends = (read, write)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl+C at the terminal is the web process's to answer
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def run(self) -> None:
        self._tell(kind="ready")
        while self._turn():
            pass
        for pid in self._workers:
            self._kill_tree(pid)
        self._workers.clear()
        with suppress(ChildProcessError):
            while True:  # nobody else would collect them where there is no proper init
                self._end_orphans()
                os.waitpid(-1, 0)

    def _turn(self) -> bool:
        timeout = GRACE_SECONDS / 4 if self._dying else None
        ready, _, _ = select.select([0, self._wake], [], [], timeout)
        if self._wake in ready:
            os.read(self._wake, 4096)
        self._reap()
        self._finish_dying()
        return 0 not in ready or self._read()

    def _read(self) -> bool:
        piece = os.read(0, 65_536)
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return bool(piece)

    def _obey(self, order: dict[str, Any]) -> None:
        if order["kind"] == "start":
            pid = self._start(Job(**order["job"]))
            self._workers.add(pid)
            self._tell(kind="started", number=order["number"], pid=pid)
        elif order["pid"] in self._workers:
            process.kill_group(order["pid"], signal.SIGTERM)
            self._dying.setdefault(order["pid"], time.monotonic() + GRACE_SECONDS)

    def _start(self, job: Job) -> int:
        if not hasattr(os, "fork"):
            command = [sys.executable, "-m", "resolver_runtime.host", json.dumps(job.to_json())]
            return subprocess.Popen(command, stdin=subprocess.DEVNULL).pid
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._be_worker(job, parent)
        return pid

    def _be_worker(self, job: Job, parent: int) -> None:
        code = 1
        try:
            process.stand_alone(parent)
            process.forget_parent()
            for descriptor in self._ends:
                os.close(descriptor)
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            worker.run(job)
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        except BaseException:  # the last word of a worker that never came to serve
            traceback.print_exc()
        finally:
            os._exit(code)

    def _finish_dying(self) -> None:
        for pid, deadline in list(self._dying.items()):
            if time.monotonic() >= deadline:
                self._kill_tree(pid)
                del self._dying[pid]

    def _kill_tree(self, pid: int) -> None:
        tree = process.tree_of(pid)
        process.kill_group(pid, signal.SIGKILL)
        for member in tree:
            process.kill(member, signal.SIGKILL)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                break
            if pid in self._workers:
                self._workers.discard(pid)
                self._dying.pop(pid, None)
                process.kill_group(pid, signal.SIGKILL)
                self._tell(kind="ended", pid=pid, status=status)
        self._end_orphans()

    def _end_orphans(self) -> None:
        """What a dead worker left is ours now."""
        for pid in process.children_of(os.getpid()):
            if pid not in self._workers:
                for member in process.tree_of(pid):
                    process.kill(member, signal.SIGKILL)

    def _tell(self, **frame: Any) -> None:
        os.write(1, json.dumps(frame).encode() + b"\n")


def main() -> None:
    """Warm up, then wait for orders."""
    process.become_subreaper()
    # What importing has set up would keep the user's own `logging.basicConfig` from doing anything.
    logging.getLogger().handlers.clear()
    logging.getLogger().setLevel(logging.WARNING)
    Parent().run()
