"""The verb ``logs``, and how one log line is shown."""

import json
from collections.abc import Callable, Mapping

from vertex_jobs.cli.details import replica_count, trial_of_job
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.client import LogEntry, Snapshot

__all__ = ["line_format", "print_logs"]


def print_logs(options: Options) -> int:
    """Print a job's log lines."""
    with open_endpoint(options) as endpoint:
        handle = endpoint.job(options.job)
        as_line = line_format(lambda: handle.last_seen)
        entry = None
        for entry in handle.logs(options.follow, replica=options.replica):
            if options.format == "json":
                trial = trial_of_job(handle.last_seen).get(entry.job_id)
                print_result(json.dumps(_fields(entry, trial), ensure_ascii=False))
            else:
                print_result(as_line(entry))
    if entry is None:
        say("no lines" + (f" of {options.replica}" if options.replica else ""))
    return 0


def line_format(job: Callable[[], Snapshot]) -> Callable[[LogEntry], str]:
    """How a job's lines are shown: with their trial and replica where there are several.

    Args:
        job: The job as it was last seen; new trials appear in it.
    """
    trials: Mapping[str, str] = {}

    def as_line(entry: LogEntry) -> str:
        nonlocal trials
        snapshot = job()
        if entry.job_id not in trials:
            trials = trial_of_job(snapshot)
        source = []
        if entry.job_id in trials:
            source.append(f"trial {trials[entry.job_id]}")
        if entry.replica == "service" or replica_count(snapshot) > 1:
            source.append(entry.replica)
        return f"{' '.join(source)} | {entry.text}" if source else entry.text

    return as_line


def _fields(entry: LogEntry, trial: str | None) -> dict[str, str | None]:
    return {
        "time": entry.time,
        "severity": entry.severity,
        "trial": trial,
        "replica": entry.replica,
        "text": entry.text,
    }
