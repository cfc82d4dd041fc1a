"""The log lines of jobs: append-only files, one for each job, read back as Cloud Logging entries.

A line is durable once it is written to the file; in memory are only indexes. Within one job, times
never fall and insert ids count up, so a reader that remembers the last line loses and repeats
nothing. Used from one thread, the server's event loop.
"""

import asyncio
import collections
import json
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from vertex_jobs.emulator.store.log_index import CHUNK, LogIndex

#: Indexes kept in memory; one of a million lines takes about a quarter of a megabyte.
_MOST_INDEXES = 512
#: Files kept open; more jobs than this rarely write at once.
_MOST_FILES = 64
#: Task of the lines that the service itself writes.
SERVICE_TASK = "service"


class LogLine(NamedTuple):
    """One line of a job's log.

    Attributes:
        job_id: Number of the job; of the tuning job, if a trial wrote it.
        insert_id: Position in the job's log, from 0.
        time: Seconds since 1970.
        severity: ``INFO`` for standard output, ``ERROR`` for standard error, as the service does.
        task: ``SERVICE_TASK``, or a replica such as ``workerpool0-0``.
        text: The line without its line break.
        trial: Id of the trial that wrote it; empty for all other jobs.
    """

    job_id: str
    insert_id: int
    time: float
    severity: str
    task: str
    text: str
    trial: str = ""


class Logbook:
    """The logs of all jobs under one directory."""

    def __init__(self, directory: Path) -> None:
        """Keep the files in the directory, which is created."""
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._indexes: collections.OrderedDict[str, LogIndex] = collections.OrderedDict()
        self._files: collections.OrderedDict[str, BinaryIO] = collections.OrderedDict()
        self._waiters: set[asyncio.Event] = set()
        self._epoch = secrets.token_hex(4)
        self._appended = 0
        self._last_append: dict[str, int] = {}

    def _path(self, job_id: str) -> Path:
        return self._directory / f"{job_id}.jsonl"

    def _index(self, job_id: str) -> LogIndex:
        index = self._indexes.get(job_id)
        if index is None:
            index = self._indexes[job_id] = LogIndex.build(self._path(job_id))
            if len(self._indexes) > _MOST_INDEXES:
                self._indexes.popitem(last=False)
        self._indexes.move_to_end(job_id)
        return index

    def _file(self, job_id: str) -> BinaryIO:
        """Return the unbuffered file to append to: what is written outlives this process."""
        file = self._files.get(job_id)
        if file is None:
            file = self._files[job_id] = self._path(job_id).open("ab", buffering=0)
            if len(self._files) > _MOST_FILES:
                self._files.popitem(last=False)[1].close()
        self._files.move_to_end(job_id)
        return file

    def append(
        self, job_id: str, task: str, severity: str, text: str, time: float, trial: str = ""
    ) -> None:
        """Write one line and wake the readers that wait."""
        index = self._index(job_id)
        # Replicas' lines reach us a moment after the service's own; the order is that of arrival.
        time = max(time, index.last_time)
        line = LogLine(job_id, index.count, time, severity, task, text, trial)
        raw = json.dumps(line._asdict(), ensure_ascii=False).encode() + b"\n"
        self._file(job_id).write(raw)
        index.add(raw, time)
        self._appended += 1
        self._last_append[job_id] = self._appended
        for waiter in self._waiters:
            waiter.set()

    def close(self) -> None:
        """Close the files; what was appended stays."""
        while self._files:
            self._files.popitem()[1].close()

    def release(self, job_id: str) -> None:
        """Close the file of a job that has ended; its index stays for who reads it now."""
        if job_id in self._files:
            self._files.pop(job_id).close()

    def job_ids(self) -> list[str]:
        """Return every job that has lines."""
        return sorted(path.stem for path in self._directory.glob("*.jsonl"))

    def read(self, job_id: str, first: int = 0) -> Iterator[LogLine]:
        """Yield the job's lines from the given position on, oldest first."""
        for chunk in range(first // CHUNK, len(self._index(job_id).offsets)):
            yield from (line for line in self._chunk(job_id, chunk) if line.insert_id >= first)

    def since(self, job_id: str, time: float) -> Iterator[LogLine]:
        """Yield the job's lines of that time or later, oldest first."""
        index = self._index(job_id)
        if index.last_time < time:
            return
        for chunk in range(index.chunk_at(time), len(index.offsets)):
            yield from (line for line in self._chunk(job_id, chunk) if line.time >= time)

    def backwards(self, job_id: str) -> Iterator[LogLine]:
        """Yield the job's lines, newest first."""
        for chunk in reversed(range(len(self._index(job_id).offsets))):
            yield from reversed(self._chunk(job_id, chunk))

    def _chunk(self, job_id: str, chunk: int) -> list[LogLine]:
        start, end = self._index(job_id).span(chunk)
        try:
            with self._path(job_id).open("rb") as file:
                file.seek(start)
                raw = file.read(end - start)
        except FileNotFoundError:  # deleted while it was read
            return []
        # Decoded as one array: as fast for a chunk as for three lines, one by one.
        forms = json.loads(b"[%s]" % b",".join(raw.splitlines()))
        return [LogLine(**form) for form in forms]

    @property
    def position(self) -> str:
        """The position behind all lines so far, in this run of the server."""
        return f"{self._epoch}-{self._appended}"

    async def wait(self, job_ids: Iterable[str], position: str, seconds: float) -> None:
        """Return once one of the jobs has a line later than the position, or in given seconds.

        A position of another run of the server is past: the wait is over at once.
        """
        wanted = set(job_ids)
        epoch, _, number = position.partition("-")
        if epoch != self._epoch or not number.isdigit():
            return
        event = asyncio.Event()
        self._waiters.add(event)
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            while all(self._last_append.get(job_id, 0) <= int(number) for job_id in wanted):
                event.clear()
                left = deadline - asyncio.get_running_loop().time()
                await asyncio.wait_for(event.wait(), max(left, 0.0))
        except asyncio.TimeoutError:
            pass
        finally:
            self._waiters.discard(event)
