"""The places where a job may run, each with the machines that it takes there.

For rules and for cost: what holds for the job's own machines must hold for its fallbacks, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs.spec import JobSpec, WorkerPoolSpec, attempts

__all__ = ["Candidate", "candidates"]


@dataclass(frozen=True)
class Candidate:
    """One place that is tried.

    Attributes:
        path: Where it stands in the config, e.g. ``fallback.0``; empty for the job's own.
        location: Region.
        pools: What runs there, in role order.
        strategy: ``standard``, ``spot``, ``flex_start``, or None for the default.
    """

    path: str
    location: str
    pools: tuple[WorkerPoolSpec, ...]
    strategy: str | None


def candidates(job: JobSpec, location: str) -> Iterator[Candidate]:
    """The job's own place, then its fallbacks in order.

    Args:
        job: The job.
        location: Where it is submitted first.
    """
    for number, attempt in enumerate(attempts(job)):
        yield Candidate(
            f"fallback.{number - 1}" if number else "",
            attempt.location or location,
            attempt.job.worker_pools_resolved(),
            attempt.job.scheduling_strategy,
        )
