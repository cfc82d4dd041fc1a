"""The verbs ``cancel`` and ``delete``: an existing job ended, or forgotten."""

from vertex_jobs.cli.footers import command
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.terminal import say
from vertex_jobs.job_kinds import short_state

__all__ = ["cancel", "delete"]


def cancel(options: Options) -> int:
    """Ask for a job to end."""
    with open_endpoint(options) as endpoint:
        handle = endpoint.job(options.job)
        asked = handle.cancel()
    if asked:
        say(f"cancelling {handle.name}")
        say(f"to see it end: {command(options, 'watch', handle.last_seen.job_id)}")
    else:
        state = short_state(handle.last_seen.state).lower()
        say(f"{handle.name} had ended already: {state}")
    return 0


def delete(options: Options) -> int:
    """Delete a job that has ended."""
    with open_endpoint(options) as endpoint:
        handle = endpoint.job(options.job)
        handle.delete()
    say(f"deleted {handle.name}; what it wrote to Cloud Storage is still there")
    return 0
