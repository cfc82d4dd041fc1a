"""How fast a job goes from QUEUED to RUNNING: at once, by the clock, or step by step.

For the controllers, which ask before each transition. The pace is that of the job that was
submitted; jobs that work for it start at once. A job on the FLEX_START strategy waits no longer
than its ``maxWaitDuration``, and expires; that it ends as EXPIRED is our reading.
Source: JobState and Scheduling protos.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.clock import Clock, wait_until
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.spec.local import Pace, TimedPace

__all__ = ["Pacing", "longest_wait"]

_DEFAULT_WAIT_SECONDS = float(catalog.load().limits.flex_start_default_max_wait_seconds)
_FLEX_START = 6


@dataclass
class Pacing:
    """Which jobs wait for their next state, on one server.

    Attributes:
        clock: The time.
    """

    clock: Clock
    _gates: dict[str, asyncio.Event] = field(default_factory=dict)

    def step(self, job_id: str) -> bool:
        """Let a job that waits for a step go on; says whether one waits."""
        gate = self._gates.get(job_id)
        if gate is None or gate.is_set():
            return False
        gate.set()
        return True

    async def wait(
        self,
        job: protos.Message,
        pace: Pace,
        stopped: "asyncio.Future[Any]",
        limit: float | None = None,
    ) -> Ending | None:
        """Return when the job may leave its state; how it ends instead if it has waited enough.

        Args:
            job: QUEUED or PENDING.
            pace: As its settings say.
            stopped: Done when the job is to end before its time.
            limit: When it expires, in seconds since 1970; None for never.
        """
        if pace == "immediate":
            return None
        created = job.create_time.ToNanoseconds() / 1e9
        awaited: asyncio.Future[Any]
        if isinstance(pace, TimedPace):
            pending = pace.pending if job.state == states.PENDING else 0.0
            awaited = asyncio.ensure_future(self.clock.sleep_until(created + pace.queued + pending))
        else:
            job_id = job.name.rpartition("/")[2]
            gate = self._gates[job_id] = asyncio.Event()
            awaited = asyncio.ensure_future(gate.wait())
        try:
            done = await wait_until(self.clock, [awaited, stopped], limit)
        finally:
            awaited.cancel()
        return None if done else Ending(states.EXPIRED)


def longest_wait(job: protos.Message, scheduling: protos.Message) -> float | None:
    """When a job that still waits expires, in seconds since 1970; None for never.

    Args:
        job: The job.
        scheduling: Of its worker pools, or of its trials'.
    """
    if scheduling.strategy != _FLEX_START:
        return None
    seconds = _DEFAULT_WAIT_SECONDS
    if scheduling.HasField("max_wait_duration"):
        seconds = scheduling.max_wait_duration.ToMilliseconds() / 1000
    return float(job.create_time.ToNanoseconds() / 1e9 + seconds) if seconds else None
