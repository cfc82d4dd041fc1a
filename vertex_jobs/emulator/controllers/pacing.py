"""The way of a job from QUEUED to RUNNING: at once, by the clock, or step by step.

For the controllers. The pace is that of the job that was submitted; jobs that work for it start at
once. A job on the FLEX_START strategy waits no longer than its ``maxWaitDuration``, and expires;
that it ends as EXPIRED is our reading.
Source: JobState and Scheduling protos.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.clock import Clock, wait_until
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.spec.local import Pace, TimedPace

_DEFAULT_WAIT_SECONDS = float(catalog.load().limits.flex_start_default_max_wait_seconds)
_FLEX_START = 6


@dataclass
class Pacing:
    """The jobs of one server that wait for their next state."""

    clock: Clock
    _gates: dict[str, asyncio.Event] = field(default_factory=dict)

    async def await_start(
        self, record: JobRecord, scheduling: protos.Message, stop: Stop
    ) -> Ending | None:
        """Take a job through QUEUED and PENDING; return how it ends if it does not come to run.

        The state RUNNING itself is for the caller to write, once something runs; a job that has run
        before is let through. ``scheduling`` is that of its worker pools, or of its trials'.
        """
        job = record.load()
        limit = longest_wait(job, scheduling)
        stopped = asyncio.ensure_future(stop.wait())
        try:
            while job.state in (states.QUEUED, states.PENDING):
                expired = await self.wait(job, record.settings.local.pace, stopped, limit)
                if stop.is_set():
                    return stop.ending
                if expired or job.state == states.PENDING:
                    return expired
                record.advance(states.PENDING)
                job = record.load()
        finally:
            stopped.cancel()
        return stop.ending if stop.is_set() else None

    def step(self, job_id: str) -> bool:
        """Let a job that waits for a step go on; return whether one waits."""
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
        """Wait until the job may leave its state; return how it ends if it has waited enough.

        ``stopped`` is done when the job is to end before its time; ``limit`` is when it expires, in
        seconds since 1970, None for never.
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
    """Return when a job that still waits expires, in seconds since 1970; None for never."""
    if scheduling.strategy != _FLEX_START:
        return None
    seconds = _DEFAULT_WAIT_SECONDS
    if scheduling.HasField("max_wait_duration"):
        seconds = scheduling.max_wait_duration.ToMilliseconds() / 1000
    return float(job.create_time.ToNanoseconds() / 1e9 + seconds) if seconds else None
