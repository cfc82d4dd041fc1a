"""A config for the endpoint and the place of a command: checked, and made into its request.

For `check` and `show`, and for whoever submits. Nothing is contacted.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from vertex_jobs import preflight, requests
from vertex_jobs.cli.shared_options import PlaceOptions
from vertex_jobs.cli.terminal import warn
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.requests import LOCAL_PLACE, Place, place_of

if TYPE_CHECKING:
    from vertex_jobs.preflight import Report
    from vertex_jobs.spec import JobSpec, Reading


def checked_job(where: PlaceOptions, reading: "Reading") -> "JobSpec":
    """Return the job of a config if nothing is wrong with it; print its warnings.

    Raises:
        InvalidJobError: With every error; nothing was submitted.
    """
    report = report_on(where, reading).with_errors(_place_faults(where, reading.job))
    for fault in report.warnings:
        warn(f"{fault.subject}: {fault.rule}; {fault.remedy}")
    report.require_ok()
    return reading.job


def report_on(where: PlaceOptions, reading: "Reading") -> "Report":
    """Check a config for the endpoint and the place of a command."""
    place = Place(where.project or "", where.location or LOCAL_PLACE.location, "")
    place = place_of(reading.job, place, where.staging_bucket)
    return preflight.check(reading, on=where.on, place=place)


def prepared_request(where: PlaceOptions, job: "JobSpec") -> requests.Request:
    """Return the request as it would be sent, with ``{submission}`` in it; contact nothing.

    Raises:
        InvalidJobError: If an option is missing.
        PackagingError: If the script cannot be packaged.
    """
    from vertex_jobs import packaging

    place = _job_place(where, job)
    package = packaging.describe(job) if job.script_path is not None else None
    return requests.build(job, package, place)


def _job_place(where: PlaceOptions, job: "JobSpec") -> Place:
    missing = _place_faults(where, job)
    if missing:
        raise InvalidJobError(missing, "command line")
    place = LOCAL_PLACE if where.on == "local" else Place("", LOCAL_PLACE.location, "")
    place = replace(
        place,
        project=where.project or place.project,
        location=where.location or place.location,
    )
    return place_of(job, place, where.staging_bucket)


def _place_faults(where: PlaceOptions, job: "JobSpec") -> list[Fault]:
    if where.on == "local":
        return []
    faults = []
    if not (where.staging_bucket or job.staging_bucket):
        faults.append(preflight.bucket_fault("add --staging-bucket gs://BUCKET"))
    if job.experiment and not where.project:
        rule = "is part of the experiment's name, and without contact nobody says it"
        faults.append(Fault("--project", None, rule, "add --project PROJECT"))
    return faults
