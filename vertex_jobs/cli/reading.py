"""The verbs ``list`` and ``describe``: jobs as the endpoint has them now."""

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from vertex_jobs.cli.edge import Edge
from vertex_jobs.cli.footers import say_next
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.summaries import summary_lines
from vertex_jobs.cli.tables import as_csv, print_structured, table
from vertex_jobs.cli.terminal import print_result, say, warn
from vertex_jobs.cli.words import ago, duration, seconds_between
from vertex_jobs.client import Snapshot
from vertex_jobs.job_kinds import short_state

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle
    from vertex_jobs.endpoints import Endpoint

__all__ = ["describe", "list_jobs", "say_settled"]

_COLUMNS = ("id", "display_name", "kind", "state", "create_time", "start_time", "end_time", "name")


def list_jobs(options: Options) -> int:
    """Print every job, newest first."""
    with open_endpoint(options) as endpoint:
        say_settled(endpoint)
        found = [handle.last_seen for handle in endpoint.jobs(options.filter_text)]
    if options.format == "csv":
        print_result(as_csv(_COLUMNS, [_row(snapshot) for snapshot in found]))
    elif options.format != "table":
        print_structured([dict(snapshot.resource) for snapshot in found], options.format)
    elif found:
        now = datetime.now(timezone.utc)
        columns = ("id", "display name", "kind", "state", "created", ">ran", ">trials")
        print_result(table(columns, [_cells(snapshot, now) for snapshot in found]))
    else:
        say("no jobs" + (" that the filter accepts" if options.filter_text else ""))
    return 0


def describe(options: Options) -> int:
    """Print a job's resource, then how it stands; a failed job's cause comes first."""
    with open_endpoint(options) as endpoint:
        handle = endpoint.job(options.job)
        snapshot = handle.last_seen
        print_structured(dict(snapshot.resource), options.format)
        say()
        if snapshot.done and not snapshot.succeeded:
            _say_failure(handle)
    for line in summary_lines(snapshot, datetime.now(timezone.utc)):
        say(line)
    say()
    say_next(options, snapshot, handle.console_link)
    return 0


def _say_failure(handle: "JobHandle") -> None:
    """Why it failed; the exit code is not touched, since the question was answered."""
    with Edge():
        error = handle.exception()
        if error is not None:
            raise error


def say_settled(endpoint: "Endpoint") -> None:
    """Look up earlier submissions that got no answer, and say what became of each."""
    for entry in endpoint.settle():
        create = entry.current
        if entry.is_open:
            why = create.detail or "its answer was lost"
            warn(
                f"it is still unknown whether {entry.display_name!r}, submission {create.nonce}, "
                f"was created ({why}); list again in some minutes"
            )
        elif create.name:
            say(f"an earlier submission of {entry.display_name!r} did arrive: {create.name}")
        else:
            say(f"an earlier submission of {entry.display_name!r} made no job: {create.detail}")


def _row(snapshot: Snapshot) -> list[object]:
    times = (snapshot.create_time, snapshot.start_time, snapshot.end_time)
    named = (snapshot.job_id, snapshot.display_name, snapshot.kind.name, snapshot.state)
    return [*named, *times, snapshot.name]


def _cells(snapshot: Snapshot, now: datetime) -> list[str]:
    trials = snapshot.trial_counts
    ran = seconds_between(snapshot.start_time, snapshot.end_time, now)
    return [
        snapshot.job_id,
        snapshot.display_name,
        snapshot.kind.word,
        short_state(snapshot.state).lower(),
        ago(snapshot.create_time, now),
        duration(ran) if snapshot.start_time else "",
        f"{sum(trials.values())}/{snapshot.resource.get('maxTrialCount', '?')}" if trials else "",
    ]
