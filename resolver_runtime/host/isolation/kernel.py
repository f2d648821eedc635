"""Calls to the Linux kernel that Python has no function for. Knows numbers and errors, not what they are good for."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

_libc = ctypes.CDLL(None, use_errno=True)

UNAVAILABLE = frozenset(
    {errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOSPC, errno.EUSERS}
)
"""What a kernel answers that lacks a layer, or is told by its administrator not to offer it."""


def called(function: str, *arguments: object) -> int:
    """What libc's function returned. Raises: OSError."""
    result = int(getattr(_libc, function)(*(_wide(argument) for argument in arguments)))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
    return result


@contextmanager
def if_available() -> Iterator[None]:
    """Go on without what the kernel does not offer: the self-test tells what that leaves open."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNAVAILABLE:
            raise


def _wide(argument: object) -> object:
    """Variadic functions read whole registers: an int would fill the lower half only."""
    return ctypes.c_long(argument) if isinstance(argument, int) else argument
