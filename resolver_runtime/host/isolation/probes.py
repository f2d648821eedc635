"""The self-test: an isolated process tries what it must not be able to do, and what goes through is a hole.

Nothing is harmed where a probe goes through: it touches only what the test has made for it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from . import isolate, limits
from .kernel import called

PROBE_SECONDS = 10.0
"""For one probe; one that hangs has not been refused."""

_PTRACE_SEIZE = 0x4206
_OPEN, _CLOSED = 0, 1


@dataclass(frozen=True)
class Target:
    """What a probe may try itself on: a process that stands for the playground's, with a secret in its memory."""

    pid: int
    secret: ctypes.Array[ctypes.c_char]
    scratch: Path
    others: Path
    tcp: tuple[str, int]
    udp: tuple[str, int]
    unix: str


Probe = Callable[[Target], object]
"""Returns where there is a hole; raises OSError or MemoryError where there is none."""


def holes(*, isolated: bool = True) -> list[str]:
    """What a worker can do that it should not be able to, a sentence each; `isolated` False: without any walls."""
    with _target() as target:
        return [sentence for sentence, probe in PROBES.items() if _goes_through(probe, target, isolated)]


def _read_environment(target: Target) -> None:
    Path(f"/proc/{target.pid}/environ").read_bytes()


def _read_memory(target: Target) -> None:
    with open(f"/proc/{target.pid}/mem", "rb", buffering=0) as memory:
        os.pread(memory.fileno(), 6, ctypes.addressof(target.secret))


def _copy_memory(target: Target) -> None:
    here = ctypes.create_string_buffer(6)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(here), 6)
    remote = (ctypes.c_size_t * 2)(ctypes.addressof(target.secret), 6)
    called("process_vm_readv", target.pid, local, 1, remote, 1, 0)


def _trace(target: Target) -> None:
    called("ptrace", _PTRACE_SEIZE, target.pid, None, None)


def _signal(target: Target) -> None:
    os.kill(target.pid, 0)


def _read_others(target: Target) -> None:
    (target.others / "note").read_text()


def _list_others(target: Target) -> None:
    os.listdir(target.others.parent)


def _write_others(target: Target) -> None:
    (target.others / "new").write_text("")


def _truncate_others(target: Target) -> None:
    os.truncate(target.others / "empty", 0)


def _change_others(target: Target) -> None:
    (target.others / "empty").chmod(0o600)


def _connect_tcp(target: Target) -> None:
    with socket.socket() as connection:
        connection.connect(target.tcp)


def _send_udp(target: Target) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.sendto(b"", target.udp)


def _connect_unix(target: Target) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(target.unix)


def _pair_of_datagram_sockets(_: Target) -> None:
    for one in socket.socketpair(type=socket.SOCK_DGRAM):
        one.close()


def _leave_group(_: Target) -> None:
    os.setsid()


def _new_namespace(_: Target) -> None:
    called("unshare", 0x1000_0000)


def _fork_without_end(_: Target) -> None:
    children: list[int] = []
    try:
        while len(children) <= limits.PROCESSES:
            pid = os.fork()
            if pid == 0:
                signal.pause()
            children.append(pid)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _take_memory(_: Target) -> None:
    mmap.mmap(-1, limits.MEMORY, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()


def _write_endless_file(target: Target) -> None:
    with (target.scratch / "big").open("wb") as file:
        file.truncate(limits.FILE + 1)


PROBES: dict[str, Probe] = {
    "A module can read the playground's environment.": _read_environment,
    "A module can read the playground's memory as a file.": _read_memory,
    "A module can copy the playground's memory.": _copy_memory,
    "A module can trace the playground's process, and so steer it.": _trace,
    "A module can signal the playground's process, and so end it.": _signal,
    "A module can read another worker's files.": _read_others,
    "A module can list the directory of all workers' files.": _list_others,
    "A module can write files outside its scratch directory.": _write_others,
    "A module can empty files outside its scratch directory.": _truncate_others,
    "A module can change who may use files outside its scratch directory.": _change_others,
    "A module can connect to TCP ports, those of this machine included.": _connect_tcp,
    "A module can send UDP packets.": _send_udp,
    "A module can connect to Unix sockets, other workers' included.": _connect_unix,
    "A module can send to Unix datagram sockets by a detour.": _pair_of_datagram_sockets,
    "A module can leave its process group, and so outlive Stop for a moment.": _leave_group,
    "A module can make itself root of a namespace of its own.": _new_namespace,
    f"A module can start more than {limits.PROCESSES} processes.": _fork_without_end,
    f"A process of a module can take more than {limits.MEMORY // limits.MIB} MiB of memory.": _take_memory,
    f"A module can write a file of more than {limits.FILE // limits.MIB} MiB.": _write_endless_file,
}


@contextmanager
def _target() -> Iterator[Target]:
    private = Path(tempfile.mkdtemp(prefix="rp"))
    try:
        scratch, others = private / "own", private / "other"
        for directory in (scratch, others):
            directory.mkdir()
        for name in ("note", "empty"):
            (others / name).touch()
        secret = ctypes.create_string_buffer(b"secret")
        tcp, udp, unix = socket.socket(), socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_UNIX)
        with tcp, udp, unix:
            tcp.bind(("127.0.0.1", 0))
            udp.bind(("127.0.0.1", 0))
            unix.bind(str(private / "s"))
            tcp.listen()
            unix.listen()
            yield Target(os.getpid(), secret, scratch, others, *(one.getsockname() for one in (tcp, udp, unix)))
    finally:
        shutil.rmtree(private)


def _goes_through(probe: Probe, target: Target, isolated: bool) -> bool:
    pid = os.fork()
    if pid == 0:
        _try(probe, target, isolated)
    return _status(pid) == _OPEN


def _try(probe: Probe, target: Target, isolated: bool) -> None:
    """In a child process; ends it."""
    verdict = _OPEN
    try:
        os.setsid()
        if probe is _leave_group:  # the leader of a group cannot leave it, walls or none
            verdict = _in_child(lambda: _verdict(probe, target, isolated))
        else:
            verdict = _verdict(probe, target, isolated)
    finally:
        os._exit(verdict)


def _verdict(probe: Probe, target: Target, isolated: bool) -> int:
    if isolated:
        isolate(str(target.scratch), (), str(target.others.parent))
    with suppress(OSError, MemoryError):
        probe(target)
        return _OPEN
    return _CLOSED


def _in_child(verdict: Callable[[], int]) -> int:
    pid = os.fork()
    if pid == 0:
        status = _OPEN
        try:
            status = verdict()
        finally:
            os._exit(status)
    return _status(pid)


def _status(pid: int) -> int:
    deadline = time.monotonic() + PROBE_SECONDS
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return _OPEN
