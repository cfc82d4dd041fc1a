"""Where else to try a job when machines or quota are short.

For the config's ``fallback``, and for the client, which tries the attempts in order. What counts as
short is the client's business.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from vertex_jobs.spec.accelerators import Accelerator, expand
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Count, Seconds, Text
from vertex_jobs.spec.machines import AcceleratorType, SchedulingStrategy
from vertex_jobs.spec.pools import ROLES, WorkerPools

if TYPE_CHECKING:
    from vertex_jobs.spec.jobs import JobSpec

__all__ = ["Attempt", "Fallback", "attempts"]


class Fallback(Spec):
    """One other place; what is not given stays as it is."""

    location: Annotated[Text, Field(examples=["europe-west4"])] | None = None
    """Another region."""
    machine_type: Text | None = None
    """Another machine; with an accelerator, for the pools that have one."""
    accelerator: Accelerator | None = None
    """Another accelerator and its machine, as in T4:2."""
    accelerator_type: AcceleratorType | None = None
    """Another accelerator, for every pool that has one."""
    accelerator_count: Count | None = None
    """Its count per replica."""
    scheduling_strategy: SchedulingStrategy | None = None
    """Another way to get machines."""
    max_wait_duration: Seconds | None = None
    """Longest wait for machines in seconds, flex_start only."""

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, written: Any) -> Any:
        return expand(written)


@dataclass(frozen=True)
class Attempt:
    """One place to try.

    Attributes:
        location: A region; None for the one that the endpoint has.
        job: The job as it is tried there.
    """

    location: str | None
    job: "JobSpec"


def attempts(job: "JobSpec") -> tuple[Attempt, ...]:
    """The job itself, then each of its fallbacks, none of which has fallbacks of its own.

    Each is a change of the job as written, and not of the fallback before it.
    """
    plain = job.model_copy(update={"fallback": ()})
    others = (Attempt(place.location, _changed(plain, place)) for place in job.fallback)
    return (Attempt(None, plain), *others)


def _changed(job: "JobSpec", place: Fallback) -> "JobSpec":
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
    """What changes in a pool; parts and topologies belong to the accelerator that goes."""
    changes: dict[str, Any] = {}
    if place.machine_type is not None:
        changes["machine_type"] = place.machine_type
    if place.accelerator_type is not None:
        changes["accelerator_type"] = place.accelerator_type
        changes["accelerator_count"] = place.accelerator_count
        changes["gpu_partition_size"] = changes["tpu_topology"] = None
    return changes
