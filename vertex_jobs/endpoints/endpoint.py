"""One endpoint, Vertex AI or Local Vertex: submit jobs, find them again, read what they wrote.

For users, from ``local()`` and ``vertex()``. An endpoint has a location; a job that falls back to
another is followed there through the same endpoint.
"""

import atexit
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vertex_jobs.client import Client, Connection, Entry, JobHandle, OnShort
from vertex_jobs.errors import Fault, UnsupportedHereError
from vertex_jobs.requests import Place

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer
    from vertex_jobs.outputs import Outputs
    from vertex_jobs.spec import JobSpec

__all__ = ["Endpoint", "Options"]

#: Headers that say what is not part of a job's request.
Options = Callable[["JobSpec", Mapping[str, Any]], Mapping[str, str]]


class Endpoint:
    """Vertex AI, or Local Vertex: submit jobs, find them again, read what they wrote."""

    def __init__(
        self,
        connection: Connection,
        *,
        staging_bucket: str | None,
        options: Options,
        server: "LocalServer | None" = None,
    ) -> None:
        """Use ``local()`` or ``vertex()``.

        Args:
            connection: How to talk to it.
            staging_bucket: The caller's choice, over a job's own; None when there is none.
            options: Headers that say what is not part of a job's request.
            server: The local server behind it, for ``connect_google``.
        """
        self.connection = connection
        self.server = server
        self._staging_bucket = staging_bucket
        self._options = options
        self._client = Client(connection)
        atexit.register(self.close)

    def __repr__(self) -> str:
        """Which one it is."""
        what = "Vertex AI" if self.server is None else "Local Vertex"
        where = f"{self.place.project}, {self.place.location}"
        return f"<{what} {self.connection.api_endpoint}: {where}>"

    @property
    def place(self) -> Place:
        """Project, location and staging bucket."""
        return self.connection.place

    def place_of(self, job: "JobSpec") -> Place:
        """Where that job is submitted: the endpoint's bucket if one was chosen, else the job's."""
        bucket = self._staging_bucket or job.staging_bucket or self.place.staging_bucket
        return replace(self.place, staging_bucket=bucket)

    def submit(
        self,
        job: "JobSpec",
        *,
        once: bool = False,
        on_short: OnShort | None = None,
        **settings: Any,
    ) -> JobHandle:
        """Package, upload and create the job; returns when it exists.

        A place that is short of machines or quota is followed by the job's next fallback: here if
        it refuses the job, and whenever the handle is asked if it turns out later. No two of them
        run at once.

        Args:
            job: What to run.
            once: Come back to the job of the same content instead of starting another; or go on
                at the next place, where an earlier submission stopped after one was short.
            on_short: Told of each place that was short.
            settings: For this job on Local Vertex only: ``seed``, ``fresh``.

        Raises:
            PackagingError: If the script cannot be packaged; nothing was sent.
            EndpointError: If the endpoint refused; there is no job.
            SubmissionUnknownError: If it is not known whether there is a job.
        """
        place = self.place_of(job)
        if not place.staging_bucket:
            raise UnsupportedHereError(
                "no staging bucket: Vertex AI reads the package from Cloud Storage; "
                "pass staging_bucket='gs://…' or set it in the config"
            )
        headers = self._options(job, settings)
        return self._client.submit(job, place=place, headers=headers, once=once, on_short=on_short)

    def job(self, text: str) -> JobHandle:
        """The job with that id, full resource name or display name.

        A full name is looked for in its own location, anything else in the endpoint's.
        """
        return self._client.job(text)

    def jobs(self, filter_text: str = "") -> list[JobHandle]:
        """Jobs of every kind in the endpoint's location, newest first."""
        return self._client.jobs(filter_text)

    def settle(self) -> list[Entry]:
        """Find out what became of earlier submissions that got no answer, in every location."""
        return self._client.settle()

    def dry_trial(self, job: "JobSpec") -> tuple[Fault, ...]:
        """Run one trial of a study until it has reported every metric, and end it.

        Returns:
            One fault for each metric of the study that the script did not report; empty if it
            reported all.

        Raises:
            UnsupportedHereError: If the job has no trials, or the endpoint is Vertex AI.
            PackagingError: If the script cannot be packaged.
            EndpointError: If the endpoint refused or was lost.
        """
        from vertex_jobs.endpoints.dry_trials import try_one

        return try_one(self, job)

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
        self._client.close()
        atexit.unregister(self.close)

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
