"""``cancel JOB``: ask for a job to end."""

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.terminal import say, say_prose
from vertex_jobs.cli.verb import Verb
from vertex_jobs.job_kinds import short_state


def cancel(options: JobOptions) -> int:
    """Ask for a job to end."""
    from vertex_jobs.cli.footers import command

    with open_endpoint(options.where) as endpoint:
        handle = endpoint.job(options.job, say_prose)
        asked = handle.cancel()
    if asked:
        say(f"cancelling {handle.name}")
        say(f"to see it end: {command(options.where, 'watch', handle.last_seen.job_id)}")
    else:
        state = short_state(handle.last_seen.state).lower()
        say(f"{handle.name} had ended already: {state}")
    return 0


VERB = Verb(
    description="Returns at once; 'watch' waits for the end.",
    examples=("cancel digits-search",),
    options=JobOptions,
    handler=cancel,
)
