"""``list``: jobs as the endpoints have them now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint, say_settled
from vertex_jobs.cli.options import option, option_error, switch
from vertex_jobs.cli.shared_options import EndpointOptions
from vertex_jobs.cli.tables import print_structured, table
from vertex_jobs.cli.terminal import print_result, say, say_prose, warn
from vertex_jobs.cli.verb import Verb
from vertex_jobs.cli.words import ago, duration, seconds_between
from vertex_jobs.errors import VertexJobsError
from vertex_jobs.job_kinds import short_state

if TYPE_CHECKING:
    from vertex_jobs.client import Snapshot
    from vertex_jobs.endpoints import Endpoint

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
    everywhere: bool = switch(
        "--everywhere",
        "on both endpoints, in every project and location: all of Local Vertex, and of Vertex AI "
        "those to which this machine has submitted",
    )
    format: Literal["table", "json", "yaml", "csv"] = option("--format FORM", default="table")
    where: EndpointOptions


@dataclass(frozen=True)
class _Found:
    """A job, and where it was found: the endpoint's option, and its project by the given name."""

    on: str
    project: str
    location: str
    snapshot: "Snapshot"


def list_jobs(options: ListOptions) -> int:
    """Print every job, newest first.

    Raises:
        InvalidJobError: If there is no such region.
    """
    _refuse_unknown_region(options.where.location)
    with open_endpoint(options.where) as endpoint:
        say_settled(endpoint)
        parents = endpoint.job_parents()
        found = list(_jobs(endpoint, options.where, parents, options))
    if options.everywhere and options.where.on == "local":
        found += _on_vertex(options)
    found.sort(key=lambda one: one.snapshot.create_time or "", reverse=True)
    if options.format != "table":
        snapshots = [one.snapshot for one in found]
        resources = [dict(snapshot.resource) for snapshot in snapshots]
        print_structured(resources, options.format, _COLUMNS, map(_row, snapshots))
    elif found:
        _print_table(found)
    else:
        _say_none(options, endpoint.place.project, parents)
    return 0


VERB = Verb(
    description="Those of the project, in every location that is known to hold some: of Vertex AI "
    "the own one and those to which this machine has submitted. JSON and YAML give the API's "
    "resources. Earlier submissions that got no answer are looked up first, and what became of "
    "each is said.",
    examples=(
        "list",
        "list --everywhere",
        "list --format json",
        "list --filter 'state=\"JOB_STATE_RUNNING\"'",
        "list --filter labels.team=digits --on vertex",
    ),
    options=ListOptions,
    handler=list_jobs,
)


def _jobs(
    endpoint: "Endpoint", where: EndpointOptions, parents: Sequence[str], options: ListOptions
) -> Iterator[_Found]:
    """Yield the jobs of those parents that are asked for."""
    own = endpoint.place
    for parent in parents:
        _, project, _, location = parent.split("/")
        is_own = options.everywhere or project == own.project
        if is_own and (where.location is None or location == own.location):
            for handle in endpoint.jobs(options.filter_text, [parent]):
                yield _Found(where.on, project, location, handle.last_seen)


def _on_vertex(options: ListOptions) -> list[_Found]:
    """Return the jobs of Vertex AI, if this machine has submitted any and may ask."""
    where = replace(options.where, on="vertex")
    try:
        with open_endpoint(where) as endpoint:
            return list(_jobs(endpoint, where, endpoint.job_parents(), options))
    except VertexJobsError as error:
        warn(f"the jobs of Vertex AI cannot be listed: {error}")
        return []


def _refuse_unknown_region(location: str | None) -> None:
    from vertex_jobs import catalog
    from vertex_jobs.spec.spelling import suggestion

    known = catalog.load().regions
    if location is not None and location not in known:
        rule = "is no region of Vertex AI"
        raise option_error("--location", location, rule, suggestion(location, known, "see: doctor"))


def _say_none(options: ListOptions, project: str, parents: Sequence[str]) -> None:
    if options.filter_text:
        say("no jobs that the filter accepts")
        return
    say(f"no jobs in project {project}")
    others = {parent.split("/")[1] for parent in parents} - {project}
    if others:
        names = ", ".join(sorted(others))
        say_prose(f"there are jobs in {names}: list --project NAME, or list --everywhere")


def _print_table(found: Sequence[_Found]) -> None:
    """Print one row for each job; where it is only if they are in several places."""
    now = datetime.now(timezone.utc)
    columns = ["id", "display name", "kind", "state", "created", ">ran", ">trials"]
    rows = [_cells(one.snapshot, now) for one in found]
    for name in ("on", "project", "location"):
        values = [getattr(one, name) for one in found]
        if len(set(values)) > 1:
            columns.append(name)
            rows = [[*row, value] for row, value in zip(rows, values, strict=True)]
    print_result(table(columns, rows))


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
