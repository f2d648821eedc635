"""Whose workspace is whose, how many there are, who waits, and when they end."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import pytest

from app.pages import Place
from app.workers import ModuleSpec, Worker, Workers
from app.workspace import Workspace, modules_at
from app.workspaces import BrowserWorkspaces, Full, Limits, OneWorkspace
from resolver_runtime import events as ev
from tests.app.working import ACT, WAIT_SECONDS, gone, runs

pytestmark = pytest.mark.anyio

LIMITS = Limits(workspaces=2, idle=100, look=5, patience=60, waiting=3)


class House:
    """Workspaces without workers, before a clock that only the test moves."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.now = 0.0
        self.closed: list[Workspace] = []
        self.workspaces = BrowserWorkspaces(self.make, limits, lambda: self.now)

    def make(self) -> Workspace:
        workspace = Workspace(cast(Any, None), (), cast(Any, None))
        workspace.close = self.note(workspace)  # type: ignore[method-assign]
        return workspace

    def note(self, workspace: Workspace) -> Any:
        async def close() -> None:
            self.closed.append(workspace)

        return close

    async def visited(self, *browsers: str | None) -> list[Workspace]:
        """The workspaces of these browsers, each for a moment."""
        found = []
        for browser in browsers:
            async with self.workspaces.visit(browser) as workspace:
                found.append(workspace)
        return found

    async def place(self, browser: str | None) -> int:
        """The browser's place in the queue."""
        with pytest.raises(Full) as full:
            await self.visited(browser)
        return full.value.place

    async def later(self, seconds: float) -> None:
        self.now += seconds
        await self.workspaces.end_idle()


async def test_with_one_workspace_all_have_the_same() -> None:
    workspaces = OneWorkspace(House().make())
    async with workspaces.visit("ana") as hers, workspaces.visit("ben") as his, workspaces.visit(None) as anybodys:
        assert hers is his is anybodys


async def test_each_browser_has_its_own_workspace_and_finds_it_again() -> None:
    ana, ben, again = await House().visited("ana", "ben", "ana")
    assert ana is again
    assert ana is not ben


async def test_a_program_without_a_cookie_has_a_workspace_for_as_long_as_it_asks() -> None:
    house = House()
    one, other = await house.visited(None, None)
    assert one is not other
    assert house.closed == [one, other]


async def test_two_programs_at_once_do_not_share() -> None:
    house = House()
    async with house.workspaces.visit(None) as one, house.workspaces.visit(None) as other:
        assert one is not other
        assert await house.place("ana") == 1


async def test_who_comes_to_a_full_house_gets_a_place_in_the_queue_and_keeps_it() -> None:
    house = House()
    await house.visited("ana", "ben")
    assert [await house.place(name) for name in ("cy", "di", "cy", "di", "ed")] == [1, 2, 1, 2, 3]


async def test_who_has_a_workspace_does_not_queue() -> None:
    house = House()
    await house.visited("ana", "ben")
    await house.place("cy")
    assert await house.visited("ana")


async def test_the_first_in_the_queue_is_let_in_first() -> None:
    house = House()
    async with house.workspaces.visit("ana"):
        await house.visited("ben")
        house.now = 50
        assert [await house.place(name) for name in ("cy", "di")] == [1, 2]
        await house.later(50)
        assert await house.place("di") == 2
        assert await house.visited("cy")
        assert await house.place("di") == 1


async def test_who_has_left_the_queue_holds_nobody_up() -> None:
    house = House()
    await house.visited("ana", "ben")
    house.now = 30
    await house.place("cy")
    house.now = 80
    assert await house.place("di") == 2
    await house.later(20)
    await house.visited("di", "ed")
    assert await house.place("cy") == 1


async def test_a_program_takes_no_place_in_the_queue() -> None:
    house = House()
    await house.visited("ana", "ben")
    assert [await house.place(name) for name in (None, None, "cy", None)] == [1, 1, 1, 2]


