"""One tuning job: ask the search, run trials in parallel, keep their measurements, decide.

Each trial is a custom job of its own. What has been measured is written as it comes; a trial that
was running when the server died runs again and keeps what it had reported.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.custom_job import CustomJobs
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.controllers.trial import TrialRun
from vertex_jobs.emulator.controllers.warm_start import EarlierStudies, trials_to_start_from
from vertex_jobs.emulator.resources import states, study_rules, study_stopping
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.study_search.search_client import SearchClient, SearchFailedError
from vertex_jobs.emulator.study_search.session import MOST_SUGGESTIONS, StudySession, seed_of
from vertex_jobs.names import ResourceName

#: How often the rules are asked that may interrupt trials.
_RULES_SECONDS = 0.5


class TuningJobRun:
    """The life of one tuning job."""

    def __init__(
        self,
        record: JobRecord,
        stop: Stop,
        custom_jobs: CustomJobs,
        search: SearchClient,
        earlier: EarlierStudies,
    ) -> None:
        self._record = record
        self._stop = stop
        self._custom_jobs = custom_jobs
        self._search = search
        self._earlier = earlier
        self._session: StudySession | None = None
        self._running: dict[asyncio.Task[None], TrialRun] = {}
        self._finished: list[protos.Message] = []  # in order of completion, as the store has them
        self._outcomes: list[bool] = []  # of each of these, whether it succeeded

    async def run(self) -> None:
        """Run to the end, which is written before this returns."""
        stopped = asyncio.create_task(self._stop.wait())
        try:
            ending = await self._start(stopped)
            if ending.state == states.PAUSED:
                await self._abandon_trials()
        except SearchFailedError as error:
            ending = Ending(states.FAILED, "INTERNAL", f"The search failed: {error}")
        except asyncio.CancelledError:
            await self._abandon_trials()
            raise
        finally:
            stopped.cancel()
            await self._stop_trials()
            if self._session is not None:
                await self._session.close()
        self._record.end(ending)
        self._record.release_log()

    async def _start(self, stopped: "asyncio.Task[bool]") -> Ending:
        job = self._record.load()
        scheduling = job.trial_job_spec.scheduling
        pacing = self._custom_jobs.pacing
        ending = await pacing.await_start(self._record, scheduling, self._stop)
        self._take_up_trials(job)
        if ending is not None:
            return ending
        self._session = await self._open_study(self._record.load())
        return await self._run(self._record.load(), self._session, stopped)

    async def _open_study(self, job: protos.Message) -> StudySession:
        session = StudySession(
            self._search,
            self._record.job_id,
            job.study_spec,
            seed_of(self._record.store, *self._record.key),
            trials_to_start_from(self._record, job.study_spec, self._earlier),
        )
        await session.tell(self._finished)
        if job.state != states.RUNNING:
            self._record.say_warnings()
            self._record.advance(states.RUNNING)
        return session

    def _trials(self) -> list[protos.Message]:
        return [*self._finished, *(run.trial for run in self._running.values())]

    def _take_up_trials(self, job: protos.Message) -> None:
        """Read what has finished, and run again what was running when the server ended."""
        for trial in self._record.trials():
            if study_rules.is_finished(trial):
                self._settle(trial)
            else:
                self._launch(job, trial)

    def _settle(self, trial: protos.Message) -> None:
        self._finished.append(trial)
        self._outcomes.append(trial.state == protos.TrialState.SUCCEEDED)

    def _launch(self, job: protos.Message, trial: protos.Message) -> None:
        run = TrialRun(self._record, job, trial, self._custom_jobs, self._search)
        self._running[asyncio.create_task(run.run())] = run

    async def _run(
        self, job: protos.Message, session: StudySession, stopped: "asyncio.Task[bool]"
    ) -> Ending:
        """Keep the slots filled until the budget, the space or the patience is used up."""
        exhausted = False
        asap = job.study_spec.study_stopping_config.should_stop_asap.value
        while True:
            if study_rules.failures_end_job(job.max_failed_trial_count, self._outcomes):
                return _too_many_failures(self._finished, self._outcomes, len(self._running))
            if not exhausted and (reason := self._reason_to_stop(job, self._trials())):
                exhausted = True
                self._note(f"The study stops after {len(self._trials())} trials: {reason}.")
            if asap and self._running and (reason := self._reason_to_stop(job, self._finished)):
                self._note(f"The trials that still run are stopped: {reason}.")
                await self._stop_trials()
            if not exhausted:
                exhausted = not await self._fill(job, session)
            if not self._running:
                return Ending(states.SUCCEEDED)
            done, _ = await asyncio.wait(
                {*self._running, stopped},
                timeout=_RULES_SECONDS if asap else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if stopped in done:
                return self._stop.ending
            for task in done:
                run = self._running.pop(task)  # type: ignore[arg-type]  # stopped is not in done
                task.result()
                self._settle(run.trial)

    def _reason_to_stop(self, job: protos.Message, trials: list[protos.Message]) -> str:
        """Return the study's own rule that ends it here, by these trials."""
        now = self._record.now()
        return study_stopping.reason_to_stop(job.study_spec, trials, job.start_time, now)

    def _note(self, text: str) -> None:
        self._record.say(text, "NOTICE")

    async def _fill(self, job: protos.Message, session: StudySession) -> bool:
        """Start trials in the free slots; return whether there is more to ask for."""
        now, trials = self._record.now(), self._trials()
        limit = study_stopping.trial_limit(job.study_spec, trials, job.start_time, now)
        most, started = min(job.max_trial_count, limit), len(trials)
        slots = min(job.parallel_trial_count - len(self._running), MOST_SUGGESTIONS)
        free = int(min(slots, most - started))
        if free <= 0:
            return bool(started < most)
        first = started + 1
        numbers = list(range(first, first + free))
        assignments = self._known_points(numbers)
        if len(assignments) < free:
            pending = {
                int(run.trial.id): study_rules.assignment_of(job.study_spec, run.trial)
                for run in self._running.values()
            }
            pending |= zip(numbers, assignments, strict=False)
            wanted = numbers[len(assignments) :]
            assignments += await session.ask(wanted, self._finished, pending)
        for number, assignment in zip(numbers, assignments, strict=False):
            self._launch(job, self._create(job, number, assignment))
        if len(assignments) == free:
            return True
        total = started + len(assignments)
        self._note(f"The study stops after {total} trials: its space has no other point.")
        return False

    def _known_points(self, numbers: list[int]) -> list[dict[str, Any]]:
        """Return the points that the user wants tried first, for these trials."""
        known = self._record.settings.local.initial_trials
        return [dict(known[number - 1]) for number in numbers if number <= len(known)]

    def _create(
        self, job: protos.Message, number: int, assignment: Mapping[str, Any]
    ) -> protos.Message:
        """Create a trial and its custom job, written as one."""
        record, name = self._record, self._record.name
        custom_job = record.new_custom_job(f"{job.display_name}-trial-{number}", job.trial_job_spec)
        study_rules.set_trial_directory(custom_job.job_spec, str(number))
        study_name = ResourceName(name.project, name.location, "studies", name.resource_id)
        trial = protos.Trial(
            id=str(number),
            name=str(study_name.child("trials", str(number))),
            state=protos.TrialState.ACTIVE,
            custom_job=custom_job.name,
        )
        trial.parameters.extend(study_rules.parameter_messages(assignment))
        trial.start_time.CopyFrom(custom_job.create_time)
        with record.transaction():
            record.insert_owned(custom_job)
            record.save_trial(trial)
        return trial

    async def _abandon_trials(self) -> None:
        """End what still runs as a crash would: it runs again when the job goes on."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()

    async def _stop_trials(self) -> None:
        for run in self._running.values():
            run.cancel()
        if self._running:
            await asyncio.wait(self._running)
        for run in self._running.values():
            self._settle(run.trial)
        self._running.clear()


def _too_many_failures(
    finished: Sequence[protos.Message], outcomes: Sequence[bool], running: int
) -> Ending:
    """Return how failures end the job, while trials may still run, which are then cancelled."""
    failed = [one for one, succeeded in zip(finished, outcomes, strict=True) if not succeeded]
    text = f"{len(failed)} of the {len(finished)} trials that had finished failed"
    if running:
        text += f", and {running} that still ran were cancelled for it"
    first = failed[0]
    text += f". Trial {first.id} failed first: {first.infeasible_reason}"
    return Ending(states.FAILED, "INVALID_ARGUMENT", text)
