"""The verb ``show``: what would be sent.

It contacts nothing and does not import the SDK.
"""

from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import job_place
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.spec import load

if TYPE_CHECKING:
    from vertex_jobs.requests import Request
    from vertex_jobs.spec import JobSpec

__all__ = ["prepared_request", "show"]


def show(options: Options) -> int:
    """Print the body of the request."""
    request = prepared_request(options, load(options.config, options.overrides, options.overlays))
    print_structured(request.body, options.format)
    return 0


def prepared_request(options: Options, job: "JobSpec") -> "Request":
    """The request as it would be sent, with ``{submission}`` in it; contacts nothing.

    Raises:
        InvalidJobError: If an option is missing.
        PackagingError: If the script cannot be packaged.
    """
    from vertex_jobs import packaging, requests

    place = job_place(options, job)
    package = packaging.describe(job) if job.script_path is not None else None
    return requests.build(job, package, place)
