"""One custom job from PENDING to its end: start the gang, watch it, decide.

The primary replica's exit decides; a replica that fails before it fails the job; SIGABRT and
SIGSEGV are taken for transient and the job starts again, up to three times. Source: "Understand
the training service".
"""

import asyncio
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.gang import Trial, build_gang, drift_line
from vertex_jobs.emulator.controllers.machinery import Machinery
from vertex_jobs.emulator.launcher import Exit, Replica, ReplicaSpec
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.errors import UnsupportedHereError

__all__ = ["CustomJobRun", "Ending"]

#: Between SIGTERM and SIGKILL, in seconds. The service's own grace is not documented.
GRACE_SECONDS = 5.0
#: Source: "Understand the training service", retries of transient failures.
_MAX_RESTARTS = 3
_TRANSIENT = (signal.SIGABRT, signal.SIGSEGV)
#: Source: Scheduling proto, default of timeout: 7 days.
_DEFAULT_TIMEOUT_SECONDS = 604800.0


@dataclass(frozen=True)
class Ending:
    """How an attempt ended.

    Attributes:
        state: The terminal state that follows.
        code: Name of the error code; empty on success.
        message: Text of the error.
        transient: Whether the job may start again.
    """

    state: int
    code: str = ""
    message: str = ""
    transient: bool = False


