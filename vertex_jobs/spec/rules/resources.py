"""Rules on machines and on time.

For the table in ``rules``. Which machine takes which accelerator is a rule of the catalog.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.spec.accelerator_shorthand import shorthand_faults
from vertex_jobs.spec.machine_fields import DEFAULT_DISK_GB, DEFAULT_MACHINE
from vertex_jobs.spec.pools import ROLES, WorkerPools

#: Source: MachineSpec, which names 2x2x1.
_TOPOLOGY = re.compile(r"\d+x\d+(x\d+)?")


def accelerator_faults(prefix: str, kind: str | None, count: int | None) -> Iterator[Fault]:
    """Yield the fault of a type without a count, or the reverse: the SDK drops both silently."""
    if kind is not None and count is None:
        path = f"{prefix}accelerator_type"
        yield Fault(path, kind, "needs accelerator_count", "add accelerator_count: 1")
    if count is not None and kind is None:
        path = f"{prefix}accelerator_count"
        remedy = "add accelerator_type, for example NVIDIA_TESLA_T4"
        yield Fault(path, count, "needs accelerator_type", remedy)


def _accelerator(accelerator_type: str | None, accelerator_count: int | None) -> Iterator[Fault]:
    yield from accelerator_faults("", accelerator_type, accelerator_count)


def _one_chief(worker_pools: WorkerPools | None) -> Iterator[Fault]:
    only = catalog.load().limits.worker_pool_0_replicas
    if worker_pools is not None and worker_pools.chief.replica_count != only:
        yield Fault(
            "worker_pools.chief.replica_count",
            worker_pools.chief.replica_count,
            "there is exactly one chief",
            f"write {only} and put the others under workers",
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
    written = {
        "machine_type": machine_type if machine_type != DEFAULT_MACHINE else None,
        "accelerator_type": accelerator_type,
        "accelerator_count": accelerator_count,
        "replica_count": replica_count if replica_count != 1 else None,
        "boot_disk_type": boot_disk_type,
        "boot_disk_size_gb": boot_disk_size_gb if boot_disk_size_gb != DEFAULT_DISK_GB else None,
    }
    yield from _said_twice(worker_pools, written)


def _short_or_long_form_of_details(
    worker_pools: WorkerPools | None,
    gpu_partition_size: str | None,
    tpu_topology: str | None,
    reservation_affinity_type: str | None,
) -> Iterator[Fault]:
    written = {
        "gpu_partition_size": gpu_partition_size,
        "tpu_topology": tpu_topology,
        "reservation_affinity_type": reservation_affinity_type,
    }
    yield from _said_twice(worker_pools, written)


def _said_twice(worker_pools: WorkerPools | None, written: Mapping[str, Any]) -> Iterator[Fault]:
    if worker_pools is None:
        return
    for field, value in written.items():
        if value is not None:
            yield Fault(
                field,
                value,
                "is the short form of what worker_pools says",
                f"move it to worker_pools.chief.{field}, or remove worker_pools",
            )


def _reservation(
    reservation_affinity_type: str | None,
    reservation_affinity_key: str | None,
    reservation_affinity_values: tuple[str, ...],
) -> Iterator[Fault]:
    yield from reservation_faults(
        "", reservation_affinity_type, reservation_affinity_key, reservation_affinity_values
    )


def reservation_faults(
    prefix: str, kind: str | None, key: str | None, values: Sequence[str]
) -> Iterator[Fault]:
    """Yield faults of key and values, which the SDK drops unless a reservation is specific."""
    field = f"{prefix}reservation_affinity_"
    if kind == "SPECIFIC_RESERVATION":
        if key is None:
            remedy = "add for example compute.googleapis.com/reservation-name"
            yield Fault(f"{field}key", None, "is required with SPECIFIC_RESERVATION", remedy)
        if not values:
            rule = "are required with SPECIFIC_RESERVATION"
            yield Fault(f"{field}values", None, rule, "add the full names of the reservations")
        return
    for name, value in (("key", key), ("values", list(values))):
        if value:
            rule = "names a specific reservation"
            remedy = f"add {field}type: SPECIFIC_RESERVATION, or remove it"
            yield Fault(f"{field}{name}", value, rule, remedy)


def _accelerator_said_once(
    accelerator: str | None, worker_pools: WorkerPools | None
) -> Iterator[Fault]:
    other = "worker_pools" if worker_pools is not None else "accelerator_type"
    yield from shorthand_faults("", accelerator, other)


def _size(
    cpus: int | None,
    memory_gb: float | None,
    machine_type: str,
    worker_pools: WorkerPools | None,
) -> Iterator[Fault]:
    yield from _said_twice(worker_pools, {"cpus": cpus, "memory_gb": memory_gb})
    if worker_pools is None:
        yield from size_faults("", cpus, memory_gb, machine_type)


def size_faults(
    prefix: str, cpus: int | None, memory_gb: float | None, machine_type: str
) -> Iterator[Fault]:
    """Yield the faults of a machine that is smaller than asked for, as the largest one may be."""
    machine = catalog.load().machines.get(machine_type)
    if machine is None:
        return
    remedy = f"name a larger machine or remove {prefix}machine_type; see vertex-jobs machines"
    if cpus is not None and cpus > machine.vcpus:
        rule = f"is more than the {machine.vcpus} vCPUs of {machine_type}"
        yield Fault(f"{prefix}cpus", cpus, rule, remedy)
    if memory_gb is not None and memory_gb > machine.memory_gb:
        rule = f"is more than the {machine.memory_gb:g} GB of {machine_type}"
        yield Fault(f"{prefix}memory_gb", memory_gb, rule, remedy)


def _partition(
    gpu_partition_size: str | None,
    accelerator_type: str | None,
    accelerator_count: int | None,
) -> Iterator[Fault]:
    yield from partition_faults("", gpu_partition_size, accelerator_type, accelerator_count)


def partition_faults(
    prefix: str, size: str | None, kind: str | None, count: int | None
) -> Iterator[Fault]:
    """Yield the fault of parts of a GPU if there is not exactly one."""
    path = f"{prefix}gpu_partition_size"
    if size is not None and kind is None:
        yield Fault(path, size, "splits a GPU, and there is none", "add accelerator_type")
    elif size is not None and count not in (None, 1):
        yield Fault(path, size, "needs accelerator_count 1", "write accelerator_count: 1")


def _topology(tpu_topology: str | None, accelerator_type: str | None) -> Iterator[Fault]:
    yield from topology_faults("", tpu_topology, accelerator_type)


def topology_faults(prefix: str, topology: str | None, kind: str | None) -> Iterator[Fault]:
    """Yield faults of a topology, of the form 2x2 or 2x2x1, which replaces accelerator_type."""
    path = f"{prefix}tpu_topology"
    if topology is not None and not _TOPOLOGY.fullmatch(topology):
        yield Fault(path, topology, "is no topology", "write for example 2x2 or 2x2x1")
    if topology is not None and kind is not None:
        rule = "goes with a TPU machine, which takes no accelerator_type"
        yield Fault(path, topology, rule, f"remove {prefix}accelerator_type or tpu_topology")


def _pool_machines(worker_pools: WorkerPools | None) -> Iterator[Fault]:
    for role in ROLES:
        pool = getattr(worker_pools, role, None)
        if pool is None:
            continue
        prefix, kind, count = (
            f"worker_pools.{role}.",
            pool.accelerator_type,
            pool.accelerator_count,
        )
        yield from shorthand_faults(prefix, pool.accelerator, "accelerator_type")
        yield from size_faults(prefix, pool.cpus, pool.memory_gb, pool.machine_type)
        yield from accelerator_faults(prefix, kind, count)
        yield from partition_faults(prefix, pool.gpu_partition_size, kind, count)
        yield from topology_faults(prefix, pool.tpu_topology, kind)
        yield from reservation_faults(
            prefix,
            pool.reservation_affinity_type,
            pool.reservation_affinity_key,
            pool.reservation_affinity_values,
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


RESOURCE_RULES = (
    _accelerator,
    _accelerator_said_once,
    _size,
    _partition,
    _topology,
    _reservation,
    _pool_machines,
    _one_chief,
    _short_or_long_form,
    _short_or_long_form_of_details,
    _wait_needs_flex_start,
    _restart_or_no_retries,
)
