"""Which jobs run: starts a controller for each, cancels it, knows when all are done."""

import asyncio
import sys
import traceback
from collections.abc import Coroutine
from typing import Any

from vertex_jobs.emulator.controllers.custom_job import CustomJobRun
from vertex_jobs.emulator.controllers.stopping import Stop
from vertex_jobs.emulator.controllers.training_pipeline import TrainingPipelineRun
from vertex_jobs.emulator.controllers.tuning_job import TuningJobRun
from vertex_jobs.emulator.faults.rules import RuleSet
from vertex_jobs.emulator.replicas.machinery import Machinery
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.job_kinds import JOB_KINDS
from vertex_jobs.names import ResourceName

__all__ = ["Supervisor"]


class Supervisor:
    """The running jobs of one server."""

    def __init__(self, machinery: Machinery) -> None:
        """Run jobs with the server's parts."""
        self._machinery = machinery
        self._stops: dict[tuple[str, str], Stop] = {}
        self._tasks: dict[asyncio.Task[Any], tuple[str, str]] = {}

    @property
    def running(self) -> int:
        """Number of jobs that run."""
        return len(self._tasks)

    def names(self) -> list[ResourceName]:
        """The jobs that run, in the order in which they were started."""
        store = self._machinery.store
        jobs = [store.load(*key, trials=False) for key in self._stops]
        return [ResourceName.parse(job.name) for job in jobs]

    def start(self, name: ResourceName) -> None:
        """Run the job of that name."""
        key = (name.collection, name.resource_id)
        if key in self._stops:
            return
        self._stops[key] = Stop()
        task = asyncio.create_task(self._run(key))
        self._tasks[task] = key
        task.add_done_callback(self._forget)

    def cancel(self, name: ResourceName) -> None:
        """Stop the job of that name, which has become CANCELLING."""
        stop = self._stops.get((name.collection, name.resource_id))
        if stop is None:
            self.start(name)  # an interrupted job: its controller writes the end
            stop = self._stops[(name.collection, name.resource_id)]
        stop.set()

    def interrupted(self) -> list[ResourceName]:
        """Jobs that have not ended and do not run, oldest first."""
        names = []
        for collection in (kind.collection for kind in JOB_KINDS):
            ended = states.TERMINAL | {states.PAUSED}
            for job_id in self._machinery.store.unfinished(collection, ended):
                if (collection, job_id) not in self._stops:
                    job = self._machinery.store.load(collection, job_id, trials=False)
                    names.append(ResourceName.parse(job.name))
        return names

    def resume(self) -> list[ResourceName]:
        """Go on with every interrupted job; answers their names."""
        names = self.interrupted()
        for name in names:
            job = self._machinery.store.load(name.collection, name.resource_id, trials=False)
            if job.state == states.CANCELLING:
                self.cancel(name)
            else:
                self.start(name)
        return names

    def stop_of(self, name: ResourceName) -> Stop | None:
        """What ends the job of that name; None if it does not run, or works for another job."""
        return self._stops.get((name.collection, name.resource_id))

    async def close(self) -> None:
        """Stop every controller as a crash would; the store has what they need to go on."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._stops.pop(self._tasks.pop(task), None)

    async def _run(self, key: tuple[str, str]) -> None:
        board, store = self._machinery.faults, self._machinery.store
        try:
            board.post(key, RuleSet(JobSettings.read(store.settings(*key)).local.faults))
            await self._controller(key)
        except Exception:
            # A fault of ours must end the job, not leave it running for ever.
            traceback.print_exc(file=sys.stderr)
            self._fail(key, traceback.format_exc(limit=-1))
        board.remove(key)

    def _fail(self, key: tuple[str, str], text: str) -> None:
        job = self._machinery.store.load(*key, trials=False)
        if states.is_terminal(job):
            return
        if job.state == states.QUEUED:
            states.advance(job, states.PENDING, self._machinery.identity.now())
        message = f"Internal error occurred for the current attempt. {text}"
        now = self._machinery.identity.now()
        states.advance(job, states.FAILED, now, code="INTERNAL", message=message)
        self._machinery.store.save(job)

    def _controller(self, key: tuple[str, str]) -> Coroutine[Any, Any, Any]:
        collection, job_id = key
        settings = self._machinery.store.settings(collection, job_id)
        stop = self._stops[key]
        if collection == "customJobs":
            own = JobSettings.read(settings)
            return CustomJobRun(self._machinery, job_id, stop, own).run()
        if collection == "trainingPipelines":
            return TrainingPipelineRun(self._machinery, job_id, stop, settings).run()
        return TuningJobRun(self._machinery, job_id, stop, settings).run()
