"""seccomp: which system calls a process may make from now on, as a classic BPF program (seccomp.h, filter.h)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Iterator

from . import syscalls
from .kernel import called

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32 = 0x4000_0000
_ALLOW = 0x7FFF_0000
_REFUSE = 0x0005_0000 | errno.EPERM
_UNKNOWN = 0x0005_0000 | errno.ENOSYS
_NEW_NAMESPACES = 0x7E02_0000
_SOCK_TYPE, _SOCK_STREAM = 0xF, 1

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2

Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def restrict(*, own_uid: bool, signals_scoped: bool) -> None:
    """Refuse what a worker has no use for, with EPERM. Needs `no_new_privs`. Raises: OSError where there is no such."""
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"No table of system calls for {machine}")
    code = b"".join(struct.pack("HBBI", *one) for one in program(machine, own_uid, signals_scoped))
    called("prctl", _PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(_Program(len(code) // 8, code)), 0, 0)


def program(machine: str, own_uid: bool, signals_scoped: bool) -> list[Instruction]:
    """The whole filter: whatever no rule is about is allowed."""
    place = syscalls.MACHINES[machine]
    refused = dict(syscalls.ALWAYS)
    own = {"the caller": (syscalls.ON_ITSELF_ONLY, 0)}
    if not own_uid:
        refused |= syscalls.ON_SHARED_ACCOUNT
    if not signals_scoped:
        refused |= syscalls.SIGNALS_BY_OTHER_NAMES
        own["the worker"] = (syscalls.SIGNALS, os.getpid())
    code = [*_only_on(_ARCHITECTURES[machine])]
    for numbers in refused.values():
        code += _for_call(numbers[place], [(_RETURN, 0, 0, _REFUSE)])
    for table, value in own.values():
        for numbers in table.values():
            code += _for_call(numbers[place], _unless(_FIRST_ARGUMENT, _JUMP_EQUAL, value))
    code += _for_call(syscalls.CLONE[place], _if_any_bit(_NEW_NAMESPACES))
    # Its flags are out of a filter's sight; told that there is none, libc takes the older one.
    code += _for_call(syscalls.CLONE3[place], [(_RETURN, 0, 0, _UNKNOWN)])
    # A pair of datagram sockets can send to any address.
    code += _for_call(syscalls.SOCKETPAIR[place], _unless_stream())
    return [*code, (_RETURN, 0, 0, _ALLOW)]


def _only_on(architecture: int) -> Iterator[Instruction]:
    """Refuse what comes by another table of numbers than the one we know."""
    yield (_LOAD, 0, 0, _ARCHITECTURE)
    yield (_JUMP_EQUAL, 1, 0, architecture)
    yield (_RETURN, 0, 0, _REFUSE)
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_JUMP_AT_LEAST, 0, 1, _X32)
    yield (_RETURN, 0, 0, _REFUSE)


def _for_call(number: int, verdict: Iterable[Instruction]) -> list[Instruction]:
    """`verdict` if it is this call. The number is loaded, before and after."""
    if number < 0:
        return []
    body = list(verdict)
    return [(_JUMP_EQUAL, 0, len(body), number), *body]


def _unless(argument: int, jump: int, value: int) -> list[Instruction]:
    return [
        (_LOAD, 0, 0, argument),
        (jump, 1, 0, value),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _if_any_bit(bits: int) -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_ANY_BIT, 0, 1, bits),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _unless_stream() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_AND, 0, 0, _SOCK_TYPE),
        (_JUMP_EQUAL, 1, 0, _SOCK_STREAM),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
