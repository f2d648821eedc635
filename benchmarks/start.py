"""How long it takes from the command to an answer, and to the page."""

from __future__ import annotations

import statistics
import time

from benchmarks.rows import Row
from benchmarks.server import playground

STARTS = 5


def run() -> list[Row]:
    times = [_once() for _ in range(STARTS)]
    health, page, shown = (statistics.median(column) for column in zip(*times, strict=True))
    return [
        Row("start → /healthz answers", f"{health:.2f} s", "< 0.8 s"),
        Row("start → page answers", f"{page:.2f} s", "< 0.8 s", "0.8 s (Inspector)"),
        Row("start → the module's tools on the page", f"{shown:.2f} s", ""),
    ]


def _once() -> tuple[float, float, float]:
    with playground() as running:
        running.get(running.absolute("/healthz"))
        health = time.perf_counter() - running.started
        running.get(running.url)
        page = time.perf_counter() - running.started
        running.shown()
        return health, page, time.perf_counter() - running.started
