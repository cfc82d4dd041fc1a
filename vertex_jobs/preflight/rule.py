"""A rule: a small function with a name, a source and a severity.

A rule yields faults; how severe they are, and whether they count on Vertex AI and on Local Vertex,
is the rule's and not the fault's.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import machine_fields
from vertex_jobs.spec.inspection import rule_id

Severity = Literal["error", "warning"]
Finder = Callable[[Subject], Iterable[Fault]]

#: Fields that say which machines a job takes.
MACHINE_FIELDS = frozenset(
    {
        *machine_fields.MACHINE_FIELDS,
        "worker_pools",
        "replica_count",
        "scheduling_strategy",
        "fallback",
    }
)


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: In small letters with hyphens.
        severity: On Vertex AI.
        source: The document, or what else it rests on.
        needs: Fields without which it cannot be checked.
        cloud_only: Whether it does not matter to Local Vertex: there an error becomes a warning,
            and a warning is not given.
        local_only: Whether it does not matter to Vertex AI: there it is not checked.
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
        """Yield the faults, with the severity that holds where the job will run."""
        severity: str = self.severity
        if subject.on == "local" and self.cloud_only:
            if severity == "warning":
                return
            severity = "warning"
        if (self.local_only and subject.on != "local") or self.needs & subject.damaged:
            return
        for fault in self.find(subject):
            yield dataclasses.replace(fault, severity=severity, rule_id=self.name)


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
        what = (find.__doc__ or "").strip()
        return Rule(
            rule_id(find), severity, what, source, frozenset(needs), cloud_only, local_only, find
        )

    return make
