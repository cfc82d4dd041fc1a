"""The rules of which machine takes which accelerator, disk and TPU topology.

For preflight and for Local Vertex. How grave a violation is, and its words, are the business of
whoever tells it.

Source: "Configure compute resources"; for tuning jobs "Create a hyperparameter tuning job".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from vertex_jobs.catalog.rows import Machine, TpuMachine
from vertex_jobs.catalog.table import load

#: What a use of machines can break.
Broken = Literal[
    "machine_known",
    "accelerator_missing",
    "accelerator_taken",
    "accelerator_count",
    "accelerator_retired",
    "tpu_is_its_accelerator",
    "tpu_accelerator",
    "tpu_cores",
    "tpu_topology",
    "tpu_alone",
    "tpu_not_tuned",
    "disk_known",
    "disk_of_machine",
    "disk_size",
]


@dataclass(frozen=True)
class MachineUse:
    """Equal machines that a job holds while it runs.

    Accelerators and the disk's size are those of one machine. An empty text or 0 leaves a thing
    out; an empty ``boot_disk_type`` leaves it to the service.
    """

    machine_type: str
    replica_count: int = 1
    accelerator_type: str = ""
    accelerator_count: int = 0
    tpu_topology: str = ""
    boot_disk_type: str = ""
    boot_disk_size_gb: int = 0


@dataclass(frozen=True)
class Violation:
    """A rule that a field of `MachineUse` breaks.

    ``allowed`` is what the field may be; of a size the least and the most.
    """

    rule: Broken
    field: str
    allowed: tuple[Any, ...] = ()


def violations(use: MachineUse, *, pool_count: int, tuned: bool) -> Iterator[Violation]:
    """Yield every rule that the machines of one of the job's ``pool_count`` worker pools break.

    An accelerator without its count, or the reverse, breaks no rule of this table.
    """
    catalog = load()
    machine = catalog.machines.get(use.machine_type)
    tpu = catalog.tpu_machines.get(use.machine_type)
    if machine is None and tpu is None:
        known = (*catalog.machines, *catalog.tpu_machines)
        yield Violation("machine_known", "machine_type", known)
    if _is_retired(use.accelerator_type):
        yield Violation("accelerator_retired", "accelerator_type")
    if machine is not None:
        yield from _of_accelerator(machine, use)
    if tpu is not None:
        yield from _of_tpu(tpu, use)
    yield from _of_disk(use)
    if tpu is not None:
        yield from _of_tpu_job(use, pool_count, tuned)


def _is_retired(accelerator_type: str) -> bool:
    accelerator = load().accelerators.get(accelerator_type)
    return accelerator is not None and accelerator.is_retired


def _of_accelerator(machine: Machine, use: MachineUse) -> Iterator[Violation]:
    types = tuple(machine.accelerators)
    counts = machine.accelerators.get(use.accelerator_type)
    if not use.accelerator_type:
        if machine.accelerator_required:
            yield Violation("accelerator_missing", "accelerator_type", types)
    elif counts is not None:
        if use.accelerator_count and use.accelerator_count not in counts:
            yield Violation("accelerator_count", "accelerator_count", counts)
    # A machine to which accelerators are attached by choice once took the retired ones, too.
    elif not (_is_retired(use.accelerator_type) and types and not machine.accelerator_required):
        yield Violation("accelerator_taken", "accelerator_type", types)


def _of_tpu(tpu: TpuMachine, use: MachineUse) -> Iterator[Violation]:
    count = use.accelerator_count
    if tpu.accelerators:
        if use.accelerator_type not in tpu.accelerators:
            yield Violation("tpu_accelerator", "accelerator_type", tpu.accelerators)
        elif count != tpu.board_cores and (count % tpu.slice_cores or not count):
            sizes = (tpu.board_cores, tpu.slice_cores)
            yield Violation("tpu_cores", "accelerator_count", sizes)
        return
    if use.accelerator_type:
        yield Violation("tpu_is_its_accelerator", "accelerator_type")
    if use.tpu_topology not in tpu.topologies:
        yield Violation("tpu_topology", "tpu_topology", tpu.topologies)


def _of_tpu_job(use: MachineUse, pool_count: int, tuned: bool) -> Iterator[Violation]:
    limits = load().limits
    if pool_count > limits.tpu_worker_pools or use.replica_count > limits.tpu_replicas:
        yield Violation("tpu_alone", "machine_type")
    if tuned and not limits.hpt_supports_tpu:
        yield Violation("tpu_not_tuned", "machine_type")


def _of_disk(use: MachineUse) -> Iterator[Violation]:
    catalog = load()
    own = [name for name, disk in catalog.boot_disks.items() if use.machine_type in disk.machines]
    if use.boot_disk_type and use.boot_disk_type not in catalog.boot_disks:
        yield Violation("disk_known", "boot_disk_type", tuple(catalog.boot_disks))
    elif own and use.boot_disk_type and use.boot_disk_type not in own:
        yield Violation("disk_of_machine", "boot_disk_type", tuple(own))
    sizes = (catalog.limits.boot_disk_gb_min, catalog.limits.boot_disk_gb_max)
    if use.boot_disk_size_gb and not sizes[0] <= use.boot_disk_size_gb <= sizes[1]:
        yield Violation("disk_size", "boot_disk_size_gb", sizes)
