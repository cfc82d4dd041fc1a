"""The log lines of jobs: append-only files, one for each job, read back as Cloud Logging entries.

A line is durable once it is written to the file; nothing is kept in memory. Lines of one job have
rising insert ids, so a reader that remembers the last one loses and repeats nothing.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["LogLine", "Logbook"]


@dataclass(frozen=True)
class LogLine:
    """One line: the job's number, the task (``service`` or a replica), time and text.

    Attributes:
        job_id: Number of the custom job.
        insert_id: Position in the job's log, from 0.
        time: Seconds since 1970.
        severity: ``INFO`` for standard output, ``ERROR`` for standard error, as the service does.
        task: ``service``, or a replica such as ``workerpool0-0``.
        text: The line without its line break.
    """

    job_id: str
    insert_id: int
    time: float
    severity: str
    task: str
    text: str


class Logbook:
    """The logs of all jobs under one directory."""

    def __init__(self, directory: Path) -> None:
        """Keep the files in the directory, which is created."""
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._counts: dict[str, int] = {}
        self._waiters: set[asyncio.Event] = set()

    def _path(self, job_id: str) -> Path:
        return self._directory / f"{job_id}.jsonl"

    def append(self, job_id: str, task: str, severity: str, text: str, time: float) -> None:
        """Write one line and wake the readers that wait."""
        count = self._counts.get(job_id)
        if count is None:
            count = self._mend(job_id)
        line = LogLine(job_id, count, time, severity, task, text)
        with self._path(job_id).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(line), ensure_ascii=False) + "\n")
        self._counts[job_id] = count + 1
        for waiter in self._waiters:
            waiter.set()

    def _mend(self, job_id: str) -> int:
        """Cut off a line that a crash left unfinished; answers the number of whole lines."""
        try:
            content = self._path(job_id).read_bytes()
        except FileNotFoundError:
            return 0
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self._path(job_id), whole)
        return content.count(b"\n")

    def close(self, job_id: str) -> None:
        """Forget the position of a job that has ended."""
        self._counts.pop(job_id, None)

    def read(self, job_id: str, first: int = 0) -> Iterator[LogLine]:
        """The job's lines from the given position on; a line cut by a crash is left out."""
        with contextlib.suppress(FileNotFoundError), self._path(job_id).open("rb") as file:
            for number, raw in enumerate(file):
                if number >= first and raw.endswith(b"\n"):
                    yield LogLine(**json.loads(raw))

    def last_lines(self, job_id: str, task: str, count: int) -> list[str]:
        """The last lines of one replica, oldest first."""
        return [line.text for line in self.read(job_id) if line.task == task][-count:]

    async def wait(self, seconds: float) -> None:
        """Return at the next line of any job, or after the given seconds."""
        event = asyncio.Event()
        self._waiters.add(event)
        try:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(event.wait(), seconds)
        finally:
            self._waiters.discard(event)

    def delete(self, job_id: str) -> None:
        """Remove a job's lines."""
        self.close(job_id)
        self._path(job_id).unlink(missing_ok=True)
