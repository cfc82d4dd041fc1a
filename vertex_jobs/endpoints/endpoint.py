"""One endpoint, Vertex AI or Local Vertex: submit jobs, find them again, read what they wrote.

For users, from ``local()`` and ``vertex()``. An endpoint has a location; a job that falls back to
another is followed there through the same endpoint.
"""

import atexit
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vertex_jobs.client import Client, Connection, Entry, JobHandle, OnSeveral, OnShort
from vertex_jobs.errors import Fault, InvalidJobError, UnsupportedHereError, VertexJobsWarning
from vertex_jobs.names import location_name
from vertex_jobs.outputs import Outputs, StorageConnection
from vertex_jobs.requests import Place, place_of
from vertex_jobs.spec import JobSpec, Reading

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer
    from vertex_jobs.preflight import Report, Where

#: The end of every host of Vertex AI.
_GOOGLE = ".googleapis.com"


class Endpoint:
    """Vertex AI, or Local Vertex: submit jobs, find them again, read what they wrote.

    What Local Vertex has beside the API is answered here as Vertex AI does; see `LocalEndpoint`.
    """

    service = "Vertex AI"
    #: Whose rules a job is checked by.
    rules: "Where" = "vertex"

    def __init__(self, connection: Connection, staging_bucket: str | None = None) -> None:
        """Use ``local()`` or ``vertex()``.

        ``staging_bucket`` is the caller's choice, over a job's own; None when there is none.
        """
        self.connection = connection
        self._staging_bucket = staging_bucket
        self._client = Client(connection)
        atexit.register(self.close)

    def __repr__(self) -> str:
        where = f"{self.place.project}, {self.place.location}"
        return f"<{self.service} {self.connection.api_endpoint}: {where}>"

    @property
    def place(self) -> Place:
        """The project, location and staging bucket."""
        return self.connection.place

    @property
    def server(self) -> "LocalServer":
        """The local server behind it.

        Raises:
            UnsupportedHereError: If the endpoint is Vertex AI.
        """
        raise UnsupportedHereError(
            "no local server is behind this: this endpoint is Vertex AI, which Google's clients "
            "reach as they are; for Local Vertex use local()"
        )

    def place_of(self, job: JobSpec) -> Place:
        """Return where that job is submitted, its staging bucket chosen."""
        return place_of(job, self.place, self._staging_bucket)

    def check(self, job: JobSpec) -> "Report":
        """Return what is wrong with a job that would be submitted here, and its cost.

        Nothing is contacted. The script runs as far as its argument parser, in a child process.
        """
        from vertex_jobs import preflight

        place = self.place_of(job)
        report = preflight.check(Reading.of(job), on=self.rules, place=place)
        return report if place.staging_bucket else report.with_errors([_no_bucket()])

    def submit(
        self,
        job: JobSpec,
        *,
        check: bool = True,
        once: bool = False,
        on_short: OnShort | None = None,
        **settings: Any,
    ) -> JobHandle:
        """Package, upload and create the job, and return when it exists.

        A place that is short of machines or quota is followed by the job's next fallback: here if
        it refuses the job, and whenever the handle is asked if it turns out later. No two of them
        run at once.

        Args:
            job: What to run.
            check: Refuse the job for what `check` finds wrong with it; warnings are given as a
                `VertexJobsWarning` each.
            once: Come back to the job of the same content instead of starting another; or go on
                at the next place, where an earlier submission stopped after one was short.
            on_short: Told of each place that was short.
            settings: For this job on Local Vertex only: ``seed``, ``fresh``.

        Raises:
            InvalidJobError: With every mistake in the job; nothing was sent.
            PackagingError: If an unchecked script cannot be packaged; nothing was sent.
            EndpointError: If the endpoint refused; there is no job.
            SubmissionUnknownError: If it is not known whether there is a job.
        """
        place = self.place_of(job)
        if check:
            report = self.check(job)
            report.require_ok()
            for fault in report.warnings:
                warnings.warn(str(fault), VertexJobsWarning, stacklevel=2)
        elif not place.staging_bucket:
            raise InvalidJobError([_no_bucket()], job.display_name)
        headers = self._headers(job, settings)
        return self._client.submit(job, place=place, headers=headers, once=once, on_short=on_short)

    def job(self, text: str, on_several: OnSeveral = lambda text: None) -> JobHandle:
        """Return the job with that id, full resource name or display name.

        Of several jobs of one name the one that runs is taken, else the newest; ``on_several`` is
        told so. A full name is looked for in its own location, anything else in the endpoint's.
        """
        return self._client.job(text, on_several)

    def jobs(self, filter_text: str = "", parents: Sequence[str] = ()) -> list[JobHandle]:
        """Return the jobs of every kind, newest first.

        Parents are ``projects/P/locations/L`` each; by default the endpoint's own place.
        """
        return self._client.jobs(filter_text, parents or [self._parent])

    def job_parents(self) -> list[str]:
        """Return each ``projects/P/locations/L`` that is known to hold jobs, and the endpoint's.

        Vertex AI lists one location at a time; those that this machine has submitted to are known.
        """
        creates = [create for entry in self.journal() for create in entry.creates if create.name]
        return sorted({self._parent, *(c.parent for c in creates if c.endpoint.endswith(_GOOGLE))})

    @property
    def _parent(self) -> str:
        return location_name(self.place.project, self.place.location)

    def journal(self) -> list[Entry]:
        """Return the submissions of this machine to any endpoint, the latest first."""
        return self._client.journal()

    def settle(self) -> list[Entry]:
        """Find out what became of earlier submissions that got no answer, in every location."""
        return self._client.settle()

    def dry_trial(self, job: JobSpec) -> tuple[Fault, ...]:
        """Run one trial of a study until it has reported every metric, and end it.

        Returns:
            One fault for each metric of the study that the script did not report; empty if it
            reported all.

        Raises:
            UnsupportedHereError: If the job has no trials, or the endpoint is Vertex AI.
            PackagingError: If the script cannot be packaged.
            EndpointError: If the endpoint refused or was lost.
        """
        raise UnsupportedHereError(
            "a dry trial runs on Local Vertex, and this endpoint is Vertex AI; use local()"
        )

    def outputs(self) -> Outputs:
        """Return what jobs wrote to ``gs://``."""
        connection = self.connection
        return Outputs(
            StorageConnection(
                connection.storage_endpoint, self.place.project, connection.credentials
            )
        )

    def connect_google(self) -> None:
        """Point this process's Google clients at the endpoint.

        Set before the clients are made; the SDK, google-cloud-storage, gcsfs and TensorFlow's
        ``gs://`` then reach Local Vertex. On Vertex AI there is nothing to point.
        """

    def resume(self) -> list[str]:
        """Go on with the jobs that a stopped server left behind, and return their names."""
        return []

    def hold(self) -> None:
        """Keep the endpoint as long as this process lives; Vertex AI stays by itself."""

    def has_ended(self) -> bool:
        """Return whether the endpoint is known to be gone, so that waiting for it is in vain."""
        return False

    def close(self) -> None:
        """Close the connections; jobs go on, and results stay valid."""
        self._client.close()
        atexit.unregister(self.close)

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _headers(self, job: JobSpec, settings: Mapping[str, Any]) -> Mapping[str, str]:
        return {}


def _no_bucket() -> Fault:
    from vertex_jobs.preflight import bucket_fault

    return bucket_fault("pass staging_bucket='gs://…' or set it in the config")