class CustomJobRun:
    """The life of one custom job, a trial's or a pipeline's included."""

    def __init__(
        self,
        machinery: Machinery,
        job_id: str,
        stop: asyncio.Event,
        *,
        fresh: bool = False,
        trial: Trial | None = None,
        before_end: Callable[[Ending], None] = lambda ending: None,
    ) -> None:
        """Prepare to run.

        Args:
            machinery: The server's parts.
            job_id: The job's number.
            stop: Set when the job has become CANCELLING.
            fresh: Whether warm parents are turned off.
            trial: Set when the job is a trial.
            before_end: Called in the transaction that writes the end.
        """
        self._machinery = machinery
        self._job_id = job_id
        self._stop = stop
        self._fresh = fresh
        self._trial = trial
        self._before_end = before_end

    def _load(self) -> protos.Message:
        return self._machinery.store.load("customJobs", self._job_id)

    def _advance(self, state: int, code: str = "", message: str = "") -> None:
        job = self._load()
        states.advance(job, state, self._machinery.identity.now(), code=code, message=message)
        self._machinery.store.save(job)

    def _say(self, text: str, severity: str = "INFO") -> None:
        self._machinery.service_line(self._job_id, text, severity)

    async def run(self) -> Ending:
        """Run to the end, which is written before this returns."""
        try:
            ending = await self._run()
            self._say("Tearing down training program.")
            self._say("Finished tearing down training program.")
            failed = ending.state != states.SUCCEEDED
            self._say("Job failed." if failed else "Job completed successfully.")
            with self._machinery.store.transaction():
                self._before_end(ending)
                self._advance(ending.state, ending.code, ending.message)
            return ending
        finally:
            self._machinery.logbook.close(self._job_id)
            shutil.rmtree(self._machinery.work_folder / self._job_id, ignore_errors=True)

    async def _run(self) -> Ending:
        if self._stop.is_set():
            return self._cancelled()
        try:
            job = self._load()
            gang = build_gang(self._machinery, job, self._trial, fresh=self._fresh)
            self._greet(job)
        except (ApiError, UnsupportedHereError) as error:
            return Ending(states.FAILED, "INVALID_ARGUMENT", str(error))
        restarts = 0
        while True:
            ending = await self._attempt(gang)
            if not ending.transient or restarts == _MAX_RESTARTS or self._stop.is_set():
                return ending
            restarts += 1
            self._say(f"{ending.message} Restart {restarts} of {_MAX_RESTARTS}.", "WARNING")
            self._advance(states.PENDING)

    def _greet(self, job: protos.Message) -> None:
        self._say("Vertex AI is setting up this job.")
        self._say("Waiting for training program to start.")
        self._say("Job is preparing.")
        drift = drift_line(self._machinery, job)
        if drift and self._trial is None:
            self._say(drift, "NOTICE")

    def _cancelled(self) -> Ending:
        return Ending(states.CANCELLED, "CANCELLED", "CANCELED")

    async def _attempt(self, gang: list[ReplicaSpec]) -> Ending:
        """Start every replica and wait for what decides; nothing of the gang is left after it."""
        replicas: dict[str, Replica] = {}
        exits: dict[asyncio.Task[Exit], str] = {}
        try:
            for spec in gang:
                replica = await self._machinery.launcher.launch(spec, self._output(spec))
                replicas[spec.replica_id] = replica
                exits[asyncio.create_task(replica.wait())] = spec.replica_id
            if self._load().state == states.PENDING:
                self._advance(states.RUNNING)
                self._say("Job is running.")
            return await self._watch(exits, gang[0].replica_id)
        finally:
            await self._end_gang(replicas, exits)

    def _output(self, spec: ReplicaSpec) -> Callable[[str, bytes, float], None]:
        def write(stream: str, line: bytes, time: float) -> None:
            severity = "ERROR" if stream == "stderr" else "INFO"
            text = line.decode("utf-8", errors="replace")
            self._machinery.logbook.append(self._job_id, spec.replica_id, severity, text, time)

        return write

    def _seconds_left(self) -> float:
        job = self._load()
        timeout = job.job_spec.scheduling.timeout
        limit = timeout.ToMilliseconds() / 1000 or _DEFAULT_TIMEOUT_SECONDS
        started = job.start_time.ToNanoseconds() / 1e9
        return float(max(started + limit - self._machinery.identity.unix_time(), 0.0))

    async def _watch(self, exits: dict[asyncio.Task[Exit], str], primary: str) -> Ending:
        stopped = asyncio.create_task(self._stop.wait())
        running = set(exits)
        try:
            while True:
                done, _ = await asyncio.wait(
                    {*running, stopped},
                    timeout=self._seconds_left(),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not done:
                    return self._timed_out()
                if stopped in done:
                    return self._cancelled()
                ended = [task for task in exits if task in done]  # the primary's first
                running.difference_update(ended)
                for task in ended:
                    ending = self._judge(exits[task], task.result(), primary)
                    if ending is not None:
                        return ending
        finally:
            stopped.cancel()

    def _timed_out(self) -> Ending:
        seconds = self._load().job_spec.scheduling.timeout.ToMilliseconds() / 1000
        return Ending(
            states.FAILED,
            "DEADLINE_EXCEEDED",
            f"The job ran longer than its timeout of {seconds:g} s.",
        )

    def _judge(self, replica_id: str, end: Exit, primary: str) -> Ending | None:
        """What one replica's end means for the job; None when it means nothing."""
        status = end.code if end.code is not None else 128 + (end.signal or 0)
        reason = "SUCCEEDED" if status == 0 else "Error"
        self._machinery.logbook.append(
            self._job_id,
            replica_id,
            "INFO" if status == 0 else "ERROR",
            f"Task completed. Exit code ({status}). Exit reason ({reason})",
            self._machinery.identity.unix_time(),
        )
        if status == 0:
            return Ending(states.SUCCEEDED) if replica_id == primary else None
        if end.out_of_memory:
            text = (
                f"The replica {replica_id} ran out of memory and exited with a non-zero status "
                "of 137."
            )
            return Ending(states.FAILED, "RESOURCE_EXHAUSTED", text)
        text = (
            f"The replica {replica_id} exited with a non-zero status of {status}. "
            "Termination reason: Error."
        )
        transient = end.signal in _TRANSIENT or status - 128 in _TRANSIENT
        return Ending(states.FAILED, "INVALID_ARGUMENT", text, transient)

    async def _end_gang(
        self, replicas: dict[str, Replica], exits: dict[asyncio.Task[Exit], str]
    ) -> None:
        """SIGTERM to whoever still runs, SIGKILL after the grace."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            running = [task for task in exits if not task.done()]
            if not running:
                return
            for task in running:
                replicas[exits[task]].send_signal(number)
            await asyncio.wait(running, timeout=GRACE_SECONDS)
