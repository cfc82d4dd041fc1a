"""Rules on TPUs.

For the table in ``rules``.
"""

from collections.abc import Iterator

from vertex_jobs.errors import Fault
from vertex_jobs.job_kinds import TUNING_JOB
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec.suggestions import suggestion

__all__ = ["TPU_RULES"]

_COMPUTE = 'documentation page "Configure compute resources"'
#: Cores of one board, and of the smallest pod slice.
_BOARD, _SLICE = 8, 32


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def tpu_alone(subject: Subject) -> Iterator[Fault]:
    """A TPU job has one pool with one replica."""
    for candidate in subject.candidates:
        for pool in candidate.pools:
            if pool.machine_type not in subject.catalog.tpu_machines:
                continue
            if len(candidate.pools) > 1 or pool.replica_count > 1:
                yield Fault(
                    subject.field(candidate, pool, "machine_type"),
                    pool.machine_type,
                    "a TPU job has one pool with one replica",
                    "write replica_count: 1 and no other pool",
                )


@rule("error", source='documentation page "Use hyperparameter tuning"', needs=MACHINE_FIELDS)
def tpu_not_tuned(subject: Subject) -> Iterator[Fault]:
    """A tuning job runs on no TPUs."""
    if subject.job.kind != TUNING_JOB.name:
        return
    for candidate, pool in subject.each_pool():
        if pool.machine_type in subject.catalog.tpu_machines:
            yield Fault(
                subject.field(candidate, pool, "machine_type"),
                pool.machine_type,
                "a tuning job runs on no TPUs",
                "use GPUs, or run a custom_job",
            )


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def tpu_accelerator(subject: Subject) -> Iterator[Fault]:
    """Machine cloud-tpu names TPU_V2 or TPU_V3, 8 cores or a multiple of 32; others name none."""
    for candidate, pool in subject.each_pool():
        machine = subject.catalog.tpu_machines.get(pool.machine_type)
        if machine is None:
            continue
        path = subject.field(candidate, pool, "accelerator_type")
        count = pool.accelerator_count
        if not machine.accelerators and pool.accelerator_type is not None:
            rule_text = f"{machine.name} is its TPU already"
            yield Fault(path, pool.accelerator_type, rule_text, "remove it, and its count")
        elif machine.accelerators and pool.accelerator_type not in machine.accelerators:
            types = " or ".join(machine.accelerators)
            rule_text = f"{machine.name} needs {types}"
            yield Fault(path, pool.accelerator_type, rule_text, f"write {types}")
        elif machine.accelerators and count != _BOARD and (count % _SLICE or not count):
            path = subject.field(candidate, pool, "accelerator_count")
            yield Fault(path, count, "TPUs come by 8, or by multiples of 32", "write 8 or 32")


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def tpu_topology(subject: Subject) -> Iterator[Fault]:
    """A TPU from v5e on has one of its machine's topologies."""
    for candidate, pool in subject.each_pool():
        machine = subject.catalog.tpu_machines.get(pool.machine_type)
        if machine is None or machine.accelerators or pool.tpu_topology in machine.topologies:
            continue
        path = subject.field(candidate, pool, "tpu_topology")
        allowed = ", ".join(machine.topologies)
        remedy = suggestion(pool.tpu_topology or "", machine.topologies, f"write one of {allowed}")
        yield Fault(path, pool.tpu_topology, f"{machine.name} has {allowed}", remedy)


@rule(
    "error",
    source='documentation page "Use Spot VMs"',
    needs=MACHINE_FIELDS,
    cloud_only=True,
)
def tpu_slice_not_spot(subject: Subject) -> Iterator[Fault]:
    """A slice of TPUs, more than one machine, is not taken as spot."""
    for candidate, pool in subject.each_pool():
        machine = subject.catalog.tpu_machines.get(pool.machine_type)
        if machine is None or candidate.strategy != "spot":
            continue
        several = machine.virtual_machines.get(pool.tpu_topology or "", 1) > 1
        if several or pool.accelerator_count > _BOARD:
            yield Fault(
                subject.field(candidate, pool, "scheduling_strategy"),
                "spot",
                "a slice of TPUs is not to be had as spot",
                "remove it, or take one machine of TPUs",
            )


TPU_RULES = (tpu_alone, tpu_not_tuned, tpu_accelerator, tpu_topology, tpu_slice_not_spot)
