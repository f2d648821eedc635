"""How long it takes from the command to an answer, and to the page."""

from __future__ import annotations

import statistics
import time

from benchmarks.rows import Row
from benchmarks.server import playground

STARTS = 5


def run() -> list[Row]:
    times = [_once() for _ in range(STARTS)]
    health, page = (statistics.median(column) for column in zip(*times, strict=True))
    return [
        Row("start → /healthz answers", f"{health:.2f} s", "< 0.8 s"),
        Row("start → page answers", f"{page:.2f} s", "< 0.8 s", "0.8 s (Inspector)"),
    ]


def _once() -> tuple[float, float]:
    with playground() as running:
        running.get(running.absolute("/healthz"))
        health = time.perf_counter() - running.started
        running.get(running.url)
        return health, time.perf_counter() - running.started
