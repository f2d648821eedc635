"""Whose workspace is whose: one for all, or one for each browser, so many at once, and a queue before the door.

Knows neither cookies nor processes: a browser is a name that the gate vouches for, a workspace is made by whoever is
asked for one. A workspace is taken while a request or a socket of its browser lasts; left alone long enough, it ends.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from app.workspace import Workspace

MAX_WORKSPACES = 50
"""At once. An idle one costs some 15 MB, for its worker."""
IDLE_SECONDS = 30 * 60.0
"""Without a request or an open socket, until a workspace ends: longer than a coffee break."""
LOOK_SECONDS = 5.0
"""Between two looks for workspaces that are idle; a page in the queue asks as often."""
PATIENCE_SECONDS = 60.0
"""A page in the queue that has not asked for so long has left. Browsers slow hidden pages down to one a minute."""
MAX_WAITING = 500
"""Places in the queue that are remembered."""
IDLE_WORKERS = 1
"""Kept in each browser's workspace: going back to a module takes a fork, which costs less than memory does."""


@dataclass(frozen=True)
class Limits:
    """How many browsers have a workspace at once, and for how long (seconds)."""

    workspaces: int = MAX_WORKSPACES
    idle: float = IDLE_SECONDS
    look: float = LOOK_SECONDS
    patience: float = PATIENCE_SECONDS
    waiting: int = MAX_WAITING


class Full(RuntimeError):
    """Raised when every workspace is taken; `place` in the queue counts from 1, `ask_again` is in seconds."""

    def __init__(self, place: int, limits: Limits) -> None:
        super().__init__(f"All {limits.workspaces} workspaces of this playground are taken.")
        self.place = place
        self.ask_again = limits.look


class Workspaces(Protocol):
    """Hands out workspaces."""

    def visit(self, browser: str | None, /) -> AbstractAsyncContextManager[Workspace]:
        """The workspace of this browser, for a request or a socket; None: somebody who has the token and no cookie.

        Raises:
            Full: there is no room for another.
        """
        ...


class OneWorkspace:
    """The same workspace for all."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @asynccontextmanager
    async def visit(self, _browser: str | None, /) -> AsyncIterator[Workspace]:
        yield self._workspace


@dataclass
class Taken:
    """A workspace that a browser has; `left` is when its last visit ended."""

    workspace: Workspace
    left: float
    visits: int = 0


@dataclass
class Queue:
    """Who waits, in the order in which they came, with the time they last asked."""

    limits: Limits
    _asked: dict[str, float] = field(default_factory=dict)

    def place(self, browser: str | None, now: float) -> int:
        """From 1. Who asks keeps it; who has not asked for long, or is nobody, has none."""
        self._asked = {name: last for name, last in self._asked.items() if now - last < self.limits.patience}
        if browser is not None and (browser in self._asked or len(self._asked) < self.limits.waiting):
            self._asked[browser] = now
            return list(self._asked).index(browser) + 1
        return len(self._asked) + 1

    def leave(self, browser: str | None) -> None:
        if browser is not None:
            self._asked.pop(browser, None)


class BrowserWorkspaces:
    """A workspace for each browser. Somebody without a cookie has one for the length of a visit."""

    def __init__(
        self,
        make: Callable[[], Workspace],
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._limits = limits or Limits()
        self._clock = clock
        self._taken: dict[str, Taken] = {}
        self._queue = Queue(self._limits)

    @asynccontextmanager
    async def visit(self, browser: str | None, /) -> AsyncIterator[Workspace]:
        name = secrets.token_hex(16) if browser is None else browser
        taken = self._taken.get(name) or self._take(name, browser)
        taken.visits += 1
        try:
            yield taken.workspace
        finally:
            taken.visits -= 1
            taken.left = self._clock()
            if browser is None:
                await self._end(name)

    async def keep(self) -> None:
        """End what is idle, for ever."""
        while True:
            await anyio.sleep(self._limits.look)
            await self.end_idle()

    async def end_idle(self) -> None:
        """End every workspace that nobody has used for long, with its calls and its workers."""
        since = self._clock() - self._limits.idle
        idle = [name for name, taken in self._taken.items() if not taken.visits and taken.left <= since]
        async with anyio.create_task_group() as tasks:
            for name in idle:
                tasks.start_soon(self._end, name)

    def _take(self, name: str, browser: str | None) -> Taken:
        now = self._clock()
        place = self._queue.place(browser, now)
        if place > self._limits.workspaces - len(self._taken):
            raise Full(place, self._limits)
        self._queue.leave(browser)
        taken = self._taken[name] = Taken(self._make(), now)
        return taken

    async def _end(self, name: str) -> None:
        # Not there for anybody from here on: who comes while it ends begins in a new one.
        taken = self._taken.pop(name)
        with anyio.CancelScope(shield=True):
            await taken.workspace.close()
