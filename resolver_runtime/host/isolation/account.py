"""Who the worker is: an account of its own where root starts it, else a user namespace of its own; without rights.

Either makes the kernel count its processes apart from everybody else's.
"""

from __future__ import annotations

import ctypes
import os
import signal

from .kernel import UNAVAILABLE, called, if_available

FIRST_UID = 0x7000_0000
"""Above every range that distributions, containers and systemd give out. One account for each process id."""

_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_RAISE = 2
_CLONE_NEWUSER = 0x1000_0000
_CAP_DAC_READ_SEARCH = 2
_CAPABILITIES_VERSION = 0x2008_0522


def leave_parents_account(scratch: str) -> tuple[bool, bool]:
    """Whether the worker has a uid of its own now, and whether its processes are counted apart."""
    parent = os.getppid()
    called("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    kept = _permitted() & 1 << _CAP_DAC_READ_SEARCH
    own_uid = os.geteuid() == 0 and _own_uid(scratch)
    apart = own_uid or _own_namespace()
    # What root could read its worker reads too; which of it, Landlock says. So modules may lie in a private directory.
    _set_capabilities(kept if own_uid else 0)
    called("prctl", _PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)  # a change of account has cleared it
    if os.getppid() != parent:
        os._exit(1)
    return own_uid, apart


def _own_uid(scratch: str) -> bool:
    uid = FIRST_UID + os.getpid()
    with if_available():
        os.chown(scratch, uid, uid)
        os.setgroups([])
        called("prctl", _PR_SET_KEEPCAPS, 1, 0, 0, 0)
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    return os.geteuid() == uid


def _own_namespace() -> bool:
    try:
        _enter_namespace(os.geteuid(), os.getegid())
    except OSError as error:
        if error.errno not in UNAVAILABLE:
            raise
        return False
    return os.geteuid() != 0  # the kernel never counts root's


def _enter_namespace(uid: int, gid: int) -> None:
    called("unshare", _CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def capabilities(low: int = 0) -> tuple[ctypes.Array[ctypes.c_uint32], ctypes.Array[ctypes.c_uint32]]:
    """The arguments of `capset` and `capget`: `low` of the first 32, effective, permitted and inheritable."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    return header, (ctypes.c_uint32 * 6)(low, low, low, 0, 0, 0)


def _permitted() -> int:
    header, data = capabilities()
    called("capget", header, data)
    return int(data[1])


def _set_capabilities(low: int) -> None:
    """These and no others, for the programs it starts too."""
    called("capset", *capabilities(low))
    if low:
        called("prctl", _PR_CAP_AMBIENT, _RAISE, _CAP_DAC_READ_SEARCH, 0, 0)
