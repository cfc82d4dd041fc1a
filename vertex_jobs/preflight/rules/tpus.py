"""Rules on TPUs; what a TPU machine takes is a rule of the catalog, and here are its faults."""

from collections.abc import Iterator

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec.spelling import suggestion

_COMPUTE = 'documentation page "Configure compute resources"'


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def tpu_alone(subject: Subject) -> Iterator[Fault]:
    """A TPU job has one pool with one replica."""
    for path, pool, _ in subject.broken("tpu_alone"):
        rule_text = "a TPU job has one pool with one replica"
        yield Fault(path, pool.machine_type, rule_text, "write replica_count: 1 and no other pool")


@rule("error", source='documentation page "Use hyperparameter tuning"', needs=MACHINE_FIELDS)
def tpu_not_tuned(subject: Subject) -> Iterator[Fault]:
    """A tuning job runs on no TPUs."""
    for path, pool, _ in subject.broken("tpu_not_tuned"):
        rule_text = "a tuning job runs on no TPUs"
        yield Fault(path, pool.machine_type, rule_text, "use GPUs, or run a custom_job")


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def tpu_accelerator(subject: Subject) -> Iterator[Fault]:
    """Machine cloud-tpu names TPU_V2 or TPU_V3, 8 cores or a multiple of 32; others name none."""
    for path, pool, _ in subject.broken("tpu_is_its_accelerator"):
        rule_text = f"{pool.machine_type} is its TPU already"
        yield Fault(path, pool.accelerator_type, rule_text, "remove it, and its count")
    for path, pool, found in subject.broken("tpu_accelerator"):
        types = " or ".join(found.allowed)
        rule_text = f"{pool.machine_type} needs {types}"
        yield Fault(path, pool.accelerator_type, rule_text, f"write {types}")
    for path, pool, found in subject.broken("tpu_cores"):
        board, pod_slice = found.allowed
        rule_text = f"TPUs come by {board}, or by multiples of {pod_slice}"
        yield Fault(path, pool.accelerator_count, rule_text, f"write {board} or {pod_slice}")


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def tpu_topology(subject: Subject) -> Iterator[Fault]:
    """A TPU from v5e on has one of its machine's topologies."""
    for path, pool, found in subject.broken("tpu_topology"):
        allowed = ", ".join(found.allowed)
        remedy = suggestion(pool.tpu_topology or "", found.allowed, f"write one of {allowed}")
        yield Fault(path, pool.tpu_topology, f"{pool.machine_type} has {allowed}", remedy)


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
        if several or (machine.accelerators and pool.accelerator_count > machine.board_cores):
            yield Fault(
                subject.field(candidate, pool, "scheduling_strategy"),
                "spot",
                "a slice of TPUs is not to be had as spot",
                "remove it, or take one machine of TPUs",
            )


TPU_RULES = (tpu_alone, tpu_not_tuned, tpu_accelerator, tpu_topology, tpu_slice_not_spot)
