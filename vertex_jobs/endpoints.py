"""Where jobs run: ``local()`` and ``vertex()``, the one place that knows client and emulator.

Both give an ``Endpoint`` with the same methods; what differs is decided here once, as plain
values of the client's connection. Nothing else in the library asks which endpoint it talks to.
"""

import atexit
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.client import OPTIONS_HEADER, Client, Connection, JobHandle, as_completed
from vertex_jobs.client.journal import Entry
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.requests import Place
from vertex_jobs.requests.places import LOCAL_BUCKET, LOCAL_LOCATION, LOCAL_PROJECT

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer
    from vertex_jobs.outputs import Outputs
    from vertex_jobs.spec import JobSpec

__all__ = [
    "Endpoint",
    "as_completed",
    "connect_google",
    "default_state_directory",
    "load_ipython_extension",
    "local",
    "vertex",
]

#: Source: google-cloud-aiplatform, the link that its jobs log.
_CONSOLE = (
    "https://console.cloud.google.com/agent-platform/locations/{location}/training/{id}"
    "?project={project}"
)
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"

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

    @property
    def place(self) -> Place:
        """Project, location and staging bucket."""
        return self.connection.place

    def place_of(self, job: "JobSpec") -> Place:
        """Where that job is submitted: the endpoint's bucket if one was chosen, else the job's."""
        bucket = self._staging_bucket or job.staging_bucket or self.place.staging_bucket
        return replace(self.place, staging_bucket=bucket)

    def submit(self, job: "JobSpec", *, once: bool = False, **settings: Any) -> JobHandle:
        """Package, upload and create the job; returns when it exists.

        Args:
            job: What to run.
            once: Come back to the job of the same content instead of starting another.
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
        return self._client.submit(job, place=place, headers=headers, once=once)

    def job(self, text: str) -> JobHandle:
        """The job with that id, full resource name or display name."""
        return self._client.job(text)

    def jobs(self, filter_text: str = "") -> list[JobHandle]:
        """Jobs of every kind, newest first."""
        return self._client.jobs(filter_text)

    def settle(self) -> list[Entry]:
        """Find out what became of earlier submissions that got no answer."""
        return self._client.settle()

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
            self.server.hold(os.getpid(), hold_reads=True)
            os.environ.update(google_environment(self.server))

    def close(self) -> None:
        """Close the connections; jobs go on, and results stay valid."""
        self._client.close()
        atexit.unregister(self.close)

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def default_state_directory(environ: Mapping[str, str] | None = None) -> Path:
    """``$VERTEX_JOBS_STATE_DIR``, else ``~/.local/state/vertex-jobs``."""
    environ = os.environ if environ is None else environ
    named = environ.get("VERTEX_JOBS_STATE_DIR")
    return Path(named) if named else Path.home() / ".local" / "state" / "vertex-jobs"


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
        state_dir: Where its jobs and buckets are; see ``default_state_directory``.
        project: Default ``local-project``.
        location: Default ``us-central1``.
        staging_bucket: ``gs://…``; default the job's own, else ``gs://local-staging``.
        seed: Of the search, for jobs that name none.
        fresh: Whether every replica starts as a fresh process.

    Raises:
        UnsupportedHereError: If no server can be started here.
    """
    from google.auth.credentials import AnonymousCredentials

    from vertex_jobs.emulator.joining import join

    directory = Path(state_dir) if state_dir is not None else default_state_directory()
    project, location = project or LOCAL_PROJECT, location or LOCAL_LOCATION
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


def vertex(
    *,
    project: str | None = None,
    location: str | None = None,
    staging_bucket: str | None = None,
    api_endpoint: str | None = None,
    state_dir: str | Path | None = None,
) -> Endpoint:
    """Vertex AI, with application default credentials.

    Args:
        project: Project id; default the credentials' own.
        location: Region; default ``us-central1``.
        staging_bucket: ``gs://…``; default the job's own.
        api_endpoint: Default ``{location}-aiplatform.googleapis.com``.
        state_dir: Where submissions are journalled.

    Raises:
        UnsupportedHereError: If there are no credentials or no project.
    """
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    try:
        credentials, default_project = google.auth.default(scopes=[_SCOPE])
    except DefaultCredentialsError as error:
        raise UnsupportedHereError(
            f"no Google credentials ({error}); run: gcloud auth application-default login"
        ) from error
    project, location = project or default_project, location or LOCAL_LOCATION
    if not project:
        raise UnsupportedHereError(
            "no project: the credentials name none; pass project=… or --project"
        )
    connection = Connection(
        place=Place(project, location, staging_bucket or ""),
        api_endpoint=api_endpoint or f"{location}-aiplatform.googleapis.com",
        credentials=credentials,
        state_directory=Path(state_dir) if state_dir is not None else default_state_directory(),
        console_url=_CONSOLE,
    )
    return Endpoint(connection, staging_bucket=staging_bucket, options=lambda job, settings: {})


def google_environment(server: "LocalServer") -> dict[str, str]:
    """The variables that point unmodified Google clients at a local server."""
    from vertex_jobs.emulator.fronts.certificates import Certificates
    from vertex_jobs.emulator.surroundings import google_variables

    record = server.record
    certificates = Certificates.load_or_make(server.directory.certificates, record.project)
    return google_variables(record.port, certificates, record.project)


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
