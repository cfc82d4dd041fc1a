import asyncio

from vertex_jobs.emulator.clock import SystemClock, VirtualClock, wait_until

WEEK = 604800.0


def test_no_two_readings_are_equal() -> None:
    clock = VirtualClock(0)
    assert [clock.time_ns(), clock.time_ns()] == [1000, 2000]


def test_a_week_passes_when_it_is_advanced() -> None:
    async def run() -> list[bool]:
        clock = VirtualClock(0)
        sleeper = asyncio.ensure_future(clock.sleep_until(WEEK))
        await asyncio.sleep(0)
        clock.advance(WEEK - 1)
        await asyncio.sleep(0)
        before = sleeper.done()
        clock.advance(1)
        await asyncio.sleep(0)
        return [before, sleeper.done()]

    assert asyncio.run(run()) == [False, True]


def test_sleepers_wake_in_the_order_of_their_times() -> None:
    async def run() -> list[int]:
        clock, woken = VirtualClock(0), list[int]()

        async def sleep(second: int) -> None:
            await clock.sleep_until(second)
            woken.append(second)

        tasks = [asyncio.ensure_future(sleep(second)) for second in (3, 1, 2)]
        await asyncio.sleep(0)
        clock.advance(10)
        await asyncio.gather(*tasks)
        return woken

    assert asyncio.run(run()) == [1, 2, 3]


def test_a_time_that_has_passed_is_not_waited_for() -> None:
    async def run() -> None:
        clock = VirtualClock(5_000_000_000)
        await clock.sleep_until(5.0)
        await SystemClock().sleep_until(0.0)

    asyncio.run(run())


def test_waiting_answers_what_is_done() -> None:
    async def run() -> bool:
        first = asyncio.ensure_future(asyncio.sleep(0))
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        return await wait_until(VirtualClock(0), [first, never], WEEK) == {first}

    assert asyncio.run(run())


def test_waiting_answers_nothing_when_time_runs_out() -> None:
    async def run() -> set[asyncio.Future[None]]:
        clock = VirtualClock(0)
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(wait_until(clock, [never], WEEK))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        clock.advance(WEEK)
        return await waiting

    assert asyncio.run(run()) == set()
