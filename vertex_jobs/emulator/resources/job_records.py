"""One job in the store: its message, settings and log, and every change of it.

For the controllers, each of which drives one job, and for the admin calls. A record keeps nothing
but its settings, which never change: each reading is of the row, and each change is durable.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.resources.service_values import fill_boot_disks, web_access_uris
from vertex_jobs.emulator.store.logbook import SERVICE_TASK, Logbook
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.job_kinds import CUSTOM_JOB
from vertex_jobs.names import ResourceName


@dataclass(frozen=True)
class JobRecords:
    """The jobs of one server."""

    store: Store
    identity: Identity
    logbook: Logbook

    def of(self, name: ResourceName) -> "JobRecord":
        """Return the record of the job of that name."""
        return JobRecord(self, name)


class JobRecord:
    """One job.

    Attributes:
        shown_name: The name under which clients know it: of a trial, that of its tuning job.
    """

    def __init__(self, records: JobRecords, name: ResourceName) -> None:
        self.name = name
        self.store = records.store
        self._records = records
        self.shown_name = name
        self._trial = ""

    @property
    def job_id(self) -> str:
        """Its number."""
        return self.name.resource_id

    @property
    def key(self) -> tuple[str, str]:
        """Its collection and number."""
        return self.name.collection, self.name.resource_id

    @cached_property
    def settings(self) -> JobSettings:
        """Its settings that Vertex AI does not have."""
        return JobSettings.read(self.store.settings(*self.key))

    def now(self) -> timestamp_pb2.Timestamp:
        """Return the time."""
        return self._records.identity.now()

    def transaction(self) -> AbstractContextManager[None]:
        """Make several changes one event: all of them durable, or none."""
        return self.store.transaction()

    def load(self) -> protos.Message:
        """Return the job as it is now; None if there is none."""
        return self.store.load(*self.key)

    def save(self, job: protos.Message) -> None:
        """Write the job as it was changed."""
        self.store.save(job)

    def advance(self, state: int, code: str = "", message: str = "") -> None:
        """Move the job to its next state; see ``states.advance``."""
        job = self.load()
        states.advance(job, state, self.now(), code=code, message=message)
        self.save(job)

    def end(self, ending: Ending) -> None:
        """Write how the job ends."""
        self.advance(ending.state, ending.code, ending.message)

    def publish_web_shells(self) -> None:
        """Write the address of each web shell that was asked for, one after another."""
        for replica_id, uri in web_access_uris(self.load()):
            job = self.load()
            job.web_access_uris[replica_id] = uri
            job.update_time.CopyFrom(self.now())
            self.save(job)

    def request_cancel(self) -> None:
        """Make the job CANCELLING unless it is, or has ended."""
        job = self.load()
        if states.request_cancel(job, self.now()):
            self.save(job)

    def say(
        self,
        text: str,
        severity: str = "INFO",
        *,
        task: str = SERVICE_TASK,
        time: float | None = None,
    ) -> None:
        """Write a line to the job's log, as the service unless it is another task's."""
        time = self._records.identity.unix_time() if time is None else time
        job_id = self.shown_name.resource_id
        self._records.logbook.append(job_id, task, severity, text, time, self._trial)

    def say_warnings(self) -> None:
        """Write to the log what admission has warned of."""
        for text in self.settings.warnings:
            self.say(text, "WARNING")

    def release_log(self) -> None:
        """Forget the log's position: the job has ended. A trial's is the tuning job's."""
        if not self._trial:
            self._records.logbook.release(self.job_id)

    def trials(self) -> list[protos.Message]:
        """Return a tuning job's trials, in order of completion, unfinished ones last."""
        return self.store.trials(self.job_id)

    def save_trial(self, trial: protos.Message, *, finished: bool = False) -> None:
        """Write one trial of a tuning job, which has changed by it."""
        with self.transaction():
            self.store.save_trial(self.job_id, trial, finished=finished)
            job = self.load()
            job.update_time.CopyFrom(self.now())
            self.save(job)

    def new_custom_job(self, display_name: str, job_spec: protos.Message) -> protos.Message:
        """Return a CustomJob that will work for this job, PENDING and not kept yet."""
        identity, now = self._records.identity, self.now()
        name = identity.new_name(self.name.project, self.name.location, CUSTOM_JOB.collection)
        job = protos.CustomJob(name=str(name), display_name=display_name, job_spec=job_spec)
        job.create_time.CopyFrom(now)
        fill_boot_disks(job.job_spec)
        states.advance(job, states.PENDING, now)
        return job

    def insert_owned(self, job: protos.Message, settings: Mapping[str, Any] | None = None) -> None:
        """Keep a job that works for this one, with settings of its own beside this one's."""
        project = self.store.project(*self.key)
        self.store.insert(job, project=project, owner=str(self.name), settings=settings)

    def owned(self, name: str, trial: str = "") -> "JobRecord":
        """Return the record of a job that works for this one, as one of its trials if so told.

        It has this one's settings, but for the warnings and variables that it was kept with. A
        trial has no log of its own: its lines are in this one's, with the trial's id.
        """
        record = self._records.of(ResourceName.parse(name))
        own = record.settings
        record.settings = replace(
            self.settings, warnings=own.warnings, data_variables=own.data_variables
        )
        if trial:
            record.shown_name, record._trial = self.name, trial
        return record
