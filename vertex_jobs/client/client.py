"""The client of one endpoint: submit jobs, find them again, list them.

For the endpoints module, which wraps it in ``local()`` and ``vertex()``. It talks the Vertex AI API
and knows nothing else about who answers.
"""

import logging
import secrets
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.client.connection import Connection
from vertex_jobs.client.handle import JobHandle
from vertex_jobs.client.jobs import Jobs, Resource
from vertex_jobs.client.journal import Entry, Journal
from vertex_jobs.client.logs import LogReader
from vertex_jobs.client.lookup import Lookup
from vertex_jobs.client.once import check_open_entries, first_of_content
from vertex_jobs.client.submission import Submitter, settle
from vertex_jobs.client.timing import Timing, persist
from vertex_jobs.client.tracking import Tracker
from vertex_jobs.client.uploads import upload
from vertex_jobs.errors import EndpointError
from vertex_jobs.names import CONTENT_LABEL, location_of

if TYPE_CHECKING:
    from vertex_jobs.packaging import Package
    from vertex_jobs.requests import Place, Request
    from vertex_jobs.spec import JobSpec

__all__ = ["Client"]

#: Of a single question; a person waits for the answer.
_PATIENCE_SECONDS = 20.0

_LOG = logging.getLogger(__name__)


def _new_nonce() -> str:
    """64 random bits: a label value, and a component of the output directory."""
    return secrets.token_hex(8)


class Client:
    """Jobs at one endpoint."""

    def __init__(
        self,
        connection: Connection,
        *,
        timing: Timing | None = None,
        nonce: Callable[[], str] = _new_nonce,
    ) -> None:
        """Prepare; nothing is contacted before the first call.

        Args:
            connection: Where the jobs are.
            timing: Clock and sleep; the system's unless given.
            nonce: Makes the value of each submission's label.
        """
        self.connection = connection
        self._timing = timing or Timing()
        self._nonce = nonce
        self._jobs = Jobs(connection)
        self._log_reader = LogReader(connection, self._timing)
        self._lookup = Lookup(self._jobs, self._timing)
        self._journal = Journal(connection.state_directory / "submissions")
        self._submitter = Submitter(
            self._jobs, self._journal, connection.api_endpoint, self._timing
        )

    def submit(
        self,
        job: "JobSpec",
        *,
        place: "Place | None" = None,
        headers: Mapping[str, str] | None = None,
        once: bool = False,
    ) -> JobHandle:
        """Package, upload and create the job; returns when it exists.

        Args:
            job: What to run.
            place: Where to, if the job has a staging bucket of its own; else the connection's.
            headers: Sent with this create, over those of the connection.
            once: Return the job of the same content that is under way or has succeeded, if there
                is one, instead of making another.

        Raises:
            PackagingError: If the script cannot be packaged; nothing was sent.
            EndpointError: If the endpoint refused; there is no job.
            SubmissionUnknownError: If it is not known whether there is a job.
        """
        # Here because the reading verbs do without: they start faster.
        from vertex_jobs import packaging, requests

        place = place or self.connection.place
        package, request = _prepare(job, place)

        def put() -> None:
            if package is not None:
                with tempfile.TemporaryDirectory(prefix="vertex-jobs-") as directory:
                    files = packaging.write(package, Path(directory))
                    for file, uri in zip(files, requests.package_uris(place, package), strict=True):
                        upload(self.connection, file, uri)

        def create() -> Resource:
            sent = {**self.connection.headers, **(headers or {})}
            return self._submitter.submit(request, self._nonce(), upload=put, headers=sent)

        return self._handle(self._create_once(request, create) if once else create())

    def same_content(self, job: "JobSpec", *, place: "Place") -> JobHandle | None:
        """The first job of the same content that is under way or has succeeded; None without one.

        Raises:
            EndpointError: If the endpoint cannot be asked.
            SubmissionUnknownError: If there may be one that cannot be found now.
        """
        _, request = _prepare(job, place)
        found = self._first_of_content(request)
        return None if found is None else self._handle(found)

    def job(self, text: str) -> JobHandle:
        """The job with that id, full resource name or display name; see `Lookup.find`."""
        return self._handle(self._lookup.find(text))

    def jobs(self, filter_text: str = "") -> list[JobHandle]:
        """Jobs of every kind, newest first; see `Lookup.list`. Settles the journal first."""
        self.settle()
        return [self._handle(resource) for resource in self._lookup.list(filter_text)]

    def settle(self) -> list[Entry]:
        """Find out what became of earlier submissions that got no answer.

        Returns:
            The entries that were open, with the state they have now.

        Raises:
            EndpointError: If the endpoint cannot be asked.
        """
        endpoint, now = self.connection.api_endpoint, self._timing.now()
        return persist(
            lambda: settle(self._journal, self._jobs, endpoint, now),
            patience_seconds=_PATIENCE_SECONDS,
            timing=self._timing,
        )

    def open_locations(self) -> set[str]:
        """Where the submissions went whose outcome is not known, whichever endpoint that is."""
        parents = (entry.parent for entry in self._journal.entries() if entry.is_open)
        return {location_of(parent) for parent in parents}

    def close(self) -> None:
        """Close the connections; jobs go on, and results stay valid."""
        self._jobs.close()
        self._log_reader.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _create_once(self, request: "Request", create: Callable[[], Resource]) -> Resource:
        """The first job of that content; made here only if there is none yet."""
        content = request.body["labels"][CONTENT_LABEL]
        with self._journal.exclusive(content):
            existing = self._first_of_content(request)
            if existing is not None:
                return existing
            made = create()
        try:
            first = first_of_content(self._jobs, self._timing, request, content) or made
            if first["name"] != made["name"]:
                # Another machine made the same job at the same time, and was first.
                self._jobs.cancel(str(made["name"]))
        except EndpointError as error:
            _LOG.warning("whether another machine made the same job cannot be seen: %s", error)
            return made
        return first

    def _first_of_content(self, request: "Request") -> Resource | None:
        content = request.body["labels"][CONTENT_LABEL]
        check_open_entries(self.settle(), content)
        return first_of_content(self._jobs, self._timing, request, content)

    def _handle(self, resource: Resource) -> JobHandle:
        return JobHandle(Tracker(resource, self._jobs, self._log_reader, self._timing))


def _prepare(job: "JobSpec", place: "Place") -> "tuple[Package | None, Request]":
    """The package, None for a container job, which brings its program in its image; the request."""
    from vertex_jobs import packaging, requests

    package = None if job.script_path is None else packaging.describe(job)
    return package, requests.build(job, package, place)
