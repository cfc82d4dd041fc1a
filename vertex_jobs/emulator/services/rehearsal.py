"""The admin calls of tests and drills: faults, steps, time, states that jobs do not reach.

They come through ``joining.LocalServer``.
"""

import copy
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.clock import VirtualClock
from vertex_jobs.emulator.controllers.pacing import Pacing
from vertex_jobs.emulator.controllers.supervisor import Supervisor
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.resources import states, study_rules
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.resources.job_records import JobRecords
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.services.fault_injection import rules_of
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.job_kinds import CUSTOM_TRAINING_JOB, JOB_KINDS
from vertex_jobs.names import ResourceName

Answer = dict[str, Any]

#: States that a job does not reach by itself here.
_FORCED = (states.PAUSED, states.EXPIRED, states.PARTIALLY_SUCCEEDED)
#: A change is noticed at once; this bounds the wait for one that was missed.
_LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Rehearsal:
    """Answers the admin calls of this module; ``call_names`` are all that a fault may name."""

    records: JobRecords
    supervisor: Supervisor
    pacing: Pacing
    board: FaultBoard
    call_names: tuple[str, ...]

    def calls(self) -> Mapping[str, Callable[[Mapping[str, Any]], Awaitable[Answer]]]:
        """Return verb and path of each call, and what answers it."""
        return {
            "POST /admin/faults": self._inject,
            "DELETE /admin/faults": self._clear,
            "POST /admin/incidents": self._incidents,
            "POST /admin/metrics": self._metrics,
            "POST /admin/places": self._places,
            "POST /admin/failed": self._failed,
            "POST /admin/step": self._step,
            "POST /admin/end": self._end,
            "POST /admin/advance": self._advance,
        }

    async def _inject(self, body: Mapping[str, Any]) -> Answer:
        """Let faults hold for every job, beside those that hold already."""
        faults = JobSettings.read({"faults": body.get("faults", [])}).local.faults
        self.board.standing.append(rules_of(faults, self.call_names))
        return {"injected": len(faults)}

    async def _clear(self, body: Mapping[str, Any]) -> Answer:
        self.board.standing.clear()
        self.board.incidents.forget_calls()
        self.board.incidents.forget_watches()
        return {}

    async def _incidents(self, body: Mapping[str, Any]) -> Answer:
        job = _name(body).resource_id
        return {"incidents": self.board.incidents.of_job(job)}

    async def _metrics(self, body: Mapping[str, Any]) -> Answer:
        """Tell which metrics the trials of a job have reported, which the API does not tell."""
        trials = self.records.of(_name(body)).trials()
        names = {name for one in trials for name in study_rules.reported_names(one.measurements)}
        return {"metrics": sorted(names)}

    async def _places(self, body: Mapping[str, Any]) -> Answer:
        """Answer where there are jobs, since the API lists one project at a time."""
        return {"places": self.records.store.job_places()}

    async def _failed(self, body: Mapping[str, Any]) -> Answer:
        """Answer which jobs have failed, of those created since a time; the oldest first."""
        store, since = self.records.store, float(body["since"])
        found = []
        places = {(project_number(one), place) for one, place, _ in store.job_places()}
        for number, location in places:
            for kind in JOB_KINDS:
                for _, job in store.page(kind.collection, number, location, None):
                    created = job.create_time.ToNanoseconds() / 1e9
                    if created >= since and job.state == states.FAILED:
                        project = store.project(kind.collection, job.name.rpartition("/")[2])
                        found.append((created, job.name, project))
        return {"failed": [[name, project] for _, name, project in sorted(found)]}

    async def _step(self, body: Mapping[str, Any]) -> Answer:
        """Move a job that waits for a step one state on, or let a paused one go on."""
        name = _name(body)
        job = self._existing(name)
        before = job.state
        if before == states.PAUSED:
            self._unpause(job)
        elif not self.pacing.step(name.resource_id):
            raise ApiError(
                "FAILED_PRECONDITION",
                f"{job.name} is {protos.JobState(before).name} and waits for no step; jobs with "
                "pace: stepped do while they are QUEUED or PENDING.",
            )
        return await self._when(name, lambda state: state != before)

    def _unpause(self, job: protos.Message) -> None:
        """Let a job run again, with the jobs that work for it."""
        store, now = self.records.store, self.records.identity.now()
        owned = [store.load(*key) for key in store.owned(job.name)]
        with store.transaction():
            for one in (job, *(one for one in owned if one.state == states.PAUSED)):
                states.advance(one, states.RUNNING, now)
                store.save(one)
        self.supervisor.start(ResourceName.parse(job.name))

    async def _end(self, body: Mapping[str, Any]) -> Answer:
        """End a job in a state that it does not reach by itself here."""
        state = str(body.get("state"))
        known = protos.JobState.__members__
        if state not in known:
            raise ApiError("INVALID_ARGUMENT", f"{state!r} is no state: {', '.join(known)}.")
        return await self._force(_name(body), int(known[state]))

    async def _force(self, name: ResourceName, state: int) -> Answer:
        job = self._existing(name)
        is_pipeline = name.collection == CUSTOM_TRAINING_JOB.collection
        known = protos.PipelineState if is_pipeline else protos.JobState
        if state not in _FORCED or state not in set(known):
            raise ApiError("INVALID_ARGUMENT", f"A {name.collection} job cannot be put there.")
        states.advance(copy.deepcopy(job), state, self.records.identity.now())  # if it may follow
        stop = self.supervisor.stop_of(name)
        if stop is None:
            raise ApiError(
                "FAILED_PRECONDITION",
                f"{job.name} has no controller of its own: it works for another job, or was "
                "interrupted and waits to be resumed.",
            )
        stop.end(Ending(state))
        return await self._when(name, lambda now: now == state)

    def _existing(self, name: ResourceName) -> protos.Message:
        job = None
        if any(name.collection == kind.collection for kind in JOB_KINDS):
            job = self.records.store.load(name.collection, name.resource_id)
        if job is None:
            raise ApiError("NOT_FOUND", f"The job {str(name)!r} does not exist.")
        return job

    async def _when(self, name: ResourceName, reached: Callable[[int], bool]) -> Answer:
        store = self.records.store
        while not reached(state := self._existing(name).state):
            await store.wait_for_change(name.collection, name.resource_id, _LOOK_SECONDS)
        return {"state": protos.JobState(state).name}

    async def _advance(self, body: Mapping[str, Any]) -> Answer:
        clock = self.pacing.clock
        if not isinstance(clock, VirtualClock):
            raise ApiError(
                "FAILED_PRECONDITION",
                "The clock of this server is the machine's; start one with --clock virtual.",
            )
        return {"time": clock.advance(float(body["seconds"]))}


def _name(body: Mapping[str, Any]) -> ResourceName:
    try:
        return ResourceName.parse(str(body.get("job", "")))
    except ValueError as error:
        raise ApiError("INVALID_ARGUMENT", str(error)) from error
