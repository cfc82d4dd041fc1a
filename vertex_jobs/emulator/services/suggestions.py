"""Suggestions for Vizier's studies, from the search process that tuning jobs use."""

import asyncio
import secrets
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.search_space import algorithm_name, maximized, search_space
from vertex_jobs.emulator.resources.study import assignment_of, is_finished, objectives_of
from vertex_jobs.emulator.resources.trial_rules import default_values
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.emulator.study_search.early_stopping import check_stopping
from vertex_jobs.emulator.study_search.search_client import SearchClient, SearchFailedError
from vertex_jobs.names import ResourceName

__all__ = ["Suggestions"]


class Suggestions:
    """Asks the search, which is told of finished trials before it answers."""

    def __init__(self, store: Store, search: SearchClient) -> None:
        """Read trials in the store."""
        self._store = store
        self._search = search
        self._told: dict[str, set[str]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def lock(self, study_id: str) -> asyncio.Lock:
        """Held by whoever numbers new trials of the study."""
        return self._locks.setdefault(study_id, asyncio.Lock())

    async def ask(self, study: protos.Message, numbers: list[int]) -> list[dict[str, Any]]:
        """Values for trials of the given numbers; fewer when the space is exhausted.

        Raises:
            ApiError: INTERNAL, if the search fails.
        """
        study_id = ResourceName.parse(study.name).resource_id
        for last in (False, True):
            try:
                return await self._ask(study, study_id, numbers)
            except SearchFailedError as error:
                # The process may have ended since the study was opened; it is told everything anew.
                await self.forget(study_id)
                if last:
                    raise ApiError("INTERNAL", f"The search failed: {error}") from error
        raise AssertionError("unreachable")

    async def _ask(
        self, study: protos.Message, study_id: str, numbers: list[int]
    ) -> list[dict[str, Any]]:
        spec = study.study_spec
        if study_id not in self._told:
            await self._search.open(
                study_id,
                search_space(spec),
                algorithm_name(spec),
                maximized(spec),
                self._seed(study_id),
            )
            self._told[study_id] = set()
        trials, told = self._store.trials(study_id), self._told[study_id]
        finished = [one for one in trials if is_finished(one) and one.id not in told]
        forms = [
            {
                "trial_id": int(one.id),
                "assignment": assignment_of(spec, one),
                "objectives": objectives_of(spec, one),
            }
            for one in finished
        ]
        if forms:
            await self._search.tell(study_id, forms)
            told.update(one.id for one in finished)
        pending = [
            {"trial_id": int(one.id), "assignment": assignment_of(spec, one)}
            for one in trials
            if not is_finished(one)
        ]
        defaults = default_values(spec)
        if trials or not defaults:
            return await self._search.ask(study_id, numbers, pending)
        # The search must know where the study starts before it is asked for the rest.
        number, *others = numbers
        (first,) = await self._search.ask(study_id, [number], [])
        first |= defaults
        start = {"trial_id": number, "assignment": first}
        return [first, *await self._search.ask(study_id, others, [start])]

    async def check_stopping(
        self, study: protos.Message, trial: protos.Message
    ) -> tuple[bool, protos.Message | None]:
        """Whether the study's rule stops a running trial; see `early_stopping`.

        Raises:
            ApiError: INTERNAL, if the search fails.
        """
        trials = self._store.trials(ResourceName.parse(study.name).resource_id)
        try:
            return await check_stopping(self._search, study.study_spec, trial, trials)
        except SearchFailedError as error:
            raise ApiError("INTERNAL", f"The search failed: {error}") from error

    def _seed(self, study_id: str) -> int:
        """The study's seed, drawn once."""
        settings = self._store.settings("studies", study_id)
        if settings.get("seed") is None:
            settings["seed"] = secrets.randbelow(2**31)
            self._store.save_settings("studies", study_id, settings)
        return int(settings["seed"])

    async def forget(self, study_id: str) -> None:
        """Close a study that is gone, or whose finished trials have changed."""
        if self._told.pop(study_id, None) is not None:
            await self._search.close_study(study_id)
