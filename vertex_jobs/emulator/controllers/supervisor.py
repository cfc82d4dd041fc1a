"""The jobs that run on a server: a controller for each is started here, and stopped."""

import asyncio
import sys
import traceback
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.faults.rules import FaultBoard, Job, RuleSet
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.job_records import JobRecord, JobRecords
from vertex_jobs.job_kinds import JOB_KINDS, JobKind, kind_of_collection
from vertex_jobs.names import ResourceName

#: Drives a job to its end, which it writes, or to the end that it is asked for.
Controller = Callable[[JobRecord, Stop], Coroutine[Any, Any, object]]


class Supervisor:
    """The running jobs of one server."""

    def __init__(
        self, records: JobRecords, board: FaultBoard, controllers: Mapping[JobKind, Controller]
    ) -> None:
        """Run each job by the controller of its kind, its faults on the board meanwhile."""
        self._records = records
        self._board = board
        self._controllers = controllers
        self._stops: dict[Job, Stop] = {}
        self._tasks: dict[asyncio.Task[Any], JobRecord] = {}

    @property
    def running(self) -> int:
        """Number of jobs that run."""
        return len(self._tasks)

    def names(self) -> list[ResourceName]:
        """Return the jobs that run, in the order in which they were started."""
        return [record.name for record in self._tasks.values()]

    def start(self, name: ResourceName) -> None:
        """Run the job of that name, unless it runs."""
        record = self._records.of(name)
        if record.key in self._stops:
            return
        self._stops[record.key] = Stop()
        task = asyncio.create_task(self._run(record))
        self._tasks[task] = record
        task.add_done_callback(self._forget)

    def cancel(self, name: ResourceName) -> None:
        """Stop the job of that name, which has become CANCELLING."""
        self.start(name)  # if it was interrupted: its controller writes the end
        self._stops[name.collection, name.resource_id].set()

    def interrupted(self) -> list[ResourceName]:
        """Return the jobs that have not ended and do not run, oldest first."""
        return [ResourceName.parse(job.name) for job in self._interrupted()]

    def resume(self) -> list[ResourceName]:
        """Go on with every interrupted job; return their names."""
        jobs = self._interrupted()
        for job in jobs:
            name = ResourceName.parse(job.name)
            if job.state == states.CANCELLING:
                self.cancel(name)
            else:
                self.start(name)
        return [ResourceName.parse(job.name) for job in jobs]

    def stop_of(self, name: ResourceName) -> Stop | None:
        """Return what ends the job; None if it does not run, or works for another job."""
        return self._stops.get((name.collection, name.resource_id))

    async def close(self) -> None:
        """Stop every controller as a crash would; the store has what they need to go on."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _interrupted(self) -> list[protos.Message]:
        store, ended = self._records.store, states.TERMINAL | {states.PAUSED}
        keys = [
            (kind.collection, job_id)
            for kind in JOB_KINDS
            for job_id in store.unfinished(kind.collection, ended)
        ]
        keys.sort(key=lambda key: int(key[1]))  # later jobs have larger numbers
        return [store.load(*key) for key in keys if key not in self._stops]

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._stops.pop(self._tasks.pop(task).key, None)

    async def _run(self, record: JobRecord) -> None:
        try:
            self._board.post(record.key, RuleSet(record.settings.local.faults))
            control = self._controllers[kind_of_collection(record.name.collection)]
            await control(record, self._stops[record.key])
        except Exception:
            # A fault of ours must end the job, not leave it running for ever.
            traceback.print_exc(file=sys.stderr)
            _fail(record, traceback.format_exc(limit=-1))
        self._board.remove(record.key)


def _fail(record: JobRecord, text: str) -> None:
    job = record.load()
    if states.is_terminal(job):
        return
    if job.state == states.QUEUED:
        record.advance(states.PENDING)
    message = f"Internal error occurred for the current attempt. {text}"
    record.advance(states.FAILED, "INTERNAL", message)
