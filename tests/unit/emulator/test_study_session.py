"""One study in the search process: what it is told, and what happens when the process is lost."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.study_search.search_client import (
    ATTEMPTS,
    SearchFailedError,
    SearchLostError,
)
from vertex_jobs.emulator.study_search.session import StudySession


class Search:
    """A search client whose process is lost as often as it is told to, and knows 120 points."""

    def __init__(self, losses: int = 0, refusal: Exception | None = None) -> None:
        self.losses, self.refusal = losses, refusal
        self.opened: list[str] = []
        self.asked: list[tuple[int, int]] = []

    async def open(self, study: str, spec: Mapping[str, Any], seed: int) -> None:
        self.opened.append(study)

    async def ask(
        self, study: str, numbers: Sequence[int], pending: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        self.asked.append((len(numbers), len(pending)))
        if self.losses:
            self.losses -= 1
            raise SearchLostError("the search process has ended")
        if self.refusal:
            raise self.refusal
        return [{"x": number} for number in numbers if number <= 120]


def ask(search: Search, count: int) -> list[dict[str, Any]]:
    session = StudySession(search, "one", protos.StudySpec(), 0)  # type: ignore[arg-type]
    return asyncio.run(session.ask(range(1, count + 1), [], {1000: {"x": 0}}))


def test_many_suggestions_are_asked_for_in_slices_that_know_of_those_before() -> None:
    search = Search()
    assert [one["x"] for one in ask(search, 110)] == list(range(1, 111))
    assert search.asked == [(50, 1), (50, 51), (10, 101)]


def test_a_space_that_is_exhausted_is_asked_no_further() -> None:
    search = Search()
    assert (len(ask(search, 500)), len(search.asked)) == (120, 3)


def test_a_process_that_is_lost_is_told_of_the_study_again() -> None:
    search = Search(losses=ATTEMPTS - 1)
    assert (len(ask(search, 1)), len(search.opened)) == (1, ATTEMPTS)


def test_a_question_that_no_process_survives_is_given_up() -> None:
    with pytest.raises(SearchFailedError, match="has ended"):
        ask(Search(losses=ATTEMPTS), 1)


def test_a_refusal_is_not_asked_for_again() -> None:
    search = Search(refusal=SearchFailedError("no"))
    with pytest.raises(SearchFailedError, match="no"):
        ask(search, 1)
    assert len(search.asked) == 1
