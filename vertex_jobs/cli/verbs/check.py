"""``check CONFIG``: every mistake that can be known before a job is paid for, and the cost."""

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.options import option, switch
from vertex_jobs.cli.shared_options import CloudPlaceOptions, ConfigOptions
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_prose, say
from vertex_jobs.cli.verb import Verb

if TYPE_CHECKING:
    from vertex_jobs.errors import Fault
    from vertex_jobs.spec import JobSpec


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The options of ``check``."""

    config: ConfigOptions
    dry_trial: bool = switch(
        "--dry-trial",
        "run one trial of a study on this machine, until it has reported every metric",
    )
    format: Literal["table", "json", "yaml"] = option("--format FORM", default="table")
    where: CloudPlaceOptions


def check(options: CheckOptions) -> int:
    """Print every mistake and the cost; return 2 if there is an error."""
    from vertex_jobs.cli.checks import report_on
    from vertex_jobs.jobs import examine

    config = options.config
    reading = examine(config.path, config.overrides, config.overlays)
    report = report_on(options.where, reading)
    if options.dry_trial and not report.errors:
        report = dataclasses.replace(report, faults=(*_dry_trial(reading.job), *report.faults))
    if options.format == "table":
        print_prose(str(report))
    else:
        print_structured([_row(fault) for fault in report.faults], options.format)
    return 2 if report.errors else 0


VERB = Verb(
    description="Config, machines, image, limits, the flags that the script really takes, and the "
    "worst case of the cost, all at once. Nothing is contacted. Unlike the other verbs it asks "
    "for Vertex AI by default; --on local: for a run on this machine. Exit code 2 with an error, "
    "0 with warnings alone.",
    examples=(
        "check configs/digits_search.yaml",
        "check configs/digits_search.yaml --set machine_type=n1-standard-8",
        "check configs/digits_search.yaml --on local --format json",
    ),
    options=CheckOptions,
    handler=check,
)


def _dry_trial(job: "JobSpec") -> "tuple[Fault, ...]":
    """Run one trial on a Local Vertex of its own that leaves nothing behind."""
    from vertex_jobs.testing import local_vertex

    say("one trial on Local Vertex, until every metric has been reported")
    with local_vertex() as endpoint:
        return endpoint.dry_trial(job)


def _row(fault: "Fault") -> dict[str, object]:
    row = dataclasses.asdict(fault)
    del row["place"]  # for a person, in the table; the published form does not have it
    if not isinstance(row["value"], (str, int, float, bool, list, dict, type(None))):
        row["value"] = str(row["value"])
    return row
