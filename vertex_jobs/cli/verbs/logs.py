"""``logs JOB``: a job's log lines, oldest first."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option, switch
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.verb import Verb

if TYPE_CHECKING:
    from vertex_jobs.client import LogEntry


@dataclass(frozen=True, kw_only=True)
class LogsOptions(JobOptions):
    """The options of ``logs``."""

    follow: bool = switch("-f, --follow", "go on until the job has ended")
    replica: str = option(
        "--replica R", "only this one's lines, e.g. workerpool0-0 (default: all)", default=""
    )
    format: Literal["text", "json"] = option("--format FORM", default="text")


def logs(options: LogsOptions) -> int:
    """Print a job's log lines."""
    from vertex_jobs.cli.details import line_format, trial_of_job

    with open_endpoint(options.where) as endpoint:
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


VERB = Verb(
    description="Of a study: the lines of all trials. JSON gives one object per line.",
    examples=("logs digits-search", "logs digits-search -f", "logs 123 --replica workerpool0-0"),
    options=LogsOptions,
    handler=logs,
)


def _fields(entry: "LogEntry", trial: str | None) -> dict[str, str | None]:
    return {
        "time": entry.time,
        "severity": entry.severity,
        "trial": trial,
        "replica": entry.replica,
        "text": entry.text,
    }
