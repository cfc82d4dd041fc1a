"""One tuning job's study in the search process: what it is told, and what it is asked.

The process serves all studies and may end at any time; then it is started anew and told everything.
"""

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.warm_start import trials_to_start_from
from vertex_jobs.emulator.replicas.machinery import Machinery
from vertex_jobs.emulator.resources.search_space import algorithm_name, maximized, search_space
from vertex_jobs.emulator.resources.study import assignment_of, objectives_of
from vertex_jobs.emulator.study_search.search_client import SearchFailedError

__all__ = ["StudySearch"]


class StudySearch:
    """The search of one tuning job."""

    def __init__(self, machinery: Machinery, job_id: str, settings: Mapping[str, Any]) -> None:
        """Know the job; ``settings`` may have the ``seed``."""
        self._machinery = machinery
        self._client = machinery.search
        self._job_id = job_id
        self._settings = settings
        self._told: list[dict[str, Any]] = []

    async def open(self, job: protos.Message, finished: Sequence[protos.Message]) -> None:
        """Begin with the trials of earlier studies and those that have finished before.

        Raises:
            SearchFailedError: If the search process has ended.
        """
        self._told = trials_to_start_from(self._machinery, job, self._settings)
        self._told += [_form(job, trial) for trial in finished]
        await self._open(job)

    async def tell(self, job: protos.Message, trial: protos.Message) -> None:
        """Add a trial that has finished; a process that has ended learns of it when asked."""
        self._told.append(_form(job, trial))
        with contextlib.suppress(SearchFailedError):
            await self._client.tell(self._job_id, self._told[-1:])

    async def ask(
        self,
        job: protos.Message,
        numbers: Sequence[int],
        running: Mapping[int, Mapping[str, Any]],
    ) -> list[dict[str, Any]]:
        """Assignments for the trials of these numbers; fewer when the space is exhausted.

        Args:
            job: The tuning job.
            numbers: Of the new trials.
            running: The assignments of the others, by their numbers.

        Raises:
            SearchFailedError: If the search refuses, or its process ends twice.
        """
        pending = [{"trial_id": one, "assignment": values} for one, values in running.items()]
        try:
            return await self._client.ask(self._job_id, numbers, pending)
        except SearchFailedError:
            await self._open(job)
            return await self._client.ask(self._job_id, numbers, pending)

    async def close(self) -> None:
        """Let the process forget the study."""
        with contextlib.suppress(SearchFailedError):
            await self._client.close_study(self._job_id)

    async def _open(self, job: protos.Message) -> None:
        spec = job.study_spec
        await self._client.open(
            self._job_id, search_space(spec), algorithm_name(spec), maximized(spec), self._seed()
        )
        if self._told:
            await self._client.tell(self._job_id, self._told)

    def _seed(self) -> int:
        """The study's seed: the one asked for, else drawn once and written into the settings."""
        if self._settings.get("seed") is None:
            settings = {**self._settings, "seed": secrets.randbelow(2**31)}
            self._machinery.store.save_settings("hyperparameterTuningJobs", self._job_id, settings)
            self._settings = settings
        return int(self._settings["seed"])


def _form(job: protos.Message, trial: protos.Message) -> dict[str, Any]:
    """A finished trial as the search knows it."""
    return {
        "trial_id": int(trial.id),
        "assignment": assignment_of(job.study_spec, trial),
        "objectives": objectives_of(job.study_spec, trial),
    }
