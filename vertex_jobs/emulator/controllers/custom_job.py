"""One custom job from its creation to its end: wait at its pace, attempt it, write how it ended.

The meaning of a replica's end is decided in ``resources.endings``; one attempt is in ``attempt``.
"""

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from vertex_jobs import catalog
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.controllers.attempt import Attempt
from vertex_jobs.emulator.controllers.auditing import write_audit
from vertex_jobs.emulator.controllers.gcs_copies import GcsCopies
from vertex_jobs.emulator.controllers.pacing import Pacing
from vertex_jobs.emulator.controllers.replica_faults import ReplicaFaults
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.launcher.launcher_values import ReplicaSpec
from vertex_jobs.emulator.replicas.host import Host
from vertex_jobs.emulator.replicas.preparation import prepare_replicas
from vertex_jobs.emulator.replicas.replica_environment import Trial
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Action, Decision, Ending, Retries
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.resources.refusals import quota_text
from vertex_jobs.emulator.resources.service_values import replica_ids
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.writers import WriteLedger
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import GcsUri, is_gcs_uri
from vertex_jobs.runtime.directories import Directories

_DEFAULT_TIMEOUT_SECONDS = catalog.load().limits.default_timeout_seconds


@dataclass(frozen=True)
class CustomJobs:
    """The parts that custom jobs run with on one server, whatever they work for."""

    host: Host
    clock: Clock
    pacing: Pacing
    board: FaultBoard
    objects: ObjectStore
    writes: WriteLedger

    def controller(
        self,
        record: JobRecord,
        stop: Stop,
        *,
        owner: JobRecord | None = None,
        trial: Trial | None = None,
        before_end: Callable[[Ending], None] = lambda ending: None,
    ) -> "CustomJobRun":
        """Return what drives one job to its end.

        ``owner`` is the submitted job that this one works for, None if it was submitted itself;
        ``before_end`` is called in the transaction that writes the end.
        """
        return CustomJobRun(self, record, stop, owner, trial, before_end)


