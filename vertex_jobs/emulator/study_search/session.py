"""One study in the search process: opened, told of its finished trials, asked for new ones.

For tuning jobs, for Vizier's studies and for the first trial of ``run --debug``. The process serves
all studies and may end at any time: then the study is opened again and everything told again.
"""

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.resources.study_rules import assignment_of, objectives_of
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.emulator.study_search.search_client import (
    SearchClient,
    SearchFailedError,
    SearchLostError,
    outlast_losses,
)
from vertex_jobs.emulator.study_search.search_process import OpenStudy

#: As many suggestions are had at once. The service's own limit is not published.
#: Source: quotas of AI Platform Vizier, its predecessor, which allowed 1,000 trials in a study.
MOST_SUGGESTIONS = 1000
#: As many are asked for in one question: those of other studies are answered in between.
_SLICE = 50


class StudySession:
    """One study, as it is opened, told and asked in the search process."""

    def __init__(
        self,
        search: SearchClient,
        study_id: str,
        study_spec: protos.Message,
        seed: int,
        earlier: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Describe the study; nothing is sent yet.

        ``earlier`` are trials of other studies to learn from, in the search's form.
        """
        self._search = search
        self._study_id = study_id
        self._spec = study_spec
        self._seed = seed
        self._earlier = earlier
        self._told: set[str] | None = None  # None until the process knows the study

    async def tell(self, finished: Sequence[protos.Message]) -> None:
        """Open the study unless it is open, and tell those of the trials that are new.

        Raises:
            SearchLostError: If the search process has ended.
        """
        if self._told is None:
            await self._search.open(self._study_id, protos.to_json(self._spec), self._seed)
            if self._earlier:
                await self._search.tell(self._study_id, self._earlier)
            self._told = set()
        new = [trial for trial in finished if trial.id not in self._told]
        if new:
            forms = [{"trial_id": int(one.id), **trial_form(self._spec, one)} for one in new]
            await self._search.tell(self._study_id, forms)
            self._told.update(trial.id for trial in new)

    async def ask(
        self,
        numbers: Sequence[int],
        finished: Sequence[protos.Message],
        running: Mapping[int, Mapping[str, Any]],
    ) -> list[dict[str, Any]]:
        """Return assignments for trials of these numbers; fewer when the space is exhausted.

        ``running`` has the assignments of the trials that have not ended, by their numbers.

        Raises:
            SearchFailedError: If the search refuses, or its process ends again and again.
        """
        found: list[dict[str, Any]] = []
        for start in range(0, len(numbers), _SLICE):
            asked = numbers[start : start + _SLICE]
            known = dict(running) | dict(zip(numbers, found, strict=False))
            answer = await outlast_losses(partial(self._ask, asked, finished, known))
            found += answer
            if len(answer) < len(asked):
                break
        return found

    async def _ask(
        self,
        numbers: Sequence[int],
        finished: Sequence[protos.Message],
        running: Mapping[int, Mapping[str, Any]],
    ) -> list[dict[str, Any]]:
        pending = [{"trial_id": one, "assignment": values} for one, values in running.items()]
        try:
            await self.tell(finished)
            return await self._search.ask(self._study_id, numbers, pending)
        except SearchLostError:
            self._told = None
            raise

    async def close(self) -> None:
        """Let the process forget the study."""
        if self._told is not None:
            self._told = None
            with contextlib.suppress(SearchFailedError):
                await self._search.close_study(self._study_id)


def trial_form(study_spec: protos.Message, trial: protos.Message) -> dict[str, Any]:
    """Return a finished trial as the search knows it, but for its number."""
    return {
        "assignment": assignment_of(study_spec, trial),
        "objectives": objectives_of(study_spec, trial),
    }


def seed_of(store: Store, collection: str, study_id: str) -> int:
    """Return a study's seed: the one asked for, else one that is drawn now and kept."""
    settings = store.settings(collection, study_id)
    seed = JobSettings.read(settings).local.seed
    if seed is None:
        seed = secrets.randbelow(2**31)
        store.save_settings(collection, study_id, {**settings, "seed": seed})
    return seed


def first_assignment(study_spec: protos.Message, seed: int) -> dict[str, Any]:
    """Return what a new study tries first, by a search in this process."""
    (assignment,) = OpenStudy(protos.to_json(study_spec), seed).ask([1], [])
    return assignment
