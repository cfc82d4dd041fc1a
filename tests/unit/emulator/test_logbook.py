"""The log files: order, seeking, crashes, waiting."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vertex_jobs.emulator.store.log_index import CHUNK
from vertex_jobs.emulator.store.logbook import Logbook, LogLine


@pytest.fixture
def logbook(tmp_path: Path) -> Iterator[Logbook]:
    with contextlib.closing(Logbook(tmp_path)) as book:
        yield book


def fill(logbook: Logbook, count: int, job: str = "7") -> None:
    for number in range(count):
        logbook.append(job, "workerpool0-0", "INFO", f"line {number}", float(number))


COUNT = 3 * CHUNK + 5


def test_every_line_is_read_back_in_order(logbook: Logbook) -> None:
    fill(logbook, COUNT)
    assert [line.insert_id for line in logbook.read("7")] == list(range(COUNT))


@pytest.mark.parametrize("first", [0, CHUNK - 1, CHUNK, COUNT - 1, COUNT])
def test_reading_starts_anywhere(logbook: Logbook, first: int) -> None:
    fill(logbook, COUNT)
    assert [line.insert_id for line in logbook.read("7", first)] == list(range(first, COUNT))


@pytest.mark.parametrize("time", [0.0, CHUNK - 0.5, float(CHUNK), float(COUNT)])
def test_reading_starts_at_a_time(logbook: Logbook, time: float) -> None:
    fill(logbook, COUNT)
    expected = [number for number in range(COUNT) if number >= time]
    assert [line.insert_id for line in logbook.since("7", time)] == expected


def test_lines_of_one_time_are_all_found(logbook: Logbook) -> None:
    for _ in range(2 * CHUNK):
        logbook.append("7", "service", "INFO", "same", 5.0)
    assert len(list(logbook.since("7", 5.0))) == 2 * CHUNK


def test_backwards(logbook: Logbook) -> None:
    fill(logbook, COUNT)
    assert [line.insert_id for line in logbook.backwards("7")] == list(range(COUNT))[::-1]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(lambda book: book.backwards("7"), id="backwards"),
        pytest.param(lambda book: book.read("7", 2 * CHUNK), id="from a page token"),
        pytest.param(lambda book: book.since("7", 2.0 * CHUNK + 1), id="from a time"),
    ],
)
def test_a_page_does_not_read_the_lines_before_it(
    logbook: Logbook, tmp_path: Path, lines: Callable[[Logbook], Iterator[LogLine]]
) -> None:
    fill(logbook, COUNT)
    with (tmp_path / "7.jsonl").open("r+b") as file:
        file.write(b"no JSON")
    assert next(lines(logbook)).insert_id >= 2 * CHUNK
    with pytest.raises(ValueError, match="Expecting value"):  # who reads them would not miss it
        next(logbook.read("7"))


def test_times_never_fall(logbook: Logbook) -> None:
    for time in (5.0, 3.0):
        logbook.append("7", "service", "INFO", "x", time)
    assert [line.time for line in logbook.read("7")] == [5.0, 5.0]


def test_lines_are_read_backwards(logbook: Logbook) -> None:
    fill(logbook, 5)
    logbook.append("7", "service", "INFO", "the end", 9.0)
    texts = [line.text for line in logbook.backwards("7")]
    assert texts == ["the end", "line 4", "line 3", "line 2", "line 1", "line 0"]


def test_a_line_that_a_crash_cut_is_left_out_and_written_over(tmp_path: Path) -> None:
    with contextlib.closing(Logbook(tmp_path)) as logbook:
        fill(logbook, 2)
    with (tmp_path / "7.jsonl").open("ab") as file:
        file.write(b'{"job_id": "7", "ins')
    with contextlib.closing(Logbook(tmp_path)) as again:
        again.append("7", "service", "INFO", "after", 9.0)
        assert [line.text for line in again.read("7")] == ["line 0", "line 1", "after"]


def test_a_reader_waits_for_its_own_jobs(logbook: Logbook) -> None:
    async def woken_by() -> str:
        position = logbook.position
        waiting = asyncio.create_task(logbook.wait(["7"], position, 60))
        logbook.append("8", "service", "INFO", "another's", 1.0)
        await asyncio.sleep(0)
        assert not waiting.done()
        logbook.append("7", "service", "INFO", "its own", 1.0)
        await waiting
        return [line.text for line in logbook.read("7")][-1]

    assert asyncio.run(woken_by()) == "its own"


@pytest.mark.parametrize("position", ["", "other-0", "nonsense"])
def test_an_unknown_position_is_past(logbook: Logbook, position: str) -> None:
    asyncio.run(logbook.wait(["7"], position, 3600))


def test_more_jobs_than_open_files_write_at_once(logbook: Logbook) -> None:
    jobs = [str(number) for number in range(200)]
    for _ in range(2):
        for job in jobs:
            fill(logbook, 1, job)
    assert {len(list(logbook.read(job))) for job in jobs} == {2}
