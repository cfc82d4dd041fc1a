"""A config checked for the endpoint and the place of a command.

For the verb `check`, and for whoever submits.
"""

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from vertex_jobs import preflight
from vertex_jobs.cli.places import place_faults
from vertex_jobs.cli.shared_options import PlaceOptions
from vertex_jobs.cli.terminal import warn
from vertex_jobs.cli.words import shown
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.requests import LOCAL_PLACE, Place, place_of

if TYPE_CHECKING:
    from vertex_jobs.preflight import Report
    from vertex_jobs.spec import JobSpec, Reading

__all__ = ["checked_job", "report_on"]


def checked_job(where: PlaceOptions, reading: "Reading") -> "JobSpec":
    """Return the job of a config if nothing is wrong with it; print its warnings.

    Raises:
        InvalidJobError: With every error; nothing was submitted.
    """
    report = report_on(where, reading)
    missing = place_faults(where, reading.job)
    for fault in report.warnings:
        if any(fault.path == one.path for one in missing):
            continue  # it is an error below
        warn(f"{shown(fault)}: {fault.rule}; {fault.remedy}")
    if report.errors or missing:
        raise InvalidJobError([*report.errors, *missing], report.source)
    return reading.job


def report_on(where: PlaceOptions, reading: "Reading") -> "Report":
    """Check a config for the endpoint and the place of a command."""
    place = Place(where.project or "", where.location or LOCAL_PLACE.location, "")
    return preflight.check(
        reading,
        on=where.on,
        place=place_of(reading.job, place, where.staging_bucket),
        today=datetime.now(timezone.utc).date(),
    )
