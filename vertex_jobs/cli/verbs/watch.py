"""``watch JOB``: an existing job, followed to its end as ``run`` does."""

from vertex_jobs.cli.endpoint_access import open_endpoint, resume_interrupted
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.terminal import say, say_prose
from vertex_jobs.cli.verb import Verb


def watch(options: JobOptions) -> int:
    """Follow an existing job to its end."""
    from vertex_jobs.cli.live_jobs import follow

    with open_endpoint(options.where) as endpoint:
        resume_interrupted(endpoint)
        handle = endpoint.job(options.job, say_prose)
        say(f"{handle.display_name}: {handle.name}")
        return follow(options.where, endpoint, handle)


VERB = Verb(
    description="The exit code is that of the job. Ctrl-C leaves it running.",
    examples=("watch digits-search",),
    options=JobOptions,
    handler=watch,
)
