"""What a worker does to its own process: it stands alone, ends with its parent, and leaves nobody behind.

Linux offers all of it, other systems a part; each part is worth having alone.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
from contextlib import suppress

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Adopt the orphans of this process's descendants, so that they can be found and ended."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def stand_alone(parent: int) -> None:
    """Lead a process group of its own, and be killed when `parent` ends."""
    os.setsid()
    become_subreaper()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the line above
        os._exit(1)


def forget_parent() -> None:
    """After a fork: default signals, and random numbers of its own."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    random.seed()


def children_of(pid: int) -> list[int]:
    """The direct children of a process; none where the system does not tell."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def tree_of(pid: int) -> list[int]:
    """A process and all its descendants, itself first."""
    tree = [pid]
    for member in tree:
        tree += children_of(member)
    return tree


def kill_tree(pid: int) -> None:
    """End a process, its group and all its descendants; each may be gone."""
    tree = tree_of(pid)
    kill_group(pid, signal.SIGKILL)
    for member in tree:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGKILL)


def kill_group(leader: int, number: int) -> None:
    """Send a signal to a process group that may be gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
