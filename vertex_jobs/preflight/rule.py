"""A rule: a small function with a name, a source and a severity.

For the modules in ``rules``. A rule yields faults; its table entry says how grave they are, and
whether they count on Vertex AI and on Local Vertex.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import machines

__all__ = ["MACHINE_FIELDS", "Finder", "Rule", "Severity", "rule"]

Severity = Literal["error", "warning"]
Finder = Callable[[Subject], Iterable[Fault]]

#: Fields that say which machines a job takes.
MACHINE_FIELDS = frozenset(
    {*machines.MACHINE_FIELDS, "worker_pools", "replica_count", "scheduling_strategy", "fallback"}
)


@dataclass(frozen=True)
class Rule:
    """One thing that is checked.

    Attributes:
        name: In small letters with hyphens.
        severity: On Vertex AI.
        what: The rule as a sentence.
        source: Where it is from.
        needs: Fields without which it cannot be asked.
        cloud_only: Whether Local Vertex does not mind: there an error becomes a warning, and a
            warning is not given.
        local_only: Whether Vertex AI does not mind: there it is not asked.
        find: Yields the faults.
    """

    name: str
    severity: Severity
    what: str
    source: str
    needs: frozenset[str]
    cloud_only: bool
    local_only: bool
    find: Finder

    def faults(self, subject: Subject) -> Iterator[Fault]:
        """Yield what it finds, with the severity that counts where the job is to run."""
        severity: str = self.severity
        if subject.on == "local" and self.cloud_only:
            if severity == "warning":
                return
            severity = "warning"
        if (self.local_only and subject.on != "local") or self.needs & subject.damaged:
            return
        for fault in self.find(subject):
            yield dataclasses.replace(fault, severity=severity)


def rule(
    severity: Severity,
    *,
    source: str,
    needs: Iterable[str] = (),
    cloud_only: bool = False,
    local_only: bool = False,
) -> Callable[[Finder], Rule]:
    """Return a decorator that makes a rule of a function, its name and its docstring."""

    def make(find: Finder) -> Rule:
        name = find.__name__.strip("_").replace("_", "-")
        what = (find.__doc__ or "").strip()
        return Rule(name, severity, what, source, frozenset(needs), cloud_only, local_only, find)

    return make
