"""Which endpoint a command talks to: the options of every verb, turned into one.

For the verbs. Nothing is contacted before `open_endpoint`; the place of a job is known without.
"""

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.terminal import say
from vertex_jobs.cli.words import count
from vertex_jobs.errors import Fault, InvalidJobError, UnsupportedHereError
from vertex_jobs.names import ResourceName
from vertex_jobs.state import state_directory

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.requests import Place
    from vertex_jobs.spec import JobSpec

__all__ = ["begin_endpoint", "job_place", "open_endpoint", "place_faults", "resume_interrupted"]


def open_endpoint(options: Options) -> "Endpoint":
    """Join or start Local Vertex, or sign in to Vertex AI.

    Raises:
        InvalidJobError: If an option does not go with the endpoint.
        UnsupportedHereError: If the endpoint cannot be had here.
    """
    from vertex_jobs.endpoints import local, vertex

    if options.on == "vertex":
        return vertex(
            project=options.project,
            location=options.location,
            staging_bucket=options.staging_bucket,
            api_endpoint=options.api_endpoint,
            impersonate_service_account=options.impersonate_service_account,
            quota_project=options.quota_project,
            state_dir=options.state_dir,
        )
    given = {
        "--api-endpoint": options.api_endpoint,
        "--impersonate-service-account": options.impersonate_service_account,
        "--quota-project": options.quota_project,
    }
    rule = "says how Vertex AI is reached, and the job runs on this machine"
    faults = [Fault(name, v, rule, "add --on vertex") for name, v in given.items() if v]
    if faults:
        raise InvalidJobError(faults, "command line")
    directory = state_directory(options.state_dir)
    try:
        return local(
            state_dir=directory,
            project=options.project,
            location=options.location,
            staging_bucket=options.staging_bucket,
        )
    except OSError as error:
        raise UnsupportedHereError(
            f"{directory} cannot hold the state of Local Vertex ({error.strerror}); "
            "name another with --state-dir"
        ) from error


def begin_endpoint(options: Options) -> None:
    """Have Local Vertex start beside what comes before `open_endpoint`; that says what is wrong."""
    if options.on == "local":
        from vertex_jobs.endpoints import begin_local

        with contextlib.suppress(OSError):
            begin_local(
                state_dir=state_directory(options.state_dir),
                project=options.project,
                location=options.location,
            )


def job_place(options: Options, job: "JobSpec") -> "Place":
    """Where the job would be submitted; contacts nothing.

    Raises:
        InvalidJobError: If the request needs a word that nobody has said.
    """
    from vertex_jobs.requests import LOCAL_PLACE, Place, place_of

    missing = place_faults(options, job)
    if missing:
        raise InvalidJobError(missing, "command line")
    place = LOCAL_PLACE if options.on == "local" else Place("", LOCAL_PLACE.location, "")
    place = replace(
        place,
        project=options.project or place.project,
        location=options.location or place.location,
    )
    return place_of(job, place, options.staging_bucket)


def place_faults(options: Options, job: "JobSpec") -> list[Fault]:
    """What a request needs and nobody has said."""
    if options.on == "local":
        return []
    faults = []
    if not (options.staging_bucket or job.staging_bucket):
        rule = "is required on Vertex AI, which reads the package from Cloud Storage"
        faults.append(Fault("staging_bucket", None, rule, "add --staging-bucket gs://BUCKET"))
    if job.experiment and not options.project:
        rule = "is part of the experiment's name, and without contact nobody says it"
        faults.append(Fault("--project", None, rule, "add --project PROJECT"))
    return faults


def resume_interrupted(endpoint: "Endpoint") -> None:
    """Let jobs that a stopped server left behind go on, and say which."""
    names = endpoint.resume()
    if names:
        ids = ", ".join(ResourceName.parse(name).resource_id for name in names)
        say(f"going on with {count(len(names), 'interrupted job')}: {ids}")
