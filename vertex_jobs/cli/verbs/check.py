"""``check CONFIG``: every mistake that can be known before a job is paid for, and the cost."""

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.options import option, switch
from vertex_jobs.cli.shared_options import CloudPlaceOptions, ConfigOptions
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_prose, say
from vertex_jobs.cli.verb import Verb

if TYPE_CHECKING:
    from vertex_jobs.errors import Fault
    from vertex_jobs.preflight.cost import CostRange, Estimate
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
    from vertex_jobs.errors import InvalidJobError
    from vertex_jobs.jobs import examine
    from vertex_jobs.preflight import Report

    config = options.config
    try:
        reading = examine(config.path, config.overrides, config.overlays)
    except InvalidJobError as error:  # nothing of it can be read
        report = Report(error.source, tuple(error.faults), None)
    else:
        report = report_on(options.where, reading)
        if options.dry_trial and not report.errors:
            report = dataclasses.replace(report, faults=(*_dry_trial(reading.job), *report.faults))
    if options.format == "table":
        print_prose(str(report))
    else:
        cost = None if report.cost is None else _amounts(report.cost)
        faults = [_row(fault) for fault in report.faults]
        print_structured({"faults": faults, "cost": cost}, options.format)
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
    """Return a fault for programs; ``file`` and ``line`` are None where nothing says them."""
    file, _, line = fault.place.rpartition(":")
    return {
        "rule_id": fault.rule_id,
        "severity": fault.severity,
        "path": fault.path,
        "value": _plain(fault.value),
        "rule": fault.rule,
        "remedy": fault.remedy,
        "file": file if line.isdigit() else None,
        "line": int(line) if line.isdigit() else None,
    }


def _plain(value: object) -> object:
    """Return what JSON can say of a value."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def _amounts(cost: "Estimate") -> dict[str, object]:
    """Return a cost for programs, in US dollars: list prices, without tax."""
    return {
        "currency": "USD",
        "hour": _range(cost.hourly),
        "trial": _range(cost.trial),
        "worst_case": _range(cost.worst_case),
        "trial_count": cost.trial_count,
        "parallel_trial_count": cost.parallel_trial_count,
        "timeout_hours": cost.timeout_hours,
        "longest_hours": cost.longest_hours,
    }


def _range(amount: "CostRange") -> dict[str, object]:
    return {"low": amount.low, "high": amount.high, "price_unknown": list(amount.unknown)}
