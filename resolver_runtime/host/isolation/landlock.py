"""Landlock: which files a process may use from now on, and all its children. Numbers are the kernel's (landlock.h)."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

from .kernel import UNAVAILABLE, called

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_ALL_OF_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3

_READ = _EXECUTE | _READ_FILE | _READ_DIR
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

SCOPES_SIGNALS = 6
"""The first version that keeps a process from signalling those outside."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """What the kernel offers; 0: nothing."""
    try:
        return called("syscall", _CREATE_RULESET, None, 0, _VERSION)
    except OSError as error:
        if error.errno not in UNAVAILABLE:
            raise
        return 0


def restrict(offered: int, readable: Iterable[str], writable: Iterable[str]) -> None:
    """Allow these paths and what is beneath them, and no others. What is not there is passed over.

    Needs `no_new_privs`. Holds for the calling thread and what it starts.
    """
    handled = _handled(offered)
    # The structure has grown with the versions, and an older kernel refuses what it does not know.
    size = 8 * (1 + (offered >= 4) + (offered >= 6))
    rules = _Ruleset(handled, _BIND_AND_CONNECT, _ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = called("syscall", _CREATE_RULESET, ctypes.byref(rules), size, 0)
    for paths, rights in ((readable, _READ), (writable, handled)):
        for path in dict.fromkeys(paths):
            _allow(ruleset, path, rights & handled)
    called("syscall", _RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _handled(offered: int) -> int:
    later = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV))
    return _ALL_OF_1 | sum(right for since, right in later if offered >= since)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not there, or not to be reached anyway
        return
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= _ON_FILES
    called("syscall", _ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(_Beneath(rights, descriptor)), 0)
    os.close(descriptor)
