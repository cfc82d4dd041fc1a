"""``watch JOB``: an existing job, followed to its end as ``run`` does."""

from dataclasses import dataclass

from vertex_jobs.cli.places import open_endpoint, resume_interrupted
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.terminal import say
from vertex_jobs.cli.verb import Verb


@dataclass(frozen=True, kw_only=True)
class WatchOptions(JobOptions):
    """The options of ``watch``."""


def watch(options: WatchOptions) -> int:
    """Follow an existing job to its end."""
    from vertex_jobs.cli.live_jobs import follow

    with open_endpoint(options.where) as endpoint:
        resume_interrupted(endpoint)
        handle = endpoint.job(options.job)
        say(f"{handle.display_name}: {handle.name}")
        return follow(options.where, endpoint, handle)


VERB = Verb(
    description="The exit code is that of the job. Ctrl-C leaves it running.",
    examples=("watch digits-search",),
    options=WatchOptions,
    handler=watch,
)
