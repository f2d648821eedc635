"""Who keeps bringing wrong tokens waits for each further refusal, longer every time.

Knows addresses and a clock, neither tokens nor requests. Only refusals wait: whoever shares an address with a guesser
and has the right token never comes here. What is remembered is bounded, and so is who waits.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from ipaddress import IPv6Network, ip_address

import anyio

FREE_ATTEMPTS = 5
"""Refused at once: a browser still has the cookie of the start before, a person has cut off the end of the address."""
FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 5.0
FORGET_SECONDS = 60.0
"""Without a wrong token, after which an address begins anew."""
MAX_ADDRESSES = 1024
"""Remembered at once; who was wrong longest ago is forgotten first."""
MAX_HELD = 128
"""Refusals that wait at once. Beyond it they go out at once: open connections would cost more than guesses do."""

Sleep = Callable[[float], Awaitable[None]]


class Strangers:
    """Wrong tokens, by the address they came from."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, sleep: Sleep = anyio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._seen: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._held = 0

    async def hold_up(self, address: str) -> None:
        """Note a wrong token from this address, and wait as long as its answer has to."""
        seconds = self._noted(_neighbourhood(address))
        if not seconds or self._held >= MAX_HELD:
            return
        self._held += 1
        try:
            await self._sleep(seconds)
        finally:
            self._held -= 1

    def _noted(self, address: str) -> float:
        now = self._clock()
        attempts, last = self._seen.pop(address, (0, now))
        attempts = 1 if now - last > FORGET_SECONDS else attempts + 1
        self._seen[address] = attempts, now
        if len(self._seen) > MAX_ADDRESSES:
            self._seen.popitem(last=False)
        return _wait(attempts)


def _wait(attempts: int) -> float:
    beyond = attempts - FREE_ATTEMPTS - 1
    # The exponent is bounded for the sake of the arithmetic: somebody may be wrong a million times.
    return 0.0 if beyond < 0 else min(FIRST_WAIT_SECONDS * 2 ** min(beyond, 16), LONGEST_WAIT_SECONDS)


def _neighbourhood(address: str) -> str:
    """The address; of IPv6 its network of 64 bits, of which one customer has every address."""
    try:
        parsed = ip_address(address)
    except ValueError:  # a Unix socket has none
        return ""
    return str(IPv6Network((parsed, 64), strict=False)) if parsed.version == 6 else str(parsed)
