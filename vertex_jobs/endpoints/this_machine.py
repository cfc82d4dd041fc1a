"""Local Vertex as an endpoint: ``local()``, and Google's own clients pointed at it.

For users, scripts and notebooks. What a job's ``local:`` section asks for becomes a header here.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.client import OPTIONS_HEADER, Connection, import_job_client
from vertex_jobs.endpoints.endpoint import Endpoint
from vertex_jobs.requests import Place
from vertex_jobs.requests.places import LOCAL_BUCKET, LOCAL_LOCATION, LOCAL_PROJECT
from vertex_jobs.state import state_directory

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer
    from vertex_jobs.spec import JobSpec

__all__ = [
    "begin_local",
    "connect_google",
    "google_environment",
    "hold_google_clients",
    "load_ipython_extension",
    "local",
]


def begin_local(*, state_dir: Path, project: str | None, location: str | None) -> None:
    """Start the server that `local` of the same arguments will join, and return at once."""
    from vertex_jobs.emulator.joining import begin

    begin(state_dir, project=project or LOCAL_PROJECT, location=location or LOCAL_LOCATION)


def local(
    *,
    state_dir: str | Path | None = None,
    project: str | None = None,
    location: str | None = None,
    staging_bucket: str | None = None,
    seed: int | None = None,
    fresh: bool = False,
) -> Endpoint:
    """Local Vertex: joins the server of the state directory, or starts one.

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
    project, location = project or LOCAL_PROJECT, location or LOCAL_LOCATION
    begin_local(state_dir=directory, project=project, location=location)
    import_job_client()  # while the server imports the same
    server = join(directory, project=project, location=location)
    url = server.record.url
    _keep_loopback_off_proxies()

    connection = Connection(
        place=Place(project, location, staging_bucket or LOCAL_BUCKET),
        api_endpoint=url,
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        state_directory=directory,
        storage_endpoint=url,
        logging_endpoint=url,
    )

    def options(job: "JobSpec", settings: Mapping[str, Any]) -> Mapping[str, str]:
        asked = job.local.model_dump(mode="json", exclude_defaults=True) if job.local else {}
        own = {"seed": seed, "fresh": fresh or None, **settings}
        asked |= {key: value for key, value in own.items() if value is not None}
        return {OPTIONS_HEADER: json.dumps(asked)} if asked else {}

    return Endpoint(connection, staging_bucket=staging_bucket, options=options, server=server)


def _keep_loopback_off_proxies() -> None:
    """Let no proxy of the user's catch the calls to this machine; every HTTP library reads this."""
    for name in ("no_proxy", "NO_PROXY"):
        hosts = [host for host in os.environ.get(name, "").split(",") if host]
        missing = [host for host in ("127.0.0.1", "localhost") if host not in hosts]
        os.environ[name] = ",".join(hosts + missing)


def google_environment(server: "LocalServer") -> dict[str, str]:
    """The variables that point unmodified Google clients at a local server."""
    from vertex_jobs.emulator.client_environment.certificates import Certificates
    from vertex_jobs.emulator.client_environment.client_variables import google_variables

    record = server.record
    certificates = Certificates.load_or_make(server.directory.certificates, record.project)
    return google_variables(record.port, certificates, record.project)


def hold_google_clients(server: "LocalServer") -> None:
    """Point this process's Google clients at a local server, which stays as long as it does."""
    server.hold(os.getpid(), hold_reads=True)
    os.environ.update(google_environment(server))


def connect_google(**settings: Any) -> Endpoint:
    """``local(**settings)`` with this process's Google clients pointed at it."""
    endpoint = local(**settings)
    endpoint.connect_google()
    return endpoint


_notebook: list[Endpoint] = []


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext vertex_jobs``: ``endpoint`` is local, and Google clients are pointed at it."""
    if not _notebook:
        _notebook.append(connect_google())
    shell.push({"endpoint": _notebook[0]})
