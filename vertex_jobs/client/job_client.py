"""The client of one endpoint: submit jobs, find them again, list them; and jobs awaited together.

For the endpoints module, which wraps it in ``local()`` and ``vertex()``. It talks the Vertex AI API
and knows nothing else about who answers.
"""

import concurrent.futures
import itertools
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.client.api_connection import Connection
from vertex_jobs.client.curve_reading import CurveReader
from vertex_jobs.client.handle import JobHandle
from vertex_jobs.client.job_calls import Jobs, Resource
from vertex_jobs.client.journal import Entry, Journal
from vertex_jobs.client.log_reading import LogReader
from vertex_jobs.client.lookup import Lookup, OnSeveral, newest_first
from vertex_jobs.client.once import Once
from vertex_jobs.client.package_upload import upload
from vertex_jobs.client.settling import settle
from vertex_jobs.client.submission import OnShort, Submitter, Succession
from vertex_jobs.client.timing import Deadline, Timing

if TYPE_CHECKING:
    from vertex_jobs.packaging import Package
    from vertex_jobs.requests import Place, Request
    from vertex_jobs.spec import JobSpec


def _new_nonce() -> str:
    """Return 64 random bits: a label value, and a component of the output directory."""
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

        ``nonce`` makes the value of each submission's label.
        """
        self.connection = connection
        self._timing = timing or Timing()
        self._nonce = nonce
        self._jobs = Jobs(connection)
        self._log_reader = LogReader(connection, self._timing)
        self._curve_reader = CurveReader(connection)
        self._lookup = Lookup(self._jobs, self._timing)
        self._journal = Journal(connection.state_directory)
        self._submitter = Submitter(self._jobs, self._journal, self._timing)

    def submit(
        self,
        job: "JobSpec",
        *,
        place: "Place | None" = None,
        headers: Mapping[str, str] | None = None,
        once: bool = False,
        on_short: OnShort | None = None,
    ) -> JobHandle:
        """Package, upload and create the job, and return when it exists.

        Where its place is short of machines or quota, the next of its fallbacks is tried; if that
        shows only later, the handle goes on when it is asked about the job.

        Args:
            job: What to run.
            place: Where to, if the job has a staging bucket of its own; else the connection's.
            headers: Sent with each create, over those of the connection.
            once: Return the job of the same content that is under way or has succeeded, if there
                is one, instead of making another.
            on_short: Told of each place that is short.

        Raises:
            PackagingError: If the script cannot be packaged; nothing was sent.
            EndpointError: If the endpoint refused; there is no job.
            SubmissionUnknownError: If it is not known whether there is a job.
        """
        place = place or self.connection.place
        package, requests = _prepare(job, place)
        entry: Entry | None
        with self._journal.exclusive(request.content for request in requests):
            same = Once(self._submitter, requests)
            existing = same.existing(on_short) if once else None
            if existing is not None:
                return self._handle(existing, self._journal.of_job(existing["name"]), on_short)
            entry = self._submitter.begin(
                requests,
                self._nonce,
                upload=lambda: self._upload(package, place),
                headers={**self.connection.headers, **(headers or {})},
            )
            entry, made = self._submitter.send(entry, on_short)
        return self._handle(same.earliest(made) if once else made, entry, on_short)

    def job(self, text: str, on_several: OnSeveral = lambda text: None) -> JobHandle:
        """Return the job with that id, full resource name or display name; see `Lookup.find`."""
        return self._handle(self._lookup.find(text, on_several))

    def jobs(self, filter_text: str = "", parents: Sequence[str] = ("",)) -> list[JobHandle]:
        """Settle the journal, and return the jobs of every kind, newest first.

        Parents are ``projects/P/locations/L`` each; an empty one is the connection's place.
        """
        self.settle()
        found = [self._lookup.list(filter_text, parent) for parent in parents]
        return [self._handle(resource) for resource in newest_first(itertools.chain(*found))]

    def journal(self) -> list[Entry]:
        """Return the submissions of this machine to any endpoint, the latest first."""
        return sorted(self._journal.entries(), key=lambda entry: -entry.changed)

    def settle(self) -> list[Entry]:
        """Find out what became of earlier submissions that got no answer.

        The entries that were open are returned, with the state they have now.

        Raises:
            EndpointError: If the endpoint cannot be asked.
        """
        return settle(self._journal, self._jobs, self._timing)

    def close(self) -> None:
        """Close the connections; jobs go on, and results stay valid."""
        self._jobs.close()
        self._log_reader.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _upload(self, package: "Package | None", place: "Place") -> None:
        # Here because the reading verbs do without: they start faster.
        from vertex_jobs import packaging, requests

        if package is None:
            return
        with tempfile.TemporaryDirectory(prefix="vertex-jobs-") as directory:
            files = packaging.write(package, Path(directory))
            for file, uri in zip(files, requests.package_uris(place, package), strict=True):
                upload(self.connection, file, uri)

    def _handle(
        self, resource: Resource, entry: Entry | None = None, on_short: OnShort | None = None
    ) -> JobHandle:
        """Return the handle on a job; one with its entry goes on from place to place."""
        succession = None
        if entry is not None and entry.current.name == resource["name"]:
            succession = Succession(self._submitter, entry.nonce, on_short)
        return JobHandle(
            resource,
            self._jobs,
            self._log_reader,
            self._curve_reader,
            self._timing,
            succession,
        )


def _prepare(job: "JobSpec", place: "Place") -> "tuple[Package | None, list[Request]]":
    """Return the package and the requests; a container job has no package.

    One package does for every place: fallbacks change machines and locations alone.
    """
    from vertex_jobs import packaging, requests, spec

    package = None if job.script_path is None else packaging.describe(job)
    return package, [
        requests.build(
            attempt.job, package, replace(place, location=attempt.location or place.location)
        )
        for attempt in spec.attempts(job)
    ]


def as_completed(
    handles: Iterable[JobHandle], timeout: float | None = None, *, timing: Timing | None = None
) -> Iterator[JobHandle]:
    """Yield the handles in the order in which their jobs end, as for futures.

    The handles may be of any endpoints; a job that is given twice comes once. The timeout is in
    seconds from the call to the last end; None for no limit.

    Raises:
        concurrent.futures.TimeoutError: If some have not ended in time; they go on.
        EndpointError: If an endpoint was lost or refused.
    """
    return _rounds(
        {handle.name: handle for handle in handles}, Deadline(timing or Timing(), timeout)
    )


def _rounds(pending: dict[str, JobHandle], deadline: Deadline) -> Iterator[JobHandle]:
    while pending:
        # By the first name: a job that goes on elsewhere has another one there.
        ended = [name for name, handle in pending.items() if handle.done()]
        for name in ended:
            yield pending.pop(name)
        if ended:
            deadline.restart()
        if pending and not deadline.pause():
            raise concurrent.futures.TimeoutError(
                f"{len(pending)} jobs have not ended in time; they go on: {', '.join(pending)}"
            )
