"""One endpoint, Vertex AI or Local Vertex: submit jobs, find them again, read what they wrote.

For users, from ``local()`` and ``vertex()``. An endpoint has a location; a job that falls back to
another is followed there through the same endpoint.
"""

import atexit
import concurrent.futures
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vertex_jobs.client import Client, Connection, JobHandle, lacks_capacity
from vertex_jobs.client.journal import Entry
from vertex_jobs.errors import JobFailedError, RequestRefusedError, UnsupportedHereError
from vertex_jobs.names import ResourceName
from vertex_jobs.requests import Place
from vertex_jobs.spec import Attempt, attempts

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer
    from vertex_jobs.outputs import Outputs
    from vertex_jobs.spec import JobSpec

__all__ = ["Endpoint", "OnShort", "Options"]

#: Headers that say what is not part of a job's request.
Options = Callable[["JobSpec", Mapping[str, Any]], Mapping[str, str]]
#: Told which location was short, in whose words, and what is tried next.
OnShort = Callable[[str, str, Attempt], None]


class Endpoint:
    """Vertex AI, or Local Vertex: submit jobs, find them again, read what they wrote."""

    def __init__(
        self,
        connect: Callable[[str], Connection],
        location: str,
        *,
        staging_bucket: str | None,
        options: Options,
        server: "LocalServer | None" = None,
    ) -> None:
        """Use ``local()`` or ``vertex()``.

        Args:
            connect: How to talk to it in a location.
            location: Its own.
            staging_bucket: The caller's choice, over a job's own; None when there is none.
            options: Headers that say what is not part of a job's request.
            server: The local server behind it, for ``connect_google``.
        """
        self.connection = connect(location)
        self.server = server
        self._connect = connect
        self._staging_bucket = staging_bucket
        self._options = options
        self._clients = {location: Client(self.connection)}
        atexit.register(self.close)

    @property
    def place(self) -> Place:
        """Project, location and staging bucket."""
        return self.connection.place

    def place_of(self, job: "JobSpec", location: str | None = None) -> Place:
        """Where that job is submitted: the endpoint's bucket if one was chosen, else the job's.

        Args:
            job: The job.
            location: Of a fallback; None for the endpoint's own.
        """
        bucket = self._staging_bucket or job.staging_bucket or self.place.staging_bucket
        return replace(self.place, location=location or self.place.location, staging_bucket=bucket)

    def submit(
        self,
        job: "JobSpec",
        *,
        once: bool = False,
        on_short: OnShort | None = None,
        **settings: Any,
    ) -> JobHandle:
        """Package, upload and create the job; returns when it exists.

        A place that refuses for want of machines or quota is followed by the job's next fallback.
        One that runs out of machines later is not: see ``submit_in_turn``.

        Args:
            job: What to run.
            once: Come back to the job of the same content instead of starting another.
            on_short: Told of each place that refused.
            settings: For this job on Local Vertex only: ``seed``, ``fresh``.

        Raises:
            PackagingError: If the script cannot be packaged; nothing was sent.
            EndpointError: If the endpoint refused; there is no job.
            SubmissionUnknownError: If it is not known whether there is a job.
        """
        return next(self.submit_in_turn(job, once=once, on_short=on_short, **settings))

    def submit_in_turn(
        self,
        job: "JobSpec",
        *,
        once: bool = False,
        on_short: OnShort | None = None,
        **settings: Any,
    ) -> Iterator[JobHandle]:
        """Submit the job, and again at its next fallback when the last one was short of machines.

        Ask for the next handle when the last one's job has ended: it is waited for, so that two
        never run. There is none once a job has ended for any other reason. Arguments and errors
        are those of ``submit``.
        """
        tried = attempts(job)
        if once and (found := self._same_content(job)) is not None:
            yield found
            return
        for number, attempt in enumerate(tried):
            place = self._checked_place(attempt.job, attempt.location)
            client, headers = self._client_at(place.location), self._options(attempt.job, settings)
            is_last = number + 1 == len(tried)
            try:
                handle = client.submit(attempt.job, place=place, headers=headers, once=once)
            except RequestRefusedError as error:
                if is_last or not lacks_capacity(error):
                    raise
                reason = error.message
            else:
                yield handle
                failure = _failure(handle)
                if is_last or failure is None or not lacks_capacity(failure):
                    return
                reason = failure.message
            if on_short is not None:
                then = tried[number + 1]
                then = replace(then, location=then.location or self.place.location)
                on_short(place.location, reason, then)

    def job(self, text: str) -> JobHandle:
        """The job with that id, full resource name or display name.

        A full name is looked for in its own location, anything else in the endpoint's.
        """
        try:
            location = ResourceName.parse(text).location
        except ValueError:
            location = self.place.location
        return self._client_at(location).job(text)

    def jobs(self, filter_text: str = "") -> list[JobHandle]:
        """Jobs of every kind in the endpoint's location, newest first."""
        return self._clients[self.place.location].jobs(filter_text)

    def settle(self) -> list[Entry]:
        """Find out what became of earlier submissions that got no answer, in every location."""
        own = self._clients[self.place.location]
        clients = {self.connection.api_endpoint: own}
        for location in own.open_locations():
            client = self._client_at(location)
            clients.setdefault(client.connection.api_endpoint, client)
        return [entry for client in clients.values() for entry in client.settle()]

    def outputs(self) -> "Outputs":
        """What jobs wrote to ``gs://``."""
        from vertex_jobs import outputs

        connection = self.connection
        return outputs.Outputs(
            outputs.Connection(
                connection.storage_endpoint, self.place.project, connection.credentials
            )
        )

    def connect_google(self) -> None:
        """Point this process's Google clients at the endpoint.

        Set before the clients are made; the SDK, google-cloud-storage, gcsfs and TensorFlow's
        ``gs://`` then reach Local Vertex. On Vertex AI there is nothing to point.
        """
        if self.server is not None:
            from vertex_jobs.endpoints.this_machine import hold_google_clients

            hold_google_clients(self.server)

    def close(self) -> None:
        """Close the connections; jobs go on, and results stay valid."""
        for client in self._clients.values():
            client.close()
        atexit.unregister(self.close)

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _client_at(self, location: str) -> Client:
        if location not in self._clients:
            self._clients[location] = Client(self._connect(location))
        return self._clients[location]

    def _same_content(self, job: "JobSpec") -> JobHandle | None:
        """The job of the same content at any of its places, before another is made at one."""
        for attempt in attempts(job):
            place = self._checked_place(attempt.job, attempt.location)
            found = self._client_at(place.location).same_content(attempt.job, place=place)
            if found is not None:
                return found
        return None

    def _checked_place(self, job: "JobSpec", location: str | None) -> Place:
        place = self.place_of(job, location)
        if not place.staging_bucket:
            raise UnsupportedHereError(
                "no staging bucket: Vertex AI reads the package from Cloud Storage; "
                "pass staging_bucket='gs://…' or set it in the config"
            )
        return place


def _failure(handle: JobHandle) -> JobFailedError | None:
    """How the job failed, once it has ended; None if it succeeded or was cancelled."""
    try:
        return handle.exception()
    except concurrent.futures.CancelledError:
        return None
