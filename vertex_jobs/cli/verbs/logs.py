"""``logs JOB``: a job's log lines, oldest first."""

import gc
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option, switch
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.terminal import flush_results, print_result, say, say_prose
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
    trial: str = option("--trial N", "only this trial's lines (default: all)", default="")
    tail: int | None = option("--tail N", "only the last N lines, read from the end of the log")
    format: Literal["text", "json"] = option("--format FORM", default="text")


def logs(options: LogsOptions) -> int:
    """Print a job's log lines.

    Raises:
        UsageError: If options do not go together.
    """
    from vertex_jobs.cli.details import line_format, trial_of_job

    tail = options.tail
    if tail is not None and (options.follow or tail < 1):
        raise UsageError("--tail N takes a whole number from 1 on, and does not go with --follow")
    with open_endpoint(options.where) as endpoint:
        handle = endpoint.job(options.job, say_prose)
        as_line = line_format(lambda: handle.last_seen)
        gc.freeze()  # each page makes thousands of objects, and Python would search all modules
        entry = None
        lines = handle.logs(options.follow, replica=options.replica, trial=options.trial, tail=tail)
        for entry in lines:
            # A line that is awaited is shown at once; a long log is written in blocks.
            if options.format == "json":
                trial = entry.trial or trial_of_job(handle.last_seen).get(entry.job_id)
                text = json.dumps(_fields(entry, trial), ensure_ascii=False)
            else:
                text = as_line(entry)
            print_result(text, flush=options.follow)
        flush_results()
    if entry is None:
        named = [f"trial {options.trial}"] if options.trial else []
        named += [options.replica] if options.replica else []
        say("no lines" + (f" of {', '.join(named)}" if named else ""))
    return 0


VERB = Verb(
    description="Of a study: the lines of all trials. JSON gives one object per line.",
    examples=(
        "logs digits-search",
        "logs digits-search -f",
        "logs digits-search --trial 3 --tail 100",
        "logs 123 --replica workerpool0-0",
    ),
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
