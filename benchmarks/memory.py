"""Memory of all processes once the page has been opened, shared pages counted once. Linux only, through /proc."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.rows import Row
from benchmarks.server import playground


def run() -> list[Row]:
    with playground() as running:
        running.shown()
        sizes = {pid: proportional_kib(pid) for pid in running.family()}
    web = sizes[running.process.pid]
    worker = sizes[max(sizes)]  # the process made last
    return [
        Row("memory, all processes, one idle workspace", mb(sum(sizes.values())), "< 150 MB", "187 MB"),
        Row("of it, the web process", mb(web), ""),
        Row("of it, the worker", mb(worker), "< 30 MB", "69 MB"),
    ]


def proportional_kib(pid: int) -> int:
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


def mb(kib: int) -> str:
    return f"{kib * 1024 / 1e6:.0f} MB"
