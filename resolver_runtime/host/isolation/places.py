"""What an isolated worker can read besides its module: the interpreter, its libraries, and the system's plain facts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
"""To be written to as well."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/dev/random", "/dev/urandom")
_FACTS = (
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/resolv.conf", "/etc/os-release"),
    *("/etc/localtime", "/etc/timezone", "/etc/mime.types", "/etc/ld.so.cache", "/etc/alternatives"),
    *("/etc/ssl", "/etc/pki", "/etc/ca-certificates"),
)
"""Not the whole of /etc and /proc: secrets and other processes are there."""


def readable(module: Iterable[str], private: str) -> Iterator[str]:
    """Every path to allow, but for those that hold `private`."""
    own = str(Path(__file__).parents[2])
    interpreter = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path)
    yield from (*_SYSTEM, *_FACTS)
    hidden = os.path.realpath(private)
    for path in map(os.path.realpath, (own, *interpreter, *module)):
        # A rule that allows a directory cannot leave out a part of it.
        if os.path.commonpath([path, hidden]) != path:
            yield path
