"""The verb ``check``, and the same check before ``run``."""

import dataclasses
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from vertex_jobs.cli.costs import price_lines, total_lines
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import place_faults
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_prose, say, warn
from vertex_jobs.cli.words import count
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.requests.places import LOCAL_LOCATION
from vertex_jobs.spec import examine

if TYPE_CHECKING:
    from vertex_jobs.errors import Fault
    from vertex_jobs.preflight import Report
    from vertex_jobs.spec import JobSpec, Reading

__all__ = ["check", "checked_job", "report_on", "shown"]

#: A longer value says no more.
_VALUE_CHARACTERS = 60


def check(options: Options) -> int:
    """Print every mistake and the cost; 2 if there is an error."""
    reading = examine(options.config, options.overrides, options.overlays)
    report = report_on(options, reading)
    if options.dry_trial and not report.errors:
        report = dataclasses.replace(report, faults=(*_dry_trial(reading.job), *report.faults))
    if options.format == "table":
        print_prose("\n".join(_lines(report)))
    else:
        print_structured([_row(fault) for fault in report.faults], options.format)
    return 2 if report.errors else 0


def checked_job(options: Options, reading: "Reading") -> "JobSpec":
    """The job of a config, if nothing is wrong with it; warnings are told.

    Raises:
        InvalidJobError: With every error; nothing was submitted.
    """
    report = report_on(options, reading)
    missing = place_faults(options, reading.job)
    for fault in report.warnings:
        if any(fault.path == one.path for one in missing):
            continue  # told as an error
        warn(f"{shown(fault)}: {fault.rule}; {fault.remedy}")
    if report.errors or missing:
        raise InvalidJobError([*report.errors, *missing], report.source)
    return reading.job


def report_on(options: Options, reading: "Reading") -> "Report":
    """The check of a config for the endpoint and the place of this command."""
    from vertex_jobs import preflight
    from vertex_jobs.requests import Place, place_of

    place = Place(options.project or "", options.location or LOCAL_LOCATION, "")
    return preflight.check(
        reading,
        on="vertex" if options.on == "vertex" else "local",
        place=place_of(reading.job, place, options.staging_bucket),
        today=datetime.now(timezone.utc).date(),
    )


def _dry_trial(job: "JobSpec") -> "tuple[Fault, ...]":
    """What one trial shows, on a Local Vertex of its own that leaves nothing behind."""
    from vertex_jobs.testing import local_vertex

    say("one trial on Local Vertex, until every metric has been reported")
    with local_vertex() as endpoint:
        return endpoint.dry_trial(job)


def shown(fault: "Fault") -> str:
    """Path and value: ``timeout = 5``."""
    if fault.value is None:
        return fault.path
    text = repr(fault.value)
    if len(text) > _VALUE_CHARACTERS:
        text = f"{text[: _VALUE_CHARACTERS - 3]}..."
    return f"{fault.path} = {text}"


def _lines(report: "Report") -> list[str]:
    """Every fault on two lines, then the cost."""
    errors, warnings = len(report.errors), len(report.warnings)
    found = [count(errors, "error")] if errors else []
    found += [count(warnings, "warning")] if warnings else []
    lines = [f"{report.source}: {', '.join(found) or 'no mistake found'}"]
    for fault in report.faults:
        place = f"  ({fault.place})" if fault.place else ""
        lines += [f"  {fault.severity:<8} {shown(fault)}{place}"]
        lines += [f"           {fault.rule}; {fault.remedy}"]
    if report.cost is not None:
        lines += ["", "cost, in list prices without tax:"]
        lines += [f"  {line}" for line in total_lines(report.cost)]
        lines += ["made of:"]
        lines += [f"  {line}" for line in price_lines(report.cost)]
    return lines


def _row(fault: "Fault") -> dict[str, object]:
    row = dataclasses.asdict(fault)
    del row["place"]  # of the table, for a person; the published form has five keys
    if not isinstance(row["value"], (str, int, float, bool, list, dict, type(None))):
        row["value"] = str(row["value"])
    return row
