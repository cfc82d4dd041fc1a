"""The endpoint of a command, opened from its options, and what is said then.

For the verbs. Nothing is contacted before `open_endpoint`.
"""

import contextlib
from typing import TYPE_CHECKING

from vertex_jobs.cli.options import refuse
from vertex_jobs.cli.shared_options import EndpointOptions
from vertex_jobs.cli.terminal import say, warn
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import ResourceName
from vertex_jobs.state import state_directory
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint


def open_endpoint(where: EndpointOptions) -> "Endpoint":
    """Join or start Local Vertex, or sign in to Vertex AI.

    Raises:
        InvalidJobError: If an option does not go with the endpoint.
        UnsupportedHereError: If the endpoint cannot be had here.
    """
    from vertex_jobs.endpoints import local, vertex

    if where.on == "vertex":
        return vertex(
            project=where.project,
            location=where.location,
            staging_bucket=where.staging_bucket,
            api_endpoint=where.api_endpoint,
            impersonate_service_account=where.impersonate_service_account,
            quota_project=where.quota_project,
            state_dir=where.state_dir,
        )
    given = {
        "--api-endpoint": where.api_endpoint,
        "--impersonate-service-account": where.impersonate_service_account,
        "--quota-project": where.quota_project,
    }
    rule = "says how Vertex AI is reached, and the job runs on this machine"
    refuse(given, rule, "add --on vertex")
    directory = state_directory(where.state_dir)
    try:
        return local(
            state_dir=directory,
            project=where.project,
            location=where.location,
            staging_bucket=where.staging_bucket,
        )
    except OSError as error:
        raise UnsupportedHereError(
            f"{directory} cannot hold the state of Local Vertex ({error.strerror}); "
            "name another with --state-dir"
        ) from error


def begin_endpoint(where: EndpointOptions) -> None:
    """Start Local Vertex in the background for `open_endpoint`, which reports what fails."""
    if where.on == "local":
        from vertex_jobs.endpoints import begin_local

        with contextlib.suppress(OSError):
            begin_local(
                state_dir=state_directory(where.state_dir),
                project=where.project,
                location=where.location,
            )


def resume_interrupted(endpoint: "Endpoint") -> None:
    """Let jobs that a stopped server left behind go on, and print which."""
    names = endpoint.resume()
    if names:
        ids = ", ".join(ResourceName.parse(name).resource_id for name in names)
        say(f"going on with {count(len(names), 'interrupted job')}: {ids}")


def say_settled(endpoint: "Endpoint") -> None:
    """Look up earlier submissions that got no answer, and print what became of each."""
    for entry in endpoint.settle():
        create = entry.current
        if entry.is_open:
            why = create.detail or "its answer was lost"
            warn(
                f"it is still unknown whether {entry.display_name!r}, submission {create.nonce}, "
                f"was created ({why}); list again in some minutes"
            )
        elif create.name:
            say(f"an earlier submission of {entry.display_name!r} did arrive: {create.name}")
        else:
            say(f"an earlier submission of {entry.display_name!r} made no job: {create.detail}")
