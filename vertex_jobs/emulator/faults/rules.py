"""The rules of when a fault happens: name of a call or replica, count, seeded probability.

Pure, for the fronts, the storage service and the controllers: it decides and does nothing. The
rules of a running job and those of an admin call hold side by side.
"""

import difflib
import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Generic, TypeVar

from vertex_jobs.emulator.faults.incidents import Incident, Incidents
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec.local import CallFault, ReplicaFault

#: Collection and number.
Job = tuple[str, str]

Kind = TypeVar("Kind", CallFault, ReplicaFault)


@dataclass
class Occurrence(Generic[Kind]):
    """A fault and its occasions: those ``seen`` so far, and on how many it ``happened``."""

    fault: Kind
    seen: int = 0
    happened: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.fault.seed)

    def take(self) -> bool:
        """Count an occasion and return whether the fault happens on it."""
        self.seen += 1
        fault = self.fault
        if self.seen <= fault.skip or (fault.times is not None and self.happened >= fault.times):
            return False
        if self._random.random() >= fault.probability:
            return False
        self.happened += 1
        return True


class RuleSet:
    """The faults of one job or one admin call, and their counts."""

    def __init__(self, faults: Iterable[CallFault | ReplicaFault] = ()) -> None:
        listed = list(faults)
        self._calls = [Occurrence(one) for one in listed if isinstance(one, CallFault)]
        self._replicas = [Occurrence(one) for one in listed if isinstance(one, ReplicaFault)]

    def __bool__(self) -> bool:
        return bool(self._calls or self._replicas)

    def of_call(self, name: str) -> CallFault | None:
        """Return the first fault that matches this call and takes the occasion."""
        for occurrence in self._calls:
            if fnmatchcase(name, occurrence.fault.call) and occurrence.take():
                return occurrence.fault
        return None

    def of_replica(self, replica_id: str, trial: str = "") -> list[Occurrence[ReplicaFault]]:
        """Return the faults that may happen to this replica, each when it is triggered."""
        return [
            one
            for one in self._replicas
            if fnmatchcase(replica_id, one.fault.replica) and fnmatchcase(trial, one.fault.trial)
        ]


@dataclass
class FaultBoard:
    """All rules that hold on a server.

    Attributes:
        incidents: Where each fault that happens to a call is noted.
        standing: Rules of admin calls, which hold for every job.
    """

    incidents: Incidents = field(default_factory=Incidents)
    standing: list[RuleSet] = field(default_factory=list)
    _of_jobs: dict[Job, RuleSet] = field(default_factory=dict)

    def post(self, job: Job, rules: RuleSet) -> None:
        """Add a job's rules, unless it has some already."""
        if rules:
            self._of_jobs.setdefault(job, rules)

    def rehearses(self, job: Job) -> bool:
        """Return whether faults may happen to the replicas of that job."""
        return bool(self.standing) or job in self._of_jobs

    def remove(self, job: Job) -> None:
        """Drop the rules of a job."""
        self._of_jobs.pop(job, None)

    def of_call(self, name: str, own: RuleSet | None = None) -> CallFault | None:
        """Return the fault of this call; ``own`` are rules that came with it, which count first."""
        for rules in itertools.chain([own] if own else [], self.standing, self._of_jobs.values()):
            fault = rules.of_call(name)
            if fault is not None:
                self.incidents.note(Incident("fault", name, str(fault.fault)))
                return fault
        return None

    def of_replica(
        self, job: Job, replica_id: str, trial: str = ""
    ) -> list[Occurrence[ReplicaFault]]:
        """Return the faults that may happen to a replica of that job, or of a job it owns."""
        own = self._of_jobs.get(job)
        return [
            one
            for rules in itertools.chain([own] if own else [], self.standing)
            for one in rules.of_replica(replica_id, trial)
        ]


def check_calls(faults: Sequence[CallFault | ReplicaFault], known: Sequence[str]) -> None:
    """Refuse faults of calls that do not exist.

    Raises:
        InvalidJobError: With every such fault.
    """
    wrong = [
        Fault(f"faults.{number}.call", fault.call, "matches no call", _nearest(fault.call, known))
        for number, fault in enumerate(faults)
        if isinstance(fault, CallFault) and not any(fnmatchcase(name, fault.call) for name in known)
    ]
    if wrong:
        raise InvalidJobError(wrong, "local")


def _nearest(pattern: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(pattern, known, n=1, cutoff=0.0)
    return f"did you mean {near[0]!r}?"
