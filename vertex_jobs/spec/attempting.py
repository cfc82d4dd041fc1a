"""The job as it is tried at each place: as written, then with each of its fallbacks.

For the client, which tries the attempts in order, and for preflight, which checks all of them.
What counts as short of machines is the client's business.
"""

from dataclasses import dataclass
from typing import Any

from vertex_jobs.spec.fallback import Fallback
from vertex_jobs.spec.job_spec import JobSpec
from vertex_jobs.spec.pools import ROLES, WorkerPools


@dataclass(frozen=True)
class Attempt:
    """One place to try.

    Attributes:
        path: Where the place stands in the config, e.g. ``fallback.0``; empty for the job's own.
        location: A region; None for the one that the endpoint has.
    """

    path: str
    location: str | None
    job: JobSpec


def attempts(job: JobSpec) -> tuple[Attempt, ...]:
    """Return the job itself, then each of its fallbacks, none of which has fallbacks itself.

    Each is a change of the job as written, and not of the fallback before it.
    """
    plain = job.model_copy(update={"fallback": ()})
    others = (
        Attempt(f"fallback.{number}", place.location, _changed(plain, place))
        for number, place in enumerate(job.fallback)
    )
    return (Attempt("", None, plain), *others)


def _changed(job: JobSpec, place: Fallback) -> JobSpec:
    changes: dict[str, Any] = {}
    if place.scheduling_strategy is not None:
        changes["scheduling_strategy"] = place.scheduling_strategy
        changes["max_wait_duration"] = place.max_wait_duration
    if job.worker_pools is None:
        return job.model_copy(update=changes | _machine(place))
    pools: dict[str, Any] = {role: getattr(job.worker_pools, role) for role in ROLES}
    with_accelerators = [role for role in ROLES if pools[role] and pools[role].accelerator_type]
    chosen = with_accelerators if place.accelerator_type is not None else []
    for role, pool in pools.items():
        if pool is not None and (not chosen or role in chosen):
            pools[role] = pool.model_copy(update=_machine(place))
    return job.model_copy(update=changes | {"worker_pools": WorkerPools(**pools)})


def _machine(place: Fallback) -> dict[str, Any]:
    """Return what changes in a pool; parts and topologies belong to the replaced accelerator."""
    changes: dict[str, Any] = {}
    if place.machine_type is not None:
        changes["machine_type"] = place.machine_type
    if place.accelerator_type is not None:
        changes["accelerator_type"] = place.accelerator_type
        changes["accelerator_count"] = place.accelerator_count
        changes["gpu_partition_size"] = changes["tpu_topology"] = None
    return changes
