"""The verbs ``show`` and ``package``: what would be sent, and what would be run.

Neither contacts anything, and neither imports the SDK.
"""

from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import job_place
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.words import count
from vertex_jobs.errors import PackagingError
from vertex_jobs.spec import load

if TYPE_CHECKING:
    from vertex_jobs.requests import Request
    from vertex_jobs.spec import JobSpec

__all__ = ["prepared_request", "show", "write_package"]

#: Enough for a traceback's end.
_LAST_LINES = 12


def show(options: Options) -> int:
    """Print the body of the request."""
    request = prepared_request(options, load(options.config, options.overrides))
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


def write_package(options: Options) -> int:
    """Write the package, prove it and print its path.

    Raises:
        PackagingError: If there is no package, or the proof fails.
    """
    from vertex_jobs import packaging

    job = load(options.config, options.overrides)
    described = packaging.describe(job)
    try:
        path = packaging.package(job, options.output)
    except OSError as error:
        raise PackagingError(
            f"{options.output}: the package cannot be written ({error}); "
            "name another folder with --output"
        ) from error
    size = sum(len(file.content) for file in described.files)
    say(f"{count(len(described.files), 'file')}, {size / 1024:.1f} kB; runs as")
    say(f"  python -m {described.module_name}")
    say("proving it: python -m … --help in an empty folder")
    proof = packaging.verify(path)
    if not proof.passed:
        ended = "did not end" if proof.exit_code is None else f"ended with {proof.exit_code}"
        last = "\n".join(f"  | {line}" for line in proof.output.splitlines()[-_LAST_LINES:])
        raise PackagingError(
            f"{path} is written, but its module {ended} when asked for --help, unpacked into an "
            f"empty folder; its last lines:\n{last}"
        )
    say("it works")
    print_result(str(path))
    return 0
