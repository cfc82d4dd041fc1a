"""The search process: one study's faults are its own, and its end is nobody's."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
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


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], SearchClient]:
    """Makes a client whose process answers every question with those bytes, and stays."""

    def make(answer: bytes) -> SearchClient:
        start = asyncio.create_subprocess_exec
        program = f"import os, sys; sys.stdin.readline(); os.write(1, {answer!r}); sys.stdin.read()"

        async def impostor(*command: str, **options: Any) -> asyncio.subprocess.Process:
            return await start(sys.executable, "-c", program, **options)

        monkeypatch.setattr(asyncio, "create_subprocess_exec", impostor)
        return SearchClient()

    return make


@pytest.mark.parametrize(
    "answer",
    [b"\xff\xff\xff\xff", b"\0\0\0\2{]", b"\0\0\0\2{}", b"\0\0\0\4null", b"x" * 1000],
)
def test_an_answer_that_cannot_be_read_fails_the_question_and_ends_the_process(
    answering: Callable[[bytes], SearchClient], answer: bytes
) -> None:
    async def ask() -> int | None:
        client = answering(answer)
        with pytest.raises(SearchFailedError, match="cannot be read"):
            await client.ask("one", [1], [])
        assert client._process is not None
        return client._process.returncode

    assert asyncio.run(asyncio.wait_for(ask(), 30)) == -signal.SIGKILL


def test_an_answer_of_many_megabytes_is_read() -> None:
    spec = study_spec(categoricalValueSpec={"values": ["a" * (1 << 20), "b" * (1 << 20)]})
    spec["algorithm"] = "RANDOM_SEARCH"

    async def ask() -> int:
        client = SearchClient()
        await client.open("one", spec, 0)
        found = await client.ask("one", list(range(1, 41)), [])
        await client.close()
        return len(found)

    assert asyncio.run(asyncio.wait_for(ask(), 60)) == 40


def test_a_process_that_is_busy_or_deaf_does_not_hold_the_servers_end() -> None:
    async def close_it() -> str:
        client = SearchClient()
        await client.open("one", SPEC, 0)
        asking = asyncio.ensure_future(client.ask("one", [1], []))
        await asyncio.sleep(0)
        while client._process is None:
            await asyncio.sleep(0.01)
        os.kill(client._process.pid, signal.SIGSTOP)
        await client.close()
        with pytest.raises(SearchFailedError) as ended:
            await asking
        return str(ended.value)

    assert asyncio.run(asyncio.wait_for(close_it(), 30)) == "the search process has ended"


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
