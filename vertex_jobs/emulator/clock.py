"""The clock of a server: the time, and waiting until a time.

Every time that a resource carries and every wait of a controller comes from here. On the virtual
clock nothing elapses by itself, so a test sees a week's timeout in no time. Waits for real
processes, such as a grace before SIGKILL or the polling of a file, do not use this clock.
"""

import asyncio
import heapq
import itertools
import time
from collections.abc import Iterable
from typing import Any, Protocol

#: A wait is cut into pieces of this length, so that a clock that was set is noticed.
_LONGEST_SLEEP_SECONDS = 60.0
_MICROSECOND = 1000


class Clock(Protocol):
    """A source of the time."""

    def time_ns(self) -> int:
        """Return nanoseconds since 1970."""

    def time(self) -> float:
        """Return the same in seconds."""

    async def sleep_until(self, moment: float) -> None:
        """Return when it is that time, in seconds since 1970."""


class SystemClock:
    """The machine's clock."""

    def time_ns(self) -> int:
        """Return nanoseconds since 1970."""
        return time.time_ns()

    def time(self) -> float:
        """Return the same in seconds."""
        return time.time()

    async def sleep_until(self, moment: float) -> None:
        """Return when it is that time, in seconds since 1970."""
        while (left := moment - time.time()) > 0:
            await asyncio.sleep(min(left, _LONGEST_SLEEP_SECONDS))


class VirtualClock:
    """A clock that stands until it is advanced.

    Each reading of ``time_ns`` is a microsecond later than the last, so that no two changes of a
    resource carry one time.
    """

    def __init__(self, start_ns: int) -> None:
        """Stand at that time, in nanoseconds since 1970."""
        self._now = start_ns
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    def time_ns(self) -> int:
        """Return nanoseconds since 1970."""
        self._now += _MICROSECOND
        return self._now

    def time(self) -> float:
        """Return the same in seconds; reading it moves nothing."""
        return self._now / 1e9

    async def sleep_until(self, moment: float) -> None:
        """Return when the clock has been advanced to that time."""
        if moment <= self.time():
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (moment, next(self._numbers), woken))
        await woken

    def advance(self, seconds: float) -> float:
        """Let time pass, wake the sleepers that are due in order, and return the new time."""
        self._now += int(seconds * 1e9)
        while self._sleepers and self._sleepers[0][0] <= self.time():
            _, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
        return self.time()


async def wait_until(
    clock: Clock, awaited: Iterable["asyncio.Future[Any]"], moment: float | None
) -> set["asyncio.Future[Any]"]:
    """Wait for the first of several futures; return those that are done, none after a timeout.

    There is at least one, and none is cancelled. ``moment`` is in seconds since 1970; None waits
    without end.
    """
    everything: set[asyncio.Future[Any]] = set(awaited)
    alarm = None
    if moment is not None:
        alarm = asyncio.ensure_future(clock.sleep_until(moment))
    try:
        done, _ = await asyncio.wait(
            everything | ({alarm} if alarm else set()), return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        if alarm is not None:
            alarm.cancel()
    return {one for one in everything if one in done}
