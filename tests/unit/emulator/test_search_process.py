"""The search process: one study's faults are its own, and its end is nobody's."""

import asyncio
import os
import signal
from typing import Any

import pytest

from vertex_jobs.emulator.study_search.search_client import SearchClient, SearchFailedError
from vertex_jobs.emulator.study_search.search_process import Studies


def study_spec(**parameter: Any) -> dict[str, Any]:
    return {"metrics": [{"metricId": "y"}], "parameters": [{"parameterId": "x", **parameter}]}


SPEC = study_spec(doubleValueSpec={"minValue": 0, "maxValue": 1})
TWICE = study_spec(categoricalValueSpec={"values": ["a", "a"]})


def opening(study: str, study_spec: dict[str, Any]) -> dict[str, Any]:
    return {"open": study, "study_spec": study_spec, "seed": 0}


def question(study: str) -> dict[str, Any]:
    return {"ask": study, "trial_ids": [1], "pending": []}


def test_a_study_that_cannot_be_opened_says_so_when_it_asks() -> None:
    studies = Studies()
    studies.take(opening("good", SPEC))
    studies.take(opening("bad", TWICE))
    studies.take({"tell": "bad", "trials": []})
    with pytest.raises(ValueError, match="must be distinct"):
        studies.ask(question("bad"))
    assert len(studies.ask(question("good"))["assignments"]) == 1


def test_a_study_that_is_opened_again_is_forgiven() -> None:
    studies = Studies()
    studies.take({"tell": "one", "trials": []})
    with pytest.raises(ValueError, match="study one is not open"):
        studies.ask(question("one"))
    studies.take(opening("one", SPEC))
    assert len(studies.ask(question("one"))["assignments"]) == 1


def test_a_killed_process_is_replaced_for_whoever_opens_again() -> None:
    async def lose_it() -> tuple[int, int]:
        client = SearchClient()
        await client.open("one", SPEC, 0)
        before = await client.ask("one", [1], [])
        assert client._process is not None
        os.kill(client._process.pid, signal.SIGKILL)
        for _ in range(2):  # it has ended; then its successor does not know the study
            with pytest.raises(SearchFailedError, match=r"has ended|is not open"):
                await client.ask("one", [2], [])
        await client.open("one", SPEC, 0)
        after = await client.ask("one", [2], [])
        await client.close()
        return len(before), len(after)

    assert asyncio.run(asyncio.wait_for(lose_it(), 60)) == (1, 1)
