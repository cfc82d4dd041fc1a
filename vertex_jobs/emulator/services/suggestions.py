"""Suggestions for Vizier's studies, from the search process that tuning jobs use."""

import asyncio
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.study_rules import assignment_of, is_finished
from vertex_jobs.emulator.resources.trial_rules import default_values
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.emulator.study_search.early_stopping import check_stopping
from vertex_jobs.emulator.study_search.search_client import SearchClient, SearchFailedError
from vertex_jobs.emulator.study_search.session import StudySession, seed_of
from vertex_jobs.names import ResourceName


class Suggestions:
    """Asks the search, which is told of finished trials before it answers."""

    def __init__(self, store: Store, search: SearchClient) -> None:
        self._store = store
        self._search = search
        self._sessions: dict[str, StudySession] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def lock(self, study_id: str) -> asyncio.Lock:
        """Return the lock that is held while new trials of the study are numbered."""
        return self._locks.setdefault(study_id, asyncio.Lock())

    async def ask(self, study: protos.Message, numbers: list[int]) -> list[dict[str, Any]]:
        """Return values for trials of the given numbers; fewer when the space is exhausted.

        Raises:
            ApiError: INTERNAL, if the search fails.
        """
        study_id, spec = ResourceName.parse(study.name).resource_id, study.study_spec
        session = self._session(study_id, spec)
        trials, defaults = self._store.trials(study_id), default_values(spec)
        finished = [one for one in trials if is_finished(one)]
        running = {int(one.id): assignment_of(spec, one) for one in trials if not is_finished(one)}
        try:
            if trials or not defaults:
                return await session.ask(numbers, finished, running)
            # The search must know where the study starts before it is asked for the rest.
            number, *others = numbers
            (first,) = await session.ask([number], [], {})
            first |= defaults
            return [first, *await session.ask(others, [], {number: first})]
        except SearchFailedError as error:
            raise ApiError("INTERNAL", f"The search failed: {error}") from error

    def _session(self, study_id: str, study_spec: protos.Message) -> StudySession:
        session = self._sessions.get(study_id)
        if session is None:
            seed = seed_of(self._store, "studies", study_id)
            session = StudySession(self._search, study_id, study_spec, seed)
            self._sessions[study_id] = session
        return session

    async def check_stopping(
        self, study: protos.Message, trial: protos.Message
    ) -> tuple[bool, protos.Message | None]:
        """Return whether the study's rule stops a running trial; see `early_stopping`.

        Raises:
            ApiError: INTERNAL, if the search fails.
        """
        trials = self._store.trials(ResourceName.parse(study.name).resource_id)
        try:
            return await check_stopping(self._search, study.study_spec, trial, trials)
        except SearchFailedError as error:
            raise ApiError("INTERNAL", f"The search failed: {error}") from error

    async def forget(self, study_id: str) -> None:
        """Close a study that is gone, or whose finished trials have changed."""
        session = self._sessions.pop(study_id, None)
        if session is not None:
            await session.close()
