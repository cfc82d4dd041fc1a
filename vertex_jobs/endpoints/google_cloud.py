"""Vertex AI as an endpoint: ``vertex()``.

For users. Signing in is in ``credentials``.
"""

from pathlib import Path

from vertex_jobs.client import Connection
from vertex_jobs.endpoints.credentials import sign_in
from vertex_jobs.endpoints.endpoint import Endpoint
from vertex_jobs.requests import LOCAL_PLACE, Place
from vertex_jobs.state import check_state_directory, state_directory

#: Source: REST reference of Vertex AI, "Service endpoint".
_HOSTS = "{location}-aiplatform.googleapis.com"
#: Source: google-cloud-aiplatform, the link that its jobs log.
_CONSOLE = (
    "https://console.cloud.google.com/agent-platform/locations/{location}/training/{id}"
    "?project={project}"
)


def vertex(
    *,
    project: str | None = None,
    location: str | None = None,
    staging_bucket: str | None = None,
    api_endpoint: str | None = None,
    impersonate_service_account: str | None = None,
    quota_project: str | None = None,
    state_dir: str | Path | None = None,
) -> Endpoint:
    """Return Vertex AI as an endpoint, with application default credentials.

    Nothing is contacted before the first call. A certificate authority of one's own is named by
    the variable ``REQUESTS_CA_BUNDLE``, a proxy by ``https_proxy``, as for every Google client.

    Args:
        project: Project id; default the credentials' own.
        location: Region; default ``us-central1``.
        staging_bucket: ``gs://…``; default the job's own.
        api_endpoint: Default ``{location}-aiplatform.googleapis.com``; one that is given answers
            for every location.
        impersonate_service_account: Act as that account; the credentials must be allowed to make
            tokens for it.
        quota_project: Charged for the calls' quota; default the credentials' own, and for a
            person's credentials without one the project.
        state_dir: Where submissions are journalled; as of ``local()``.

    Raises:
        NotSignedInError: If there are no credentials or no project.
        UnsupportedHereError: If the state directory is not ours.
    """
    directory = state_directory(state_dir)
    check_state_directory(directory)
    identity = sign_in(project, impersonate_service_account, quota_project)

    place = Place(identity.project, location or LOCAL_PLACE.location, staging_bucket or "")
    connection = Connection(
        place=place,
        api_endpoint=api_endpoint or _HOSTS.format(location=place.location),
        credentials=identity.credentials,
        state_directory=directory,
        console_url=_CONSOLE,
        regional_endpoint="" if api_endpoint else _HOSTS,
    )
    return Endpoint(connection, staging_bucket)
