"""A job's log lines from Cloud Logging, read once or followed.

For handles and the verb ``logs``. Lines come from ``entries:list`` of the Cloud Logging API v2, in
the order of their times.

Source: entries.list page of the Cloud Logging API.
"""

import heapq
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.client.api_connection import Connection
from vertex_jobs.client.api_errors import translated
from vertex_jobs.client.log_following import Rounds, follow
from vertex_jobs.client.log_lines import ALL_LINES, LogEntry, LogSource, log_filter
from vertex_jobs.client.timing import Timing
from vertex_jobs.headers import POSITION_HEADER, WAIT_HEADER

_PAGE_SIZE = 1000
_TIMEOUT_SECONDS = 60.0
#: How long a page may fail: a laptop's nap, several minutes' worth of reads used up by others.
_PATIENCE_SECONDS = 300.0
#: For the last lines of a failed job, whose failure is the news.
_SHORT_PATIENCE_SECONDS = 20.0
#: A filter may be 20,000 characters long; one job id takes about 60 of them.
_IDS_PER_FILTER = 200


@dataclass(frozen=True)
class LogReader:
    """Reads the log of one endpoint, over its connection's logging endpoint."""

    connection: Connection
    timing: Timing = field(default_factory=Timing)
    _sessions: list[Any] = field(default_factory=list, repr=False, compare=False)

    def read(
        self, job_ids: Sequence[str], source: LogSource = ALL_LINES, since: str = ""
    ) -> Iterator[LogEntry]:
        """Yield every line there is now, oldest first, page by page as they come.

        Jobs go by their numeric ids; ``since`` is the earliest time, RFC 3339 text, empty for all.

        Raises:
            EndpointError: If the log cannot be read.
        """
        parts = [
            self.pages(log_filter(job_ids[start : start + _IDS_PER_FILTER], source, since), "")[1]
            for start in range(0, len(job_ids), _IDS_PER_FILTER)
        ]
        return parts[0] if len(parts) == 1 else heapq.merge(*parts, key=lambda line: line.moment)

    def tail(self, job_ids: Sequence[str], source: LogSource, count: int) -> list[LogEntry]:
        """Return the last lines, oldest first.

        Raises:
            EndpointError: If the log cannot be read.
        """
        newest = log_filter(job_ids[-_IDS_PER_FILTER:], source)
        size = min(count, _PAGE_SIZE)
        body = {"filter": newest, "orderBy": "timestamp desc", "pageSize": size}
        answer, _ = self._ask(body, patience_seconds=_SHORT_PATIENCE_SECONDS)
        lines = list(itertools.islice(self._rest(body, answer), count))
        return lines[::-1]

    def follow(
        self, rounds: Callable[[Callable[[], bool]], Rounds], source: LogSource = ALL_LINES
    ) -> Iterator[LogEntry]:
        """Yield every line once, until the jobs have ended and no more come; see `log_following`.

        ``rounds`` makes the rounds, given whether reads wait for new lines, so that nothing else
        needs to.
        """
        held = HeldReads(self, source)

        def holds() -> bool:
            return held.works

        return follow(held.read, rounds(holds), self.timing, holds)

    def close(self) -> None:
        """Close the connection if one was opened."""
        while self._sessions:
            self._sessions.pop().close()

    def pages(self, filter_text: str, seen: str) -> tuple[str, Iterator[LogEntry]]:
        """Return the endpoint's position, empty without one, and the lines, oldest first.

        Given the position of an earlier answer, this one is held until there is a new line.
        """
        body = {"filter": filter_text, "orderBy": "timestamp asc", "pageSize": _PAGE_SIZE}
        answer, position = self._ask(body, seen)
        return position, self._ahead(body, answer)

    def _ahead(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[LogEntry]:
        """Yield the lines of a page and of those after it, each asked for while one is read."""
        while True:
            asked = self._asked_for({**body, "pageToken": answer.get("nextPageToken")})
            yield from map(LogEntry.from_json, answer.get("entries", ()))
            if asked is None:  # a page may be empty and still not be the last
                return
            answer = asked.result()

    def _asked_for(self, body: dict[str, Any]) -> "Future[dict[str, Any]] | None":
        """Ask for a page in a thread that does not outlive the program; None without a token."""
        if not body["pageToken"]:
            return None
        future: Future[dict[str, Any]] = Future()

        def ask() -> None:
            try:
                future.set_result(self._ask(body)[0])
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=ask, daemon=True).start()
        return future

    def _rest(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[LogEntry]:
        while True:
            yield from map(LogEntry.from_json, answer.get("entries", ()))
            if not answer.get("nextPageToken"):
                return
            body["pageToken"] = answer["nextPageToken"]
            answer, _ = self._ask(body)

    def _ask(
        self, body: dict[str, Any], seen: str = "", patience_seconds: float = _PATIENCE_SECONDS
    ) -> tuple[dict[str, Any], str]:
        """Return one page and the endpoint's position; a page that fails is asked for again alone.

        The rate of reads is limited per project, so a long log is bound to meet the limit between
        two pages, and must not begin again for it.
        """
        return self.timing.ask(lambda: self._ask_once(body, seen), seconds=patience_seconds)

    def _ask_once(self, body: dict[str, Any], seen: str) -> tuple[dict[str, Any], str]:
        from google.api_core import exceptions

        untyped: Any = exceptions
        project = self.connection.place.project
        url = f"{self.connection.logging_endpoint.rstrip('/')}/v2/entries:list"
        request = {"resourceNames": [f"projects/{project}"], **body}
        with translated(url):
            response = self._session().post(
                url,
                json=request,
                headers={WAIT_HEADER: seen} if seen else None,
                timeout=_TIMEOUT_SECONDS,
            )
            if response.status_code >= 400:
                raise untyped.from_http_response(response)
            answer: dict[str, Any] = response.json()
        return answer, str(response.headers.get(POSITION_HEADER, ""))

    def _session(self) -> Any:
        from google.auth.transport import requests

        if not self._sessions:
            untyped: Any = requests
            self._sessions.append(untyped.AuthorizedSession(self.connection.credentials))
        return self._sessions[0]


class HeldReads:
    """Reads for following: at an endpoint that can, each waits until there is a new line.

    ``works`` is true once the endpoint was seen to hold its answers.
    """

    def __init__(self, reader: LogReader, source: LogSource) -> None:
        self._reader = reader
        self._source = source
        self._ids: Sequence[str] = ()
        self._position = ""
        self.works = False

    def read(self, job_ids: Sequence[str], since: str, wait: bool) -> Iterator[LogEntry]:
        """Yield the lines since a time, oldest first; ``wait`` holds the read for a new one."""
        if len(job_ids) > _IDS_PER_FILTER:
            self.works = False
            return self._reader.read(job_ids, self._source, since)
        # What these jobs wrote since the position is new; other jobs' earlier lines are as well.
        seen = self._position if wait and job_ids == self._ids else ""
        text = log_filter(job_ids, self._source, since)
        position, entries = self._reader.pages(text, seen)
        self.works = bool(position)
        if wait:
            self._ids, self._position = job_ids, position
        return entries
