"""``list``: jobs as the endpoint has them now."""

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint, say_settled
from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import EndpointOptions
from vertex_jobs.cli.tables import print_structured, table
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.verb import Verb
from vertex_jobs.cli.words import ago, duration, seconds_between
from vertex_jobs.job_kinds import short_state

if TYPE_CHECKING:
    from vertex_jobs.client import Snapshot

_COLUMNS = ("id", "display_name", "kind", "state", "create_time", "start_time", "end_time", "name")


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """The options of ``list``."""

    filter_text: str = option(
        "--filter TEXT",
        'in the API\'s language, e.g. \'display_name="x" AND state="JOB_STATE_FAILED"\' '
        "(default: every job)",
        default="",
    )
    format: Literal["table", "json", "yaml", "csv"] = option("--format FORM", default="table")
    where: EndpointOptions


def list_jobs(options: ListOptions) -> int:
    """Print every job, newest first."""
    with open_endpoint(options.where) as endpoint:
        say_settled(endpoint)
        found = [handle.last_seen for handle in endpoint.jobs(options.filter_text)]
    if options.format != "table":
        resources = [dict(snapshot.resource) for snapshot in found]
        print_structured(resources, options.format, _COLUMNS, map(_row, found))
    elif found:
        now = datetime.now(timezone.utc)
        columns = ("id", "display name", "kind", "state", "created", ">ran", ">trials")
        print_result(table(columns, [_cells(snapshot, now) for snapshot in found]))
    else:
        say("no jobs" + (" that the filter accepts" if options.filter_text else ""))
    return 0


VERB = Verb(
    description="JSON and YAML give the API's resources. Earlier submissions that got no answer "
    "are looked up first, and what became of each is said.",
    examples=(
        "list",
        "list --format json",
        "list --filter 'state=\"JOB_STATE_RUNNING\"'",
        "list --filter labels.team=digits --on vertex",
    ),
    options=ListOptions,
    handler=list_jobs,
)


def _row(snapshot: "Snapshot") -> list[object]:
    times = (snapshot.create_time, snapshot.start_time, snapshot.end_time)
    named = (snapshot.job_id, snapshot.display_name, snapshot.kind.name, snapshot.state)
    return [*named, *times, snapshot.name]


def _cells(snapshot: "Snapshot", now: datetime) -> list[str]:
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
