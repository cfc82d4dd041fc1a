"""Cloud Logging's ``entries:list`` over the log lines of jobs.

Only the jobs that the query names are read, and only from its lower bound of the time on. A page
token is the place of the last line sent, so lines that arrive in between are neither
lost nor repeated. Source: Cloud Logging API v2, entries.list; public ``ml_job`` filters.
"""

import base64
import binascii
import heapq
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.services.expressions import And, Comparison, Node, Or, parse
from vertex_jobs.emulator.services.filters import parse_time
from vertex_jobs.emulator.services.log_records import EntryWriter, Selection, by_either_name
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.logbook import Logbook, LogLine
from vertex_jobs.emulator.store.resource_store import Store

#: Source: entries.list, pageSize: 50 by default, 1000 at most.
_DEFAULT_PAGE_SIZE = 50
_MAX_PAGE_SIZE = 1000
_JOB_FIELD = "resource.labels.job_id"
_ORDERS = ("", "timestamp", "timestamp asc", "timestamp desc")

#: Entries show microseconds; a line may be that much older than its entry says.
_ROUNDING_SECONDS = 1e-6

Key = tuple[float, str, int]


class LogService:
    """Lists log entries."""

    def __init__(
        self, logbook: Logbook, store: Store, is_strict: Callable[[], bool] = lambda: False
    ) -> None:
        """Read the logbook; the store knows whose jobs they are.

        Unless it ``is_strict`` a query finds the text of a line by either of its names.
        """
        self._is_strict = is_strict
        self._logbook = logbook
        self._store = store
        self._projects = ProjectTable(store.database)

    @property
    def position(self) -> str:
        """The position to send back, to have the next request held until there is a new line."""
        return self._logbook.position

    async def wait(self, request: Mapping[str, Any], position: str, seconds: float) -> None:
        """Return once the query's jobs have a line after the position, or in given seconds."""
        query = parse(str(request.get("filter", "")), bare_text=True)
        await self._logbook.wait(self._job_ids(query, request), position, seconds)

    def list_entries(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return one page of entries, oldest first unless ``orderBy`` is ``timestamp desc``.

        Raises:
            ApiError: If filter, order or page token make no sense.
        """
        if not all(
            str(name).startswith("projects/") for name in request.get("resourceNames") or ()
        ):
            raise ApiError(
                "INVALID_ARGUMENT", "resourceNames: expected projects/PROJECT; others have no jobs."
            )
        query = parse(str(request.get("filter", "")), bare_text=True)
        order = " ".join(str(request.get("orderBy", "")).split())
        if order not in _ORDERS:
            raise ApiError(
                "INVALID_ARGUMENT", f"orderBy {order!r}: expected timestamp asc or desc."
            )
        size = min(int(request.get("pageSize", 0)) or _DEFAULT_PAGE_SIZE, _MAX_PAGE_SIZE)
        descending, after = order.endswith("desc"), _place(str(request.get("pageToken", "") or ""))
        lines = self._lines(self._job_ids(query, request), _since(query), after, descending)
        wanted = query if self._is_strict() else by_either_name(query)
        selection = Selection(wanted, EntryWriter(self._project(request)))
        page = list(itertools.islice(selection.of(lines), size + 1))
        answer: dict[str, Any] = {"entries": [entry for _, entry in page[:size]]}
        if len(page) > size:
            answer["nextPageToken"] = _token(_key(page[size - 1][0]))
        return answer

    def _project(self, request: Mapping[str, Any]) -> str:
        names = request.get("resourceNames") or ["projects/-"]
        return self._projects.id_of(str(names[0]).split("/")[1])

    def _job_ids(self, query: Node | None, request: Mapping[str, Any]) -> list[str]:
        """Return the jobs of the asked projects whose lines the query may want."""
        projects = [str(name).split("/")[1] for name in request.get("resourceNames") or ()]
        numbers = {"", *map(project_number, projects)}  # a job that is gone has no project
        named = _named_jobs(query)
        return [
            job_id
            for job_id in (self._logbook.job_ids() if named is None else sorted(named))
            if not projects or self._store.job_number(job_id) in numbers
        ]

    def _lines(
        self, job_ids: Iterable[str], since: float, after: Key | None, descending: bool
    ) -> Iterator[LogLine]:
        """Yield the lines of all jobs in order, after the last page's place."""
        if descending:
            merged = heapq.merge(
                *(self._logbook.backwards(job_id) for job_id in job_ids), key=_key, reverse=True
            )
            recent = itertools.takewhile(lambda line: line.time >= since, merged)
            if after is None:
                return recent
            return itertools.dropwhile(lambda line: _key(line) >= after, recent)
        if after is None:
            return _merged([self._logbook.since(job_id, since) for job_id in job_ids])
        time, last_job, last_id = after
        lines = _merged(
            [
                # The job of the last line goes on at the next; the others' may share its time.
                self._logbook.read(job_id, last_id + 1)
                if job_id == last_job
                else self._logbook.since(job_id, max(since, time))
                for job_id in job_ids
            ]
        )
        return itertools.dropwhile(lambda line: _key(line) <= after, lines)


def _merged(logs: Sequence[Iterator[LogLine]]) -> Iterator[LogLine]:
    """Return the lines of several logs in one order; those of one log as they are."""
    return logs[0] if len(logs) == 1 else heapq.merge(*logs, key=_key)


def _key(line: LogLine) -> Key:
    return line.time, line.job_id, line.insert_id


def _token(key: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def _place(token: str) -> Key | None:
    if not token:
        return None
    try:
        time, job_id, insert_id = json.loads(base64.urlsafe_b64decode(token))
        return float(time), str(job_id), int(insert_id)
    except (binascii.Error, ValueError, TypeError) as error:
        raise ApiError("INVALID_ARGUMENT", f"The page token {token!r} is not valid.") from error


def _named_jobs(node: Node | None) -> set[str] | None:
    """Return the jobs that the query can be true for; None if it names none."""
    if isinstance(node, Comparison):
        return {node.value} if (node.field, node.operator) == (_JOB_FIELD, "=") else None
    if isinstance(node, And):
        known = [some for part in node.parts if (some := _named_jobs(part)) is not None]
        return set.intersection(*known) if known else None
    if isinstance(node, Or):
        parts = [_named_jobs(part) for part in node.parts]
        if any(part is None for part in parts):
            return None
        return set().union(*(part for part in parts if part is not None))
    return None


def _since(node: Node | None) -> float:
    """Return the earliest time that the query can be true for."""
    if isinstance(node, Comparison):
        if node.field == "timestamp" and node.operator in (">", ">=", "="):
            return parse_time(node.value) / 1e9 - _ROUNDING_SECONDS
        return 0.0
    if isinstance(node, And):
        return max(_since(part) for part in node.parts)
    if isinstance(node, Or):
        return min(_since(part) for part in node.parts)
    return 0.0
