"""Check a job: collect its own faults and those of every rule, all at once."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timezone

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.preflight.check_report import Report
from vertex_jobs.preflight.machine_choices import explain_choices
from vertex_jobs.preflight.rule import MACHINE_FIELDS
from vertex_jobs.preflight.rules import RULES
from vertex_jobs.preflight.subject import Subject, Where
from vertex_jobs.requests import Place
from vertex_jobs.spec import Reading

#: Fields without which there is nothing to price.
_PRICED = MACHINE_FIELDS | {"timeout", "max_trial_count", "parallel_trial_count"}


def check(reading: Reading, *, on: Where, place: Place, today: date | None = None) -> Report:
    """Check a config or a job, as far as it could be read.

    ``place`` is where it is submitted first; its bucket is empty if none was named. ``today``, by
    default the day in UTC, is for images whose support ends.
    """
    subject = Subject(
        job=reading.job,
        damaged=reading.damaged,
        on=on,
        location=place.location,
        staging_bucket=place.staging_bucket,
        catalog=catalog.load(),
        today=today or datetime.now(timezone.utc).date(),
    )
    later = _once(fault for rule in RULES for fault in rule.faults(subject))
    found = [*reading.faults, *map(reading.composition.placed, later)]
    found.sort(key=lambda fault: fault.severity != "error")
    cost = None if _PRICED & reading.damaged else subject.cost
    sizes = MACHINE_FIELDS | {"cpus", "memory_gb"}
    readable = not sizes & reading.damaged
    choices = tuple(explain_choices(reading.job, subject.catalog)) if readable else ()
    return Report(reading.source, tuple(found), cost, choices)


def bucket_fault(remedy: str) -> Fault:
    """Return the fault of a submission to Vertex AI without a staging bucket."""
    rule = "is required on Vertex AI, which reads the package from Cloud Storage"
    return Fault("staging_bucket", None, rule, remedy)


def _once(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Yield equal faults of several pools or rules once."""
    seen: set[tuple[str, str]] = set()
    for fault in faults:
        key = (fault.path, fault.rule)
        if key not in seen:
            seen.add(key)
            yield fault
