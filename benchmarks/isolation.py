"""What walls round a worker cost at its start."""

from __future__ import annotations

import os
import statistics
import struct
import tempfile
import time
from pathlib import Path

import anyio

from app.assets import directory
from app.workers import ModuleSpec, Workers
from benchmarks.rows import Row
from resolver_runtime.host.isolation import isolate

STARTS = 40


def run() -> list[Row]:
    walls = statistics.median(_walls() for _ in range(STARTS))
    isolated, plain = anyio.run(_starts)
    return [
        Row("walls round a worker", f"{1000 * walls:.1f} ms", "≤ 5 ms"),
        Row("a worker's start, with walls", f"{1000 * isolated:.1f} ms", ""),
        Row("a worker's start, without", f"{1000 * plain:.1f} ms", ""),
    ]


def _walls() -> float:
    """Seconds to put them up, in a process of its own: there is no way back."""
    with tempfile.TemporaryDirectory() as private:
        scratch = os.path.join(private, "scratch")
        os.mkdir(scratch)
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            began = time.perf_counter()
            isolate(scratch, [str(directory("sample_tools"))], private)
            os.write(write, struct.pack("d", time.perf_counter() - began))
            os._exit(0)
        os.waitpid(pid, 0)
        (seconds,) = struct.unpack("d", os.read(read, 8))
        for end in (read, write):
            os.close(end)
    return float(seconds)


async def _starts() -> tuple[float, float]:
    """The medians in seconds, with walls and without, in turns: what else the machine does must strike both."""
    taken: dict[bool, list[float]] = {True: [], False: []}
    module = str(Path(directory("sample_tools"), "step1_reserve.py"))
    async with Workers() as workers:
        for _ in range(STARTS):
            for is_isolated, times in taken.items():
                began = time.perf_counter()
                worker = await workers.start(ModuleSpec(module, isolate=is_isolated))
                times.append(time.perf_counter() - began)
                await worker.kill()
    return statistics.median(taken[True]), statistics.median(taken[False])