class CustomJobRun:
    """The life of one custom job, a trial's or a pipeline's included."""

    def __init__(
        self,
        custom_jobs: CustomJobs,
        record: JobRecord,
        stop: Stop,
        owner: JobRecord | None,
        trial: Trial | None,
        before_end: Callable[[Ending], None],
    ) -> None:
        self._with = custom_jobs
        self._record = record
        self._stop = stop
        self._owner = owner
        self._trial = trial
        self._before_end = before_end
        self._running_since = math.inf
        self._faults = ReplicaFaults(
            record,
            (owner or record).key,
            custom_jobs.board,
            custom_jobs.clock,
            custom_jobs.objects,
            trial.trial_id if trial else "",
        )

    def handle_step(self, step: int) -> None:
        """Inject the faults that a reported step of the trial triggers."""
        self._faults.handle_step(step)

    def note_steps(self, marks: Iterable[tuple[float, int]]) -> None:
        """Note when which steps the trial reported, for whoever judges a drill."""
        self._faults.note_steps(marks)

    async def run(self) -> Ending:
        """Run to the end, which is written before this returns."""
        record = self._record
        try:
            ending = await self._run()
            self._audit(ending)
            record.say("Tearing down training program.")
            record.say("Finished tearing down training program.")
            failed = ending.state != states.SUCCEEDED
            record.say("Job failed." if failed else "Job completed successfully.")
            with record.transaction():
                self._before_end(ending)
                record.end(ending)
            return ending
        finally:
            record.release_log()
            self._with.host.sweep(record.job_id)

    async def _run(self) -> Ending:
        job = self._record.load()
        ending = await self._await_start(job.job_spec.scheduling)
        if ending is not None:
            return ending
        self._greet()
        if shortage := self._faults.shortage(replica_ids(job.job_spec)):
            text = _SHORT_OF[shortage](job.job_spec, self._record.name.location)
            return Ending(states.FAILED, "RESOURCE_EXHAUSTED", text)
        async with contextlib.AsyncExitStack() as held:
            try:
                replicas = await self._prepare(job, held)
                if replicas is None:
                    return self._stop.ending
                return await self._attempts(job, replicas)
            except ApiError as error:
                return Ending(states.FAILED, "INVALID_ARGUMENT", error.message)
            except UnsupportedHereError as error:
                return Ending(states.FAILED, "INVALID_ARGUMENT", str(error))

    async def _await_start(self, scheduling: protos.Message) -> Ending | None:
        if self._owner is not None:  # which has waited already
            return self._stop.ending if self._stop.is_set() else None
        return await self._with.pacing.await_start(self._record, scheduling, self._stop)

    def _greet(self) -> None:
        self._record.say("Waiting for job to be provisioned.")
        self._record.say("Vertex AI is setting up this job.")
        self._record.say("Waiting for training program to start.")
        self._record.say("Job is preparing.")
        self._record.say_warnings()

    async def _prepare(
        self, job: protos.Message, held: contextlib.AsyncExitStack
    ) -> list[ReplicaSpec] | None:
        """Prepare the replicas; return None when the job is stopped while it waits."""
        preparing = asyncio.create_task(
            prepare_replicas(self._with.host, self._record, job, self._trial, held)
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
        self._faults.outputs = str(GcsUri.parse(base).directory()) if is_gcs_uri(base) else ""
        self._faults.checkpoints = Directories.under(base).checkpoint_dir if base else ""
        job_restarts, worker_restarts = 0, Counter[str]()
        while True:
            attempt = Attempt(
                record=self._record,
                launcher=self._with.host.launcher,
                clock=self._with.clock,
                writes=self._with.writes,
                replicas=replicas,
                retries=retries,
                stop=self._stop,
                faults=self._faults,
                copies=GcsCopies(self._with.objects, self._record),
                deadline=self._deadline,
                job_restarts=job_restarts,
                worker_restarts=worker_restarts,
            )
            decision = await attempt.run(self._on_running) or Decision(Action.END)
            if decision.reason:
                self._record.say(decision.reason, "WARNING")
            if decision.action is Action.END:
                return decision.ending or self._timed_out()
            if self._stop.is_set():
                return self._stop.ending
            if decision.action is Action.RETRY_JOB:
                job_restarts, worker_restarts = job_restarts + 1, Counter[str]()
            self._record.advance(states.PENDING)

    def _on_running(self) -> None:
        self._running_since = min(self._running_since, self._with.clock.time())
        if self._record.load().state == states.PENDING:
            self._record.advance(states.RUNNING)
            self._record.publish_web_shells()
            self._record.say("Job is running.")

    def _deadline(self) -> float:
        """Return when the job has run too long: its start time, which is rounded up, may be later.

        After a restart of the server the start time alone is known.
        """
        job = self._record.load()
        started = min(self._running_since, job.start_time.ToNanoseconds() / 1e9)
        return float(started + _timeout_seconds(job))

    def _timed_out(self) -> Ending:
        """Return the end of a job that has run too long, which the service cancels.

        Source: tensorflow/tfx issue 6223, "cancelled after exactly 7 days"; the text is ours.
        """
        seconds = _timeout_seconds(self._record.load())
        text = f"The job ran longer than its timeout of {seconds:g} s."
        return Ending(states.CANCELLED, "CANCELLED", text)

    def _audit(self, ending: Ending) -> None:
        write_audit(
            self._record,
            ending,
            self._with.host.folder(self._record.job_id),
            self._with.objects,
            self._with.writes,
            self._trial.trial_id if self._trial else "",
        )


def _timeout_seconds(job: protos.Message) -> float:
    given = job.job_spec.scheduling.timeout.ToMilliseconds() / 1000
    return float(given or _DEFAULT_TIMEOUT_SECONDS)


def _stockout(spec: protos.Message, location: str) -> str:
    """Return the error in a location without machines.

    Source: "Understand the custom training service".
    """
    return (
        f"Resources are insufficient in region: {location}. Try a different region or use a "
        "different accelerator."
    )


#: The text of each shortage.
_SHORT_OF: Mapping[str, Callable[[protos.Message, str], str]] = {
    "stockout": _stockout,
    "quota": lambda spec, location: quota_text(spec),
}
