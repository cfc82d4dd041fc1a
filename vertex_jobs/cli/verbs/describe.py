"""``describe JOB``: a job's resource as the API gives it, and how the job stands."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.details import replica_count, replicas
from vertex_jobs.cli.edge import Edge
from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.tables import print_structured, table
from vertex_jobs.cli.terminal import console, say, say_prose, warn
from vertex_jobs.cli.verb import Verb
from vertex_jobs.cli.words import ago, duration, outcome, parameters, seconds_between
from vertex_jobs.errors import EndpointError
from vertex_jobs.job_kinds import short_state
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle, Snapshot

#: Each costs a read of the log, of which Cloud Logging allows 60 a minute.
_MOST_REPLICAS = 16


@dataclass(frozen=True, kw_only=True)
class DescribeOptions(JobOptions):
    """The options of ``describe``."""

    format: Literal["json", "yaml"] = option("--format FORM", default="json")


def describe(options: DescribeOptions) -> int:
    """Print a job's resource, then how it stands; a failed job's cause comes first."""
    from vertex_jobs.cli.footers import say_next

    with open_endpoint(options.where) as endpoint:
        handle = endpoint.job(options.job, say_prose)
        snapshot = handle.last_seen
        print_structured(dict(snapshot.resource), options.format)
        say()
        if snapshot.done and not snapshot.succeeded:
            _say_failure(handle)
        last_lines = _last_lines(handle)
    for line in _summary(snapshot, datetime.now(timezone.utc)):
        say(line)
    if last_lines:
        columns = ("replica", "role", "machine", "last line")
        console(sys.stderr).print(table(columns, replica_rows(snapshot, last_lines)))
    say()
    say_next(options.where, snapshot, handle.console_link)
    return 0


VERB = Verb(
    description="The resource goes to stdout. State, replicas, trials, the best so far, time and "
    "estimated cost go to stderr, after the cause if the job has failed.",
    examples=("describe 1234567890", "describe digits-search --format yaml"),
    options=DescribeOptions,
    handler=describe,
)


def _last_lines(handle: "JobHandle") -> dict[str, str]:
    """Return the last line of each replica, of a job that has several and not too many."""
    snapshot = handle.last_seen
    if snapshot.is_study or not 1 < replica_count(snapshot) <= _MOST_REPLICAS:
        return {}
    try:
        return {
            replica_id: next((line.text for line in handle.logs(replica=replica_id, tail=1)), "")
            for replica_id, _, _ in replicas(snapshot)
        }
    except EndpointError as error:
        warn(f"the replicas' logs cannot be read: {error}")
        return {}


def replica_rows(snapshot: "Snapshot", last_lines: Mapping[str, str]) -> list[list[str]]:
    """Return a row for each replica: its id, role, machine and last line."""
    return [[*one, last_lines.get(one[0], "")] for one in replicas(snapshot)]


def _say_failure(handle: "JobHandle") -> None:
    """Say why it failed; the exit code stays, since the question was answered."""
    with Edge():
        error = handle.exception()
        if error is not None:
            raise error


def _summary(snapshot: "Snapshot", now: datetime) -> Iterator[str]:
    from vertex_jobs.cli.details import cost_so_far

    state = short_state(snapshot.state).lower()
    ran = seconds_between(snapshot.start_time, snapshot.end_time, now)
    ran_for = f", ran for {duration(ran)}" if snapshot.start_time else ""
    yield f"{snapshot.display_name}: {state}{ran_for}, created {ago(snapshot.create_time, now)}"
    number = count(replica_count(snapshot), "replica")
    yield f"{number} in each trial" if snapshot.is_study else number
    if snapshot.is_study:
        yield from _study_lines(snapshot)
    cost = cost_so_far(snapshot, now)
    if cost:
        yield f"estimated cost {'' if snapshot.done else 'so far '}on Vertex AI: {cost}"


def _study_lines(snapshot: "Snapshot") -> Iterator[str]:
    trials = snapshot.study.trials
    finished = sum(trial.finished for trial in trials)
    total = snapshot.resource.get("maxTrialCount", "?")
    yield f"{finished} of {total} trials, {len(trials) - finished} running"
    best = snapshot.best_so_far
    if best is not None:
        value = outcome(best, snapshot.study.objectives)
        word = "best" if snapshot.done else "best so far"
        yield f"{word}: trial {best.id}, {value} ({parameters(best)})"
