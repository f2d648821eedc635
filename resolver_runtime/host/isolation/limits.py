"""What one worker may use up."""

from __future__ import annotations

import resource

MIB = 1 << 20

MEMORY = 1024 * MIB
"""Bytes that each process of a worker may write to."""
ADDRESSES = 8 * MEMORY
"""Bytes of addresses: threads and libraries reserve far more than they use."""
FILE = 256 * MIB
"""Bytes of one file."""
FILES = 512
"""Open at once."""
PROCESSES = 128
"""Processes and threads together; ours are six, and anyio's pool has forty."""

_LIMITS = {
    resource.RLIMIT_DATA: MEMORY,
    resource.RLIMIT_AS: ADDRESSES,
    resource.RLIMIT_FSIZE: FILE,
    resource.RLIMIT_NOFILE: FILES,
    resource.RLIMIT_CORE: 0,
}


def apply(*, own_count: bool) -> None:
    """`own_count`: whether the kernel counts this worker's processes apart from everybody else's."""
    for name, most in _LIMITS.items():
        _lower(name, most)
    if own_count:
        _lower(resource.RLIMIT_NPROC, PROCESSES)


def _lower(name: int, most: int) -> None:
    _, hard = resource.getrlimit(name)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(name, (least, least))
