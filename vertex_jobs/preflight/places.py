"""The places where a job may run, each with the machines that it takes there.

For rules and for cost: what holds for the job's own machines must hold for its fallbacks, too.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs.spec import Fallback, JobSpec, WorkerPoolSpec

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
    pools = job.worker_pools_resolved()
    yield Candidate("", location, pools, job.scheduling_strategy)
    for number, fallback in enumerate(job.fallback):
        yield Candidate(
            f"fallback.{number}",
            fallback.location or location,
            tuple(_moved(pool, fallback) for pool in pools),
            job.scheduling_strategy,
        )


def _moved(pool: WorkerPoolSpec, fallback: Fallback) -> WorkerPoolSpec:
    changes: dict[str, object] = {}
    if fallback.machine_type is not None:
        changes["machine_type"] = fallback.machine_type
    if fallback.accelerator_type is not None and pool.accelerator_type is not None:
        changes["accelerator_type"] = fallback.accelerator_type
        changes["accelerator_count"] = fallback.accelerator_count or pool.accelerator_count
    return dataclasses.replace(pool, **changes)  # type: ignore[arg-type]
