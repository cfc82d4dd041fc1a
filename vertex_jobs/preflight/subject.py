"""The subject of the rules: one job, as far as it could be read, and where it will run.

For the rules of this package. Whatever takes time is worked out when a rule first asks for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from vertex_jobs.catalog import Catalog
from vertex_jobs.catalog.machine_rules import Broken, Violation, violations
from vertex_jobs.job_kinds import TUNING_JOB
from vertex_jobs.preflight.cost import Estimate, estimate
from vertex_jobs.spec import JobSpec, WorkerPoolSpec, attempts

if TYPE_CHECKING:
    from vertex_jobs.preflight.contract import Contract

Where = Literal["local", "vertex"]


@dataclass(frozen=True)
class Candidate:
    """One place where the job may run.

    Attributes:
        path: Where it stands in the config, e.g. ``fallback.0``; empty for the job's own.
        pools: The worker pools there, in role order.
        strategy: ``standard``, ``spot``, ``flex_start``, or None for the default.
    """

    path: str
    location: str
    pools: tuple[WorkerPoolSpec, ...]
    strategy: str | None


@dataclass(frozen=True)
class Subject:
    """A job and where it will run.

    Attributes:
        job: The job; fields that are damaged are at their default, or None if required.
        on: The endpoint whose rules count.
        location: Where it is submitted first.
        staging_bucket: ``gs://…``; empty if none was named.
        today: The date, for images whose support ends.
    """

    job: JobSpec
    damaged: frozenset[str]
    on: Where
    location: str
    staging_bucket: str
    catalog: Catalog
    today: date

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The places where the job may run, its own first."""
        return tuple(
            Candidate(
                attempt.path,
                attempt.location or self.location,
                attempt.job.worker_pools_resolved(),
                attempt.job.scheduling_strategy,
            )
            for attempt in attempts(self.job)
        )

    @property
    def pools(self) -> tuple[WorkerPoolSpec, ...]:
        """The worker pools in the job's own place."""
        return self.candidates[0].pools

    @cached_property
    def cost(self) -> Estimate:
        """The estimated cost."""
        return estimate(self.job, self.location)

    @cached_property
    def contract(self) -> "Contract | None":
        """The script's contract; None for a job without a script."""
        from vertex_jobs.preflight.contract import Contract

        unread = self.damaged & {"script_path", "python_module_name", "requirements"}
        if self.job.script_path is None or unread:
            return None
        return Contract(self.job)

    @cached_property
    def _violations(self) -> tuple[tuple[str, WorkerPoolSpec, Violation], ...]:
        """Every broken rule on machines, with the path of the field that breaks it."""
        tuned = self.job.kind == TUNING_JOB.name
        return tuple(
            (self.field(candidate, pool, found.field), pool, found)
            for candidate, pool in self.each_pool()
            for found in violations(pool.machine_use, pool_count=len(candidate.pools), tuned=tuned)
        )

    def broken(self, *rules: Broken) -> Iterator[tuple[str, WorkerPoolSpec, Violation]]:
        """Yield path, pool and violation wherever one of these rules on machines is broken."""
        return (found for found in self._violations if found[2].rule in rules)

    def each_pool(self) -> Iterator[tuple[Candidate, WorkerPoolSpec]]:
        """Yield every pool of every place."""
        for candidate in self.candidates:
            for pool in candidate.pools:
                yield candidate, pool

    def field(self, candidate: Candidate, pool: WorkerPoolSpec, name: str) -> str:
        """Return the path in the config of a pool's field in one of the places."""
        if candidate.path:
            return f"{candidate.path}.{name}"
        return name if self.job.worker_pools is None else f"worker_pools.{pool.role}.{name}"
