"""How long the refusals of wrong tokens wait."""

from __future__ import annotations

import anyio
import pytest

from app.strangers import (
    FORGET_SECONDS,
    FREE_ATTEMPTS,
    LONGEST_WAIT_SECONDS,
    MAX_ADDRESSES,
    MAX_HELD,
    Strangers,
)

pytestmark = pytest.mark.anyio

WAIT_SECONDS = 10


class Door:
    """Strangers before a clock that only the test moves; what they were told to wait stands in `waits`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []
        self.strangers = Strangers(lambda: self.now, self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def waited(self, attempts: int, address: str = "192.0.2.1") -> list[float]:
        """The waits of so many further attempts from one address; none for those that were refused at once."""
        self.waits.clear()
        for _ in range(attempts):
            await self.strangers.hold_up(address)
        return list(self.waits)


async def test_the_first_wrong_tokens_are_refused_at_once() -> None:
    assert await Door().waited(FREE_ATTEMPTS) == []


async def test_each_further_one_waits_twice_as_long_up_to_a_bound() -> None:
    waits = await Door().waited(FREE_ATTEMPTS + 100)
    assert waits[:4] == [0.1, 0.2, 0.4, 0.8]
    assert set(waits[6:]) == {LONGEST_WAIT_SECONDS}


async def test_other_addresses_do_not_wait_for_it() -> None:
    door = Door()
    await door.waited(FREE_ATTEMPTS + 10, "192.0.2.1")
    assert await door.waited(FREE_ATTEMPTS, "192.0.2.2") == []


async def test_an_address_that_stays_away_begins_anew() -> None:
    door = Door()
    await door.waited(FREE_ATTEMPTS + 10)
    door.now += FORGET_SECONDS + 1
    assert await door.waited(FREE_ATTEMPTS) == []


async def test_all_addresses_of_one_ipv6_network_count_as_one() -> None:
    door = Door()
    for number in range(FREE_ATTEMPTS + 1):
        await door.strangers.hold_up(f"2001:db8::{number:x}")
    assert door.waits == [0.1]
    assert await door.waited(FREE_ATTEMPTS, "2001:db8:0:1::1") == []


async def test_a_client_without_an_address_waits_like_one_with() -> None:
    assert await Door().waited(FREE_ATTEMPTS + 1, "") == [0.1]


async def test_what_is_remembered_of_strangers_is_bounded() -> None:
    door = Door()
    for number in range(3 * MAX_ADDRESSES):
        await door.strangers.hold_up(f"10.0.{number // 256}.{number % 256}")
    assert len(door.strangers._seen) == MAX_ADDRESSES


async def test_so_many_wait_at_once_and_who_comes_then_is_refused_at_once() -> None:
    asleep = anyio.Event()
    strangers = Strangers(sleep=lambda _: asleep.wait())
    with anyio.fail_after(WAIT_SECONDS):
        async with anyio.create_task_group() as tasks:
            for _ in range(FREE_ATTEMPTS + MAX_HELD):
                tasks.start_soon(strangers.hold_up, "192.0.2.1")
            await anyio.wait_all_tasks_blocked()
            await strangers.hold_up("192.0.2.1")
            asleep.set()
    assert strangers._held == 0
