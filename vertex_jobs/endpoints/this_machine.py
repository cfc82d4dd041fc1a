"""Local Vertex as an endpoint: ``local()``, and Google's own clients pointed at it.

For users, scripts and notebooks. What a job's ``local:`` section asks for becomes a header here.
"""

import json
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.client import Connection, import_job_client
from vertex_jobs.endpoints.dry_trials import try_one
from vertex_jobs.endpoints.endpoint import Endpoint
from vertex_jobs.errors import Fault
from vertex_jobs.headers import OPTIONS_HEADER
from vertex_jobs.names import location_name
from vertex_jobs.requests import LOCAL_PLACE, Place
from vertex_jobs.spec import JobSpec
from vertex_jobs.state import state_directory

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer


class LocalEndpoint(Endpoint):
    """Local Vertex, and what it has beside the API."""

    service = "Local Vertex"
    rules = "local"

    def __init__(
        self,
        server: "LocalServer",
        connection: Connection,
        staging_bucket: str | None,
        defaults: Mapping[str, Any],
    ) -> None:
        """Use ``local()``; ``defaults`` are settings of jobs that name none of their own."""
        super().__init__(connection, staging_bucket)
        self._server = server
        self._defaults = defaults

    @property
    def server(self) -> "LocalServer":
        """The server that answers."""
        return self._server

    def job_parents(self) -> list[str]:
        """Return each ``projects/P/locations/L`` that holds jobs, and the endpoint's own."""
        places = self._server.places()
        found = (location_name(project, location) for project, location, _ in places)
        return sorted({self._parent, *found})

    def dry_trial(self, job: JobSpec) -> tuple[Fault, ...]:
        """Run one trial of a study until it has reported every metric; see `Endpoint`."""
        return try_one(partial(self.submit, check=False), self._server.reported_metrics, job)

    def connect_google(self) -> None:
        """Point this process's Google clients here; the server stays as long as the process."""
        self._server.hold(os.getpid(), hold_reads=True)
        os.environ.update(google_environment(self._server))

    def resume(self) -> list[str]:
        """Go on with the jobs that a stopped server left behind, and return their names."""
        return self._server.resume()

    def hold(self) -> None:
        """Keep the server as long as this process lives."""
        self._server.hold(os.getpid())

    def has_ended(self) -> bool:
        """Return whether the server's process is gone."""
        return not self._server.runs()

    def _headers(self, job: JobSpec, settings: Mapping[str, Any]) -> Mapping[str, str]:
        asked = job.local.model_dump(mode="json", exclude_defaults=True) if job.local else {}
        own = {**self._defaults, **settings}
        asked |= {key: value for key, value in own.items() if value is not None}
        return {OPTIONS_HEADER: json.dumps(asked)} if asked else {}


def begin_local(*, state_dir: Path, project: str | None, location: str | None) -> None:
    """Start the server that `local` of the same arguments will join, and return at once."""
    from vertex_jobs.emulator.joining import begin

    begin(
        state_dir, project=project or LOCAL_PLACE.project, location=location or LOCAL_PLACE.location
    )


def local(
    *,
    state_dir: str | Path | None = None,
    project: str | None = None,
    location: str | None = None,
    staging_bucket: str | None = None,
    seed: int | None = None,
    fresh: bool = False,
) -> LocalEndpoint:
    """Join the Local Vertex of the state directory, or start one.

    Works with and without ``with``. Closing the endpoint ends no job; the server ends by itself
    some time after its last job and client.

    Args:
        state_dir: Where its jobs and buckets are, a directory that is new, empty or of an earlier
            ``local()``; default ``$VERTEX_JOBS_STATE_DIR``, else ``~/.local/state/vertex-jobs``.
        project: Default ``local-project``.
        location: Default ``us-central1``.
        staging_bucket: ``gs://…``; default the job's own, else ``gs://local-staging``.
        seed: Of the search, for jobs that name none.
        fresh: Whether every replica starts as a fresh process.

    Raises:
        UnsupportedHereError: If no server can be started here, or the directory is not ours.
    """
    from google.auth.credentials import AnonymousCredentials

    from vertex_jobs.emulator.joining import join

    directory = state_directory(state_dir)
    project, location = project or LOCAL_PLACE.project, location or LOCAL_PLACE.location
    begin_local(state_dir=directory, project=project, location=location)
    import_job_client()  # while the server imports the same
    server = join(directory, project=project, location=location)
    url = server.record.url
    _keep_loopback_off_proxies()

    connection = Connection(
        place=Place(project, location, staging_bucket or LOCAL_PLACE.staging_bucket),
        api_endpoint=url,
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        state_directory=directory,
        storage_endpoint=url,
        logging_endpoint=url,
    )

    defaults = {"seed": seed, "fresh": fresh or None}
    return LocalEndpoint(server, connection, staging_bucket, defaults)


def _keep_loopback_off_proxies() -> None:
    """Keep calls to this machine off the user's proxies; every HTTP library reads this."""
    for name in ("no_proxy", "NO_PROXY"):
        hosts = [host for host in os.environ.get(name, "").split(",") if host]
        missing = [host for host in ("127.0.0.1", "localhost") if host not in hosts]
        os.environ[name] = ",".join(hosts + missing)


def google_environment(server: "LocalServer") -> dict[str, str]:
    """Return the variables that point unmodified Google clients at a local server."""
    from vertex_jobs.emulator.client_environment.certificates import Certificates
    from vertex_jobs.emulator.client_environment.client_variables import google_variables

    record = server.record
    certificates = Certificates.load_or_make(server.directory.certificates, record.project)
    return google_variables(record.port, certificates, record.project)


def connect_google(**settings: Any) -> Endpoint:
    """Return ``local(**settings)`` with this process's Google clients pointed at it."""
    endpoint = local(**settings)
    endpoint.connect_google()
    return endpoint


_notebook: list[Endpoint] = []


def load_ipython_extension(shell: Any) -> None:
    """Answer ``%load_ext vertex_jobs``: ``endpoint`` is local, Google clients are pointed at it."""
    if not _notebook:
        _notebook.append(connect_google())
    shell.push({"endpoint": _notebook[0]})
