"""A job's log lines from Cloud Logging, read once or followed.

For handles and the verb ``logs``. Lines come from ``entries:list`` of the Cloud Logging API v2, in
the order of their times.

Source: entries.list page of the Cloud Logging API.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.client.connection import Connection
from vertex_jobs.client.failures import translated
from vertex_jobs.client.log_entries import LogEntry, log_filter
from vertex_jobs.client.tailing import Rounds, follow
from vertex_jobs.client.timing import Timing

__all__ = ["LogReader"]

_PAGE_SIZE = 1000
_TIMEOUT_SECONDS = 60.0
#: A filter may be 20,000 characters long; one job id takes about 60 of them.
_IDS_PER_FILTER = 200


@dataclass(frozen=True)
class LogReader:
    """Reads the log of one endpoint.

    Attributes:
        connection: Whose logging endpoint and credentials are used.
        timing: Clock and sleep of following.
    """

    connection: Connection
    timing: Timing = field(default_factory=Timing)
    _sessions: list[Any] = field(default_factory=list, repr=False, compare=False)

    def read(self, job_ids: Sequence[str], replica: str = "", since: str = "") -> list[LogEntry]:
        """Every line there is now, oldest first.

        Args:
            job_ids: Numeric ids of custom jobs.
            replica: Only this replica's lines; empty for all.
            since: Earliest time, RFC 3339 text; empty for all.

        Raises:
            EndpointError: If the log cannot be read.
        """
        entries: list[LogEntry] = []
        for start in range(0, len(job_ids), _IDS_PER_FILTER):
            some = job_ids[start : start + _IDS_PER_FILTER]
            entries += self._pages(log_filter(some, replica, since))
        if len(job_ids) > _IDS_PER_FILTER:
            entries.sort(key=lambda entry: entry.moment)
        return entries

    def tail(self, job_ids: Sequence[str], replica: str, count: int) -> list[LogEntry]:
        """The last lines, oldest first.

        Raises:
            EndpointError: If the log cannot be read.
        """
        newest = log_filter(job_ids[-_IDS_PER_FILTER:], replica)
        answer = self._ask({"filter": newest, "orderBy": "timestamp desc", "pageSize": count})
        return [LogEntry.from_json(entry) for entry in reversed(answer.get("entries", ()))]

    def follow(self, rounds: Rounds, replica: str = "") -> Iterator[LogEntry]:
        """Every line once, until the jobs have ended and nothing more comes; see `tailing`."""
        return follow(lambda ids, since: self.read(ids, replica, since), rounds, self.timing)

    def close(self) -> None:
        """Close the connection if one was opened."""
        while self._sessions:
            self._sessions.pop().close()

    def _pages(self, filter_text: str) -> Iterator[LogEntry]:
        body = {"filter": filter_text, "orderBy": "timestamp asc", "pageSize": _PAGE_SIZE}
        while True:
            answer = self._ask(body)
            yield from map(LogEntry.from_json, answer.get("entries", ()))
            # A page may be empty and still not be the last.
            if not answer.get("nextPageToken"):
                return
            body["pageToken"] = answer["nextPageToken"]

    def _ask(self, body: dict[str, Any]) -> dict[str, Any]:
        from google.api_core import exceptions

        untyped: Any = exceptions
        project = self.connection.place.project
        url = f"{self.connection.logging_endpoint.rstrip('/')}/v2/entries:list"
        request = {"resourceNames": [f"projects/{project}"], **body}
        with translated(url):
            response = self._session().post(url, json=request, timeout=_TIMEOUT_SECONDS)
            if response.status_code >= 400:
                raise untyped.from_http_response(response)
            answer: dict[str, Any] = response.json()
        return answer

    def _session(self) -> Any:
        from google.auth.transport import requests

        if not self._sessions:
            untyped: Any = requests
            self._sessions.append(untyped.AuthorizedSession(self.connection.credentials))
        return self._sessions[0]
