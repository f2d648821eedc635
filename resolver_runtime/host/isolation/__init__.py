"""Walls round a worker, on Linux: limits, an account of its own, Landlock and seccomp.

Once put up they stand, for the process and all it starts. Knows no `mcp` and nothing else of ours, so that the
self-test (`__main__`) is quick. What it keeps apart are the workspaces and the playground; it is no virtual machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable

if sys.platform == "linux":
    from . import account, landlock, limits, places, seccomp
    from .kernel import if_available

AVAILABLE = sys.platform == "linux"
ELSEWHERE = f"Isolation is there on Linux only: on {sys.platform}, a module can do whatever your account can."


class NotOffered(RuntimeError):
    """Raised where this system has no isolation at all."""


def isolate(scratch: str, readable: Iterable[str], private: str) -> None:
    """Leave this process its own scratch directory, and of the rest what a Python program must read.

    `readable` are the paths of the module. None is allowed that holds `private`, where all scratch directories are.
    For a process with one thread: the walls are round a thread, and those it starts later.

    Raises:
        NotOffered: this is not Linux.
        OSError: a wall could not be put up although the kernel offers it.
    """
    if not AVAILABLE:
        raise NotOffered(ELSEWHERE)
    own_uid, apart = account.leave_parents_account(scratch)
    limits.apply(own_count=apart)
    offered = landlock.version()
    if offered:
        landlock.restrict(offered, places.readable(readable, private), [scratch, *places.DEVICES])
    with if_available():
        seccomp.restrict(own_uid=own_uid, signals_scoped=offered >= landlock.SCOPES_SIGNALS)
    _settle_in(scratch)


def _settle_in(scratch: str) -> None:
    """Where programs put what they keep."""
    os.environ.update(HOME=scratch, TMPDIR=scratch)
    tempfile.tempdir = None
