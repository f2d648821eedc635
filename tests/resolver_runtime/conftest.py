"""Both engines and both eras, for tests that must come out the same in each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest

import resolver_runtime
from resolver_runtime.events import Event
from tests.resolver_runtime.driving import Mode

Engine = Literal["sdk", "playground"]


@pytest.fixture(params=["sdk", "playground"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The SDK's own executor untouched, or ours in its place."""
    if request.param == "sdk":
        yield "sdk"
        return
    assert resolver_runtime.install() is None
    yield "playground"
    resolver_runtime.uninstall()


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> Mode:
    return "legacy" if request.param == "legacy" else "2026-07-28"


@pytest.fixture
def told() -> Iterator[list[Event]]:
    """Ours, and what it tells."""
    events: list[Event] = []
    assert resolver_runtime.install(events.append) is None
    yield events
    resolver_runtime.uninstall()
