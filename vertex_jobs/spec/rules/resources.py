"""Rules on machines and on time.

For the table in ``rules``. Which machine takes which accelerator is the catalog's business.
"""

import re
from collections.abc import Iterator
from typing import Any

from vertex_jobs.errors import Fault
from vertex_jobs.spec.pools import DEFAULT_DISK_GB, DEFAULT_MACHINE, ROLES, WorkerPools

__all__ = ["RESOURCE_RULES"]

_LOCATION = re.compile(r"[a-z]+(-[a-z]+)+\d+")


def accelerator_faults(prefix: str, kind: str | None, count: int | None) -> Iterator[Fault]:
    """The SDK drops an accelerator without a word when one of the two is missing."""
    if kind is not None and count is None:
        path = f"{prefix}accelerator_type"
        yield Fault(path, kind, "needs accelerator_count", "add accelerator_count: 1")
    if count is not None and kind is None:
        path = f"{prefix}accelerator_count"
        remedy = "add accelerator_type, for example NVIDIA_TESLA_T4"
        yield Fault(path, count, "needs accelerator_type", remedy)


def _accelerator(accelerator_type: str | None, accelerator_count: int | None) -> Iterator[Fault]:
    yield from accelerator_faults("", accelerator_type, accelerator_count)


def _pool_accelerators(worker_pools: WorkerPools | None) -> Iterator[Fault]:
    for role in ROLES:
        pool = getattr(worker_pools, role, None)
        if pool is not None:
            prefix = f"worker_pools.{role}."
            yield from accelerator_faults(prefix, pool.accelerator_type, pool.accelerator_count)


def _one_chief(worker_pools: WorkerPools | None) -> Iterator[Fault]:
    if worker_pools is not None and worker_pools.chief.replica_count != 1:
        yield Fault(
            "worker_pools.chief.replica_count",
            worker_pools.chief.replica_count,
            "there is exactly one chief",
            "write 1 and put the others under workers",
        )


def _short_or_long_form(
    worker_pools: WorkerPools | None,
    machine_type: str,
    accelerator_type: str | None,
    accelerator_count: int | None,
    replica_count: int,
    boot_disk_type: str | None,
    boot_disk_size_gb: int,
) -> Iterator[Fault]:
    if worker_pools is None:
        return
    short_form = {
        "machine_type": (machine_type, DEFAULT_MACHINE),
        "accelerator_type": (accelerator_type, None),
        "accelerator_count": (accelerator_count, None),
        "replica_count": (replica_count, 1),
        "boot_disk_type": (boot_disk_type, None),
        "boot_disk_size_gb": (boot_disk_size_gb, DEFAULT_DISK_GB),
    }
    for field, (value, default) in short_form.items():
        if value != default:
            yield Fault(
                field,
                value,
                "is the short form of what worker_pools says",
                f"move it to worker_pools.chief.{field}, or remove worker_pools",
            )


def _wait_needs_flex_start(
    max_wait_duration: int | None, scheduling_strategy: str | None
) -> Iterator[Fault]:
    if max_wait_duration is not None and scheduling_strategy != "flex_start":
        yield Fault(
            "max_wait_duration",
            max_wait_duration,
            "only scheduling_strategy flex_start waits",
            "add scheduling_strategy: flex_start, or remove max_wait_duration",
        )


def _restart_or_no_retries(
    restart_job_on_worker_restart: bool, disable_retries: bool
) -> Iterator[Fault]:
    if restart_job_on_worker_restart and disable_retries:
        yield Fault(
            "disable_retries",
            True,
            "overrides restart_job_on_worker_restart",
            "remove one of the two",
        )


def _fallbacks(fallback: tuple[Any, ...]) -> Iterator[Fault]:
    for number, place in enumerate(fallback):
        path = f"fallback.{number}"
        if not place.model_fields_set:
            rule = "says nothing that differs"
            yield Fault(path, {}, rule, "add location or machine_type, or remove it")
        if place.location is not None and not _LOCATION.fullmatch(place.location):
            remedy = "write a region, for example europe-west4"
            yield Fault(f"{path}.location", place.location, "is no region's name", remedy)
        accelerator = (place.accelerator_type, place.accelerator_count)
        yield from accelerator_faults(f"{path}.", *accelerator)


RESOURCE_RULES = (
    _accelerator,
    _pool_accelerators,
    _one_chief,
    _short_or_long_form,
    _wait_needs_flex_start,
    _restart_or_no_retries,
    _fallbacks,
)