async def test_the_queue_remembers_only_so_many() -> None:
    house = House()
    await house.visited("ana", "ben")
    assert [await house.place(f"browser {number}") for number in range(6)] == [1, 2, 3, 4, 4, 4]


async def test_a_workspace_that_nobody_uses_ends() -> None:
    house = House()
    ana, _ben = await house.visited("ana", "ben")
    house.now = 60
    await house.visited("ben")
    await house.later(39)
    assert house.closed == []
    await house.later(1)
    assert house.closed == [ana]


async def test_whoever_comes_back_later_begins_anew() -> None:
    house = House()
    (before,) = await house.visited("ana")
    await house.later(100)
    assert await house.visited("ana") != [before]


async def test_a_workspace_does_not_end_while_a_socket_is_open() -> None:
    house = House()
    async with house.workspaces.visit("ana"):
        await house.visited("ana")
        await house.later(1000)
        assert house.closed == []
    await house.later(99)
    assert house.closed == []
    await house.later(1)
    assert len(house.closed) == 1


async def test_idle_workspaces_are_ended_by_themselves() -> None:
    house = House(Limits(idle=0, look=0))
    await house.visited("ana")
    with anyio.fail_after(WAIT_SECONDS):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(house.workspaces.keep)
            while not house.closed:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def working(tmp_path: Any, text: str) -> AsyncIterator[Workspace]:
    (tmp_path / "shop.py").write_text(text)
    with anyio.fail_after(WAIT_SECONDS):
        async with Workers() as workers, anyio.create_task_group() as tasks:
            yield Workspace(workers, modules_at((str(tmp_path),), None), tasks)
            tasks.cancel_scope.cancel()


async def test_with_a_workspace_its_workers_and_calls_end(tmp_path: Any) -> None:
    async with working(tmp_path, ACT + "    while True: pass\n") as workspace:
        loaded = await workspace.load(workspace.module(None))
        running = await workspace.start_call(loaded, Place(loaded.module.id, 0, "act"), {})
        await running.call.log.wait_for(ev.RoundStarted)
        assert runs(loaded.worker.pid)
        await workspace.close()
        await gone(loaded.worker.pid)
        await running.call.log.wait_for(ev.CallEnded)
        assert running.view().status == "stopped"


async def test_also_a_worker_ends_that_was_left_for_newer_code(tmp_path: Any) -> None:
    asks = ACT.replace("def act()", "async def act()") + "    await __import__('anyio').sleep_forever()\n"
    async with working(tmp_path, asks) as workspace:
        module = workspace.module(None)
        old = await workspace.load(module)
        running = await workspace.start_call(old, Place(module.id, 0, "act"), {})
        await running.call.log.wait_for(ev.RoundStarted)
        (tmp_path / "shop.py").write_text(asks + "\n# changed\n")
        os.utime(tmp_path / "shop.py", (1, 1))
        new = await workspace.load(module)
        assert old.worker.pid != new.worker.pid
        await workspace.close()
        await gone(old.worker.pid)
        await gone(new.worker.pid)


class Noting(Workers):
    """Remembers the keys it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str | None] = []

    async def start(self, spec: ModuleSpec, key: str | None = None) -> Worker:
        self.keys.append(key)
        return await super().start(spec, key)


async def test_a_request_state_outlives_newer_code_and_is_of_no_use_in_another_workspace(tmp_path: Any) -> None:
    (tmp_path / "shop.py").write_text(ACT + "    pass\n")
    with anyio.fail_after(WAIT_SECONDS):
        async with Noting() as workers, anyio.create_task_group() as tasks:
            one, other = [Workspace(workers, modules_at((str(tmp_path),), None), tasks) for _ in range(2)]
            await one.load(one.module(None))
            os.utime(tmp_path / "shop.py", (1, 1))
            await one.load(one.module(None))
            await other.load(other.module(None))
            tasks.cancel_scope.cancel()
    assert workers.keys[0] == workers.keys[1] != workers.keys[2]
    assert None not in workers.keys
