"""One custom job from its creation to its end: hold it at its pace, attempt it, write how it ended.

What an end of a replica means is in ``resources.endings``; what happens within one attempt is in
``attempt``.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable

from vertex_jobs import catalog
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.attempt import Attempt
from vertex_jobs.emulator.controllers.auditing import write_audit
from vertex_jobs.emulator.controllers.replica_faults import ReplicaFaults
from vertex_jobs.emulator.controllers.starting import await_start
from vertex_jobs.emulator.controllers.stopping import Stop
from vertex_jobs.emulator.faults.rules import Job
from vertex_jobs.emulator.launcher import ReplicaSpec
from vertex_jobs.emulator.replicas.machinery import Machinery
from vertex_jobs.emulator.replicas.preparation import Trial, prepare_replicas
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Action, Decision, Ending, Retries
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import ResourceName
from vertex_jobs.runtime.directories import Directories

__all__ = ["CustomJobRun"]

_DEFAULT_TIMEOUT_SECONDS = float(catalog.load().limits.default_timeout_seconds)


class CustomJobRun:
    """The life of one custom job, a trial's or a pipeline's included."""

    def __init__(
        self,
        machinery: Machinery,
        job_id: str,
        stop: Stop,
        settings: JobSettings,
        *,
        owner: Job | None = None,
        trial: Trial | None = None,
        before_end: Callable[[Ending], None] = lambda ending: None,
    ) -> None:
        """Prepare to run.

        Args:
            machinery: The server's parts.
            job_id: The job's number.
            stop: Set to end the job before its time.
            settings: What Vertex AI does not have.
            owner: The submitted job that this one works for; None if it was submitted itself.
            trial: Set when the job is a trial.
            before_end: Called in the transaction that writes the end.
        """
        self._machinery = machinery
        self._job_id = job_id
        self._stop = stop
        self._settings = settings
        self._trial = trial
        self._before_end = before_end
        self._owner = owner or ("customJobs", job_id)
        trial_id = trial.trial_id if trial else ""
        self._faults = ReplicaFaults(machinery, job_id, self._owner, trial_id)

    def handle_step(self, step: int) -> None:
        """The trial has reported a metric at that step."""
        self._faults.handle_step(step)

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
            write_audit(self._machinery, self._load(), ending, self._trial)
            self._say("Tearing down training program.")
            self._say("Finished tearing down training program.")
            failed = ending.state != states.SUCCEEDED
            self._say("Job failed." if failed else "Job completed successfully.")
            with self._machinery.store.transaction():
                self._before_end(ending)
                self._advance(ending.state, ending.code, ending.message)
            return ending
        finally:
            self._machinery.logbook.release(self._job_id)
            self._machinery.sweep(self._machinery.work_folder / self._job_id)

    async def _run(self) -> Ending:
        job = self._load()
        ending = await self._await_start(job)
        if ending is not None:
            return ending
        self._greet()
        if self._faults.finds_no_machine(_replica_ids(job)):
            return _stockout(job)
        async with contextlib.AsyncExitStack() as held:
            try:
                replicas = await self._prepare(job, held)
            except (ApiError, UnsupportedHereError) as error:
                return Ending(states.FAILED, "INVALID_ARGUMENT", str(error))
            if replicas is None:
                return self._stop.ending
            return await self._attempts(job, replicas)

    async def _await_start(self, job: protos.Message) -> Ending | None:
        if self._owner[0] != "customJobs":  # which has waited already
            return self._stop.ending if self._stop.is_set() else None
        return await await_start(
            self._machinery, job, job.job_spec.scheduling, self._settings, self._stop
        )

    async def _prepare(
        self, job: protos.Message, held: contextlib.AsyncExitStack
    ) -> list[ReplicaSpec] | None:
        """Get what the replicas need; None when the job is stopped while it waits."""
        preparing = asyncio.create_task(
            prepare_replicas(self._machinery, job, self._trial, self._settings, held)
        )
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({preparing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return preparing.result() if preparing.done() else None
        finally:
            for task in (preparing, stopped):
                task.cancel()
            await asyncio.gather(preparing, stopped, return_exceptions=True)

    async def _attempts(self, job: protos.Message, replicas: list[ReplicaSpec]) -> Ending:
        """Run the replicas until an attempt decides, again after what is taken for transient."""
        scheduling = job.job_spec.scheduling
        retries = Retries(scheduling.restart_job_on_worker_restart, scheduling.disable_retries)
        base = job.job_spec.base_output_directory.output_uri_prefix
        self._faults.checkpoints = Directories.under(base).checkpoint_dir if base else ""
        job_restarts, worker_restarts = 0, Counter[str]()
        while True:
            attempt = Attempt(
                self._machinery,
                self._job_id,
                replicas,
                retries,
                self._stop,
                self._faults,
                self._deadline,
                job_restarts,
                worker_restarts,
            )
            decision = await attempt.run(self._on_running) or Decision(Action.END)
            if decision.action is Action.END:
                return decision.ending or self._timed_out()
            if self._stop.is_set():
                return self._stop.ending
            if decision.action is Action.RETRY_JOB:
                job_restarts, worker_restarts = job_restarts + 1, Counter[str]()
            self._say(decision.reason, "WARNING")
            self._advance(states.PENDING)

    def _on_running(self) -> None:
        if self._load().state == states.PENDING:
            self._advance(states.RUNNING)
            self._say("Job is running.")

    def _greet(self) -> None:
        self._say("Waiting for job to be provisioned.")
        self._say("Vertex AI is setting up this job.")
        self._say("Waiting for training program to start.")
        self._say("Job is preparing.")
        for text in self._machinery.warnings("customJobs", self._job_id):
            self._say(text, "WARNING")

    def _deadline(self) -> float:
        job = self._load()
        timeout = job.job_spec.scheduling.timeout
        limit = timeout.ToMilliseconds() / 1000 or _DEFAULT_TIMEOUT_SECONDS
        return float(job.start_time.ToNanoseconds() / 1e9 + limit)

    def _timed_out(self) -> Ending:
        seconds = self._load().job_spec.scheduling.timeout.ToMilliseconds() / 1000
        return Ending(
            states.FAILED,
            "DEADLINE_EXCEEDED",
            f"The job ran longer than its timeout of {seconds or _DEFAULT_TIMEOUT_SECONDS:g} s.",
        )


def _replica_ids(job: protos.Message) -> list[str]:
    pools = enumerate(job.job_spec.worker_pool_specs)
    return [
        f"workerpool{number}-{index}"
        for number, pool in pools
        for index in range(pool.replica_count)
    ]


def _stockout(job: protos.Message) -> Ending:
    """A location without machines. Source: "Understand the custom training service"."""
    location = ResourceName.parse(job.name).location
    return Ending(
        states.FAILED,
        "RESOURCE_EXHAUSTED",
        f"Resources are insufficient in region: {location}. Try a different region or use a "
        "different accelerator.",
    )
