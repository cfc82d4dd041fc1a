"""``delete JOB``: delete a job that has ended."""

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.terminal import say, say_prose
from vertex_jobs.cli.verb import Verb


def delete(options: JobOptions) -> int:
    """Delete a job that has ended."""
    with open_endpoint(options.where) as endpoint:
        handle = endpoint.job(options.job, say_prose)
        handle.delete()
    say(f"deleted {handle.name}; what it wrote to Cloud Storage is still there")
    return 0


VERB = Verb(
    examples=("delete 1234567890",),
    options=JobOptions,
    handler=delete,
)
