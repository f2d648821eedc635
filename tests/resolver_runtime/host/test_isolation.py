"""The walls round a worker: each probe against them, and without them, so that it is known to try what it says."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from resolver_runtime.host.isolation import places, seccomp, syscalls
from resolver_runtime.host.isolation.probes import PROBES

HOST = Path(seccomp.__file__).parents[1]
TEST_SECONDS = 60

ROOT = os.geteuid() == 0
OPEN = "holes(isolated=False)"
ISOLATED = "holes()"
AS_NOBODY = """
import os
from isolation import account
os.setgroups([])
os.setresgid(65534, 65534, 65534)
account.called('prctl', 8, 1, 0, 0, 0)
os.setresuid(65534, 65534, 65534)
account.called('capset', *account.capabilities(1 << 2))  # the interpreter may lie where nobody may look
account.called('prctl', 4, 1, 0, 0, 0)  # as after an exec: its files in /proc are its own
"""
"""For the tests that root runs: the rest of this process has an ordinary account."""


@cache
def told(expression: str, before: str = "") -> list[str]:
    """What the self-test tells, in a process of its own: it forks, and pytest's has threads."""
    code = f"import sys, json\nsys.path.insert(0, {str(HOST)!r})\n{before}\nfrom isolation.probes import holes\n"
    command = [sys.executable, "-c", f"{code}print(json.dumps({expression}))"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TEST_SECONDS)
    assert done.stderr == ""
    return [str(hole) for hole in json.loads(done.stdout)]


@pytest.mark.parametrize("hole", PROBES)
def test_a_hole_is_there_without_walls(hole: str) -> None:
    assert hole in told(OPEN)


@pytest.mark.parametrize("hole", PROBES)
def test_a_hole_is_closed_by_the_walls(hole: str) -> None:
    assert hole not in told(ISOLATED)


@pytest.mark.parametrize("hole", PROBES)
def test_a_hole_is_closed_for_an_ordinary_account_too(hole: str) -> None:
    assert hole not in told(ISOLATED, AS_NOBODY if ROOT else "")


def test_the_self_test_runs_by_its_path_and_without_mcp() -> None:
    program = str(HOST / "isolation")
    done = subprocess.run([sys.executable, "-I", "-S", program], capture_output=True, text=True, timeout=TEST_SECONDS)
    assert json.loads(done.stdout) == []


def test_what_cannot_be_put_up_is_told_as_a_hole_and_not_as_closed() -> None:
    without = "import isolation.seccomp as wall\nwall._ARCHITECTURES.clear()\n"
    assert "A module can send UDP packets." in told(ISOLATED, without)


def verdict(program: list[seccomp.Instruction], architecture: int, number: int, first: int = 0, second: int = 0) -> int:
    """What the kernel would decide: the few instructions of BPF that the filter is made of."""
    data = {0: number, 4: architecture, 16: first, 24: second}
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        match code:
            case 0x20:
                accumulator = data[operand]
            case 0x54:
                accumulator &= operand
            case 0x06:
                return operand & 0xFFFF if operand >> 16 == 5 else 0
            case _:
                holds = {0x15: accumulator == operand, 0x35: accumulator >= operand, 0x45: bool(accumulator & operand)}
                at += if_true if holds[code] else if_false


MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
REFUSED = {**syscalls.ALWAYS, **syscalls.ON_SHARED_ACCOUNT, **syscalls.SIGNALS_BY_OTHER_NAMES}
READ, WRITE, FORK_OF_LIBC = (0, 63), (1, 64), 0x0120_0011


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_decides_by_call_and_argument(machine: str) -> None:
    program = seccomp.program(machine, own_uid=False, signals_scoped=False)
    place, architecture = syscalls.MACHINES[machine], MACHINES[machine]

    def decided(call: tuple[int, int], first: int = 0, second: int = 0) -> int:
        return verdict(program, architecture, call[place], first, second)

    assert {decided(call) for call in REFUSED.values() if call[place] >= 0} == {errno.EPERM}
    assert [decided(call) for call in (READ, WRITE)] == [0, 0]
    assert [decided(syscalls.CLONE, flags) for flags in (FORK_OF_LIBC, 0x1000_0000)] == [0, errno.EPERM]
    assert decided(syscalls.CLONE3) == errno.ENOSYS
    assert [decided(syscalls.SOCKETPAIR, 1, kind) for kind in (0x80001, 2, 5)] == [0, errno.EPERM, errno.EPERM]
    assert [decided(call, pid) for call in syscalls.ON_ITSELF_ONLY.values() for pid in (0, 1)] == [0, errno.EPERM] * 5
    assert [decided(call, pid) for call in syscalls.SIGNALS.values() for pid in (os.getpid(), 1)] == [
        0,
        errno.EPERM,
    ] * 4


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_by_another_table_of_numbers_are_refused(machine: str) -> None:
    program = seccomp.program(machine, own_uid=True, signals_scoped=True)
    assert verdict(program, 0x4000_0003, 3) == errno.EPERM
    assert verdict(program, MACHINES[machine], 0x4000_0000 + 41) == errno.EPERM


def test_a_directory_that_holds_all_scratch_directories_is_not_allowed(tmp_path: Path) -> None:
    private = tmp_path / "rp"
    module = tmp_path / "shop.py"
    allowed = list(places.readable([str(module), str(tmp_path), str(private)], str(private)))
    assert str(module) in allowed
    assert not {str(tmp_path), str(private)} & set(allowed)
