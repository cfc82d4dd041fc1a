"""``run --debug``: one replica or trial in the foreground, with the terminal and a debugger.

No job is made of it. The replica sees what the chief of the job, or of the study's first trial,
would see, and ``gs://`` is Local Vertex's.
"""

import os
import secrets
import shlex
import signal
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import refuse
from vertex_jobs.cli.shared_options import EndpointOptions, SubmissionOptions
from vertex_jobs.cli.terminal import print_result, say, warn
from vertex_jobs.errors import PackagingError

if TYPE_CHECKING:
    from vertex_jobs.emulator.replicas.foreground import Foreground
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.spec import JobSpec


def debug_job(how: SubmissionOptions, where: EndpointOptions, job: "JobSpec") -> int:
    """Run the job's first replica here and now; return 1 if it failed.

    Raises:
        InvalidJobError: If an option needs a job.
        PackagingError: If the job has no code of its own.
    """
    _check(how, job)
    with (
        tempfile.TemporaryDirectory(prefix="vertex-jobs-debug-") as scratch,
        open_endpoint(where) as endpoint,
        _prepared(endpoint, job, Path(scratch)) as replica,
    ):
        _say_start(job, replica)
        code = _run(replica.command, replica.environment)
        say(f"the program ended with exit code {code}")
        if replica.metric_file is not None:
            _say_reports(job, replica.metric_file)
        print_result(f"outputs: {replica.output_directory}")
    return min(code, 1)


def _check(how: SubmissionOptions, job: "JobSpec") -> None:
    given = {
        "--detach": how.detach,
        "--once": how.once,
        "--drill": how.local.drill is not None,
        "--dry-run": how.dry_run,
        "--environment": how.local.environment not in (None, "current"),
    }
    rule = "does not go with --debug, which makes no job and runs the code in this environment"
    refuse(given, rule)
    if job.script_path is None:
        raise PackagingError(
            "--debug runs a job's script, and this job's program is in its container; "
            "debug it there"
        )


def _prepared(
    endpoint: "Endpoint", job: "JobSpec", scratch: Path
) -> AbstractContextManager["Foreground"]:
    from vertex_jobs import packaging, requests
    from vertex_jobs.emulator.replicas.foreground import foreground

    endpoint.hold()
    package = packaging.describe(job)
    request = requests.build(job, package, endpoint.place_of(job))
    request = request.with_submission(f"debug-{secrets.token_hex(4)}")
    archives = packaging.write(package, scratch / "dist")
    folders = packaging.unpack(archives[::-1], scratch / "packages")
    return foreground(endpoint.server, request, job.local, folders, scratch)


def _say_start(job: "JobSpec", replica: "Foreground") -> None:
    count = sum(pool.replica_count for pool in job.worker_pools_resolved())
    what = "its only replica" if count == 1 else f"the chief of its {count} replicas, alone"
    if replica.metric_file is not None:
        what = f"the first trial, {what}"
    say(f"debugging {job.display_name}: {what}")
    say(f"  {shlex.join(replica.arguments) or 'without arguments'}")
    if replica.uses_gcs_folder:
        warn("the code counts on /gcs, which --debug does not mount; use gs://, or run the job")


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a program in this terminal, with its Ctrl-C for itself; return its exit code."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pid = os.posix_spawn(command[0], list(command), environment, setsigdef=[signal.SIGINT])
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code


def _say_reports(job: "JobSpec", path: Path) -> None:
    """Print what the service would have taken as the trial's last measurement."""
    from vertex_jobs.emulator.controllers.metric_file import MetricFile

    wanted = frozenset(getattr(job, "metric_spec", ()))
    reported = MetricFile(path, wanted)
    reported.poll()
    for text in reported.warnings:
        warn(text)
    if not reported.reports():
        warn(f"it reported nothing, and the study needs {', '.join(sorted(wanted))}")
        return
    last = reported.reports()[-1]
    values = ", ".join(f"{name} {value:.6g}" for name, value in last.metrics.items())
    say(f"it reported {values} at step {last.step}")
