"""How long a page's events gather before they are drawn."""

from __future__ import annotations

import anyio
import pytest

from app.routes import live

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("late", "sleeps"),
    [
        (0.0, [live.GATHER_SECONDS]),
        (0.02, [live.GATHER_SECONDS, 0.2]),
        (5.0, [live.GATHER_SECONDS, live.LONGEST_GATHER_SECONDS]),
    ],
)
async def test_events_gather_longer_while_the_process_is_late(
    monkeypatch: pytest.MonkeyPatch, late: float, sleeps: list[float]
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    monkeypatch.setattr(anyio, "current_time", lambda: sum(slept) + late * len(slept))
    await live._gather()
    assert slept == pytest.approx(sleeps)
