"""Check a config: collect its own faults and those of every rule, all at once.

For the verbs ``check`` and ``run``. It contacts nothing; the user's script runs as far as its
argument parser, in a child process.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.preflight.cost import Estimate
from vertex_jobs.preflight.rule import MACHINE_FIELDS
from vertex_jobs.preflight.rules import RULES
from vertex_jobs.preflight.subject import Subject, Where
from vertex_jobs.requests import Place
from vertex_jobs.spec import Reading

__all__ = ["Report", "check"]

#: Fields without which there is nothing to price.
_PRICED = MACHINE_FIELDS | {"timeout", "max_trial_count", "parallel_trial_count"}


@dataclass(frozen=True)
class Report:
    """The result of a check.

    Attributes:
        source: Of the config.
        faults: Errors first, each kind in the order of the rules.
        cost: None where too much of the config could not be read.
    """

    source: str
    faults: tuple[Fault, ...]
    cost: Estimate | None

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that prevent a submission."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """The faults that do not."""
        return tuple(fault for fault in self.faults if fault.severity != "error")


def check(reading: Reading, *, on: Where, place: Place, today: date) -> Report:
    """Check a config, as far as it could be read.

    Args:
        reading: The config, and the faults found while reading it.
        on: The endpoint whose rules count.
        place: Where it is submitted first; its bucket is empty if none was named.
        today: The date, for images whose support ends.
    """
    subject = Subject(
        job=reading.job,
        damaged=reading.damaged,
        on=on,
        location=place.location,
        staging_bucket=place.staging_bucket,
        catalog=catalog.load(),
        today=today,
    )
    later = _once(fault for rule in RULES for fault in rule.faults(subject))
    found = [*reading.faults, *map(reading.composition.placed, later)]
    found.sort(key=lambda fault: fault.severity != "error")
    cost = None if _PRICED & reading.damaged else subject.cost
    return Report(reading.source, tuple(found), cost)


def _once(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Yield equal faults of several pools or rules once."""
    seen: set[tuple[str, str]] = set()
    for fault in faults:
        key = (fault.path, fault.rule)
        if key not in seen:
            seen.add(key)
            yield fault
