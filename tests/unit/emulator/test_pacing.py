import asyncio
from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.clock import VirtualClock
from vertex_jobs.emulator.controllers.pacing import Pacing, longest_wait
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.spec.local import Pace, TimedPace

NAME = "projects/1/locations/us-central1/customJobs/7"
TIMED = TimedPace(queued=5.0, pending=30.0)


def job_in(state: int) -> protos.Message:
    job = protos.CustomJob(name=NAME, state=state)
    job.create_time.FromSeconds(100)
    return job


def scheduling(strategy: str, **fields: Any) -> protos.Message:
    form = {"strategy": strategy, **fields}
    return protos.from_json({"scheduling": form}, protos.CustomJobSpec()).scheduling


def waits(state: int, pace: Pace, *seconds: float) -> list[bool]:
    """Whether the job still waits so many seconds after it was created."""

    async def run() -> list[bool]:
        clock = VirtualClock(100 * 10**9)
        stopped: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        pacing = Pacing(clock)
        waiting = asyncio.ensure_future(pacing.wait(job_in(state), pace, stopped))
        seen = []
        for moment in seconds:
            await asyncio.sleep(0)
            clock.advance(100 + moment - clock.time())
            for _ in range(5):
                await asyncio.sleep(0)
            seen.append(not waiting.done())
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return seen

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("state", "pace", "waiting"),
    [
        (states.QUEUED, "immediate", [False, False, False, False]),
        (states.QUEUED, "stepped", [True, True, True, True]),
        (states.QUEUED, TIMED, [True, False, False, False]),
        (states.PENDING, TIMED, [True, True, True, False]),
    ],
)
def test_how_long_a_state_lasts(state: int, pace: Pace, waiting: list[bool]) -> None:
    assert waits(state, pace, 4, 6, 34, 36) == waiting


def test_a_step_lets_a_job_go_on_once() -> None:
    async def run() -> list[bool]:
        pacing = Pacing(VirtualClock(0))
        stopped: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(pacing.wait(job_in(states.QUEUED), "stepped", stopped))
        await asyncio.sleep(0)
        stepped = [pacing.step("7"), pacing.step("7"), pacing.step("8")]
        await waiting
        return stepped

    assert asyncio.run(run()) == [True, False, False]


def test_a_job_that_has_waited_enough_expires() -> None:
    async def run() -> Ending | None:
        clock = VirtualClock(100 * 10**9)
        stopped: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        job = job_in(states.QUEUED)
        limit = longest_wait(job, scheduling("FLEX_START", maxWaitDuration="60s"))
        waiting = asyncio.ensure_future(Pacing(clock).wait(job, "stepped", stopped, limit))
        for _ in range(3):
            await asyncio.sleep(0)
        clock.advance(61)
        return await waiting

    assert asyncio.run(run()) == Ending(states.EXPIRED)


@pytest.mark.parametrize(
    ("strategy", "fields", "limit"),
    [
        ("STANDARD", {"maxWaitDuration": "60s"}, None),
        ("FLEX_START", {"maxWaitDuration": "60s"}, 160.0),
        ("FLEX_START", {"maxWaitDuration": "0s"}, None),
        ("FLEX_START", {}, 86500.0),
    ],
)
def test_how_long_a_job_may_wait(
    strategy: str, fields: dict[str, str], limit: float | None
) -> None:
    assert longest_wait(job_in(states.QUEUED), scheduling(strategy, **fields)) == limit
