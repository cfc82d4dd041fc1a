"""Rules on machines, their accelerators, disks and regions.

For the table in ``rules``. TPUs have rules of their own.
"""

from collections.abc import Iterator

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec.suggestions import suggestion

__all__ = ["MACHINE_RULES"]

_COMPUTE = 'documentation page "Configure compute resources"'
_MACHINES = "list the machines: vertex-jobs machines"


@rule("error", source=_COMPUTE, needs=["machine_type", "worker_pools", "fallback"])
def machine_known(subject: Subject) -> Iterator[Fault]:
    """A machine type is one that Vertex AI training has."""
    known = [*subject.catalog.machines, *subject.catalog.tpu_machines]
    for candidate, pool in subject.each_pool():
        if pool.machine_type not in known:
            path = subject.field(candidate, pool, "machine_type")
            remedy = suggestion(pool.machine_type, known, _MACHINES)
            yield Fault(path, pool.machine_type, "is no machine type of training", remedy)


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def accelerator_fits(subject: Subject) -> Iterator[Fault]:
    """A machine has the accelerators that it can have, and those that it must have."""
    for candidate, pool in subject.each_pool():
        machine = subject.catalog.machines.get(pool.machine_type)
        if machine is None:
            continue
        takes = ", ".join(machine.accelerators) or "none"
        path = subject.field(candidate, pool, "accelerator_type")
        if pool.accelerator_type is None and machine.accelerator_required:
            rule_text = f"{machine.name} comes with {takes} only, and it must be asked for"
            counts = next(iter(machine.accelerators.values()))
            remedy = f"add accelerator_type: {takes} and accelerator_count: {counts[0]}"
            yield Fault(path, None, rule_text, remedy)
        elif (
            pool.accelerator_type is not None and pool.accelerator_type not in machine.accelerators
        ):
            known = subject.catalog.accelerators.get(pool.accelerator_type)
            if known is not None and known.is_retired:
                continue
            others = _machines_with(subject, pool.accelerator_type)
            remedy = f"use one of {others}" if others else "choose another accelerator"
            rule_text = f"{machine.name} takes {takes}"
            yield Fault(path, pool.accelerator_type, rule_text, remedy)


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def accelerator_count_allowed(subject: Subject) -> Iterator[Fault]:
    """The count of accelerators is one that the machine can have."""
    for candidate, pool in subject.each_pool():
        machine = subject.catalog.machines.get(pool.machine_type)
        counts = machine.accelerators.get(pool.accelerator_type or "", ()) if machine else ()
        if counts and pool.accelerator_count and pool.accelerator_count not in counts:
            allowed = " or ".join(map(str, counts))
            yield Fault(
                subject.field(candidate, pool, "accelerator_count"),
                pool.accelerator_count,
                f"{pool.machine_type} takes {allowed} of {pool.accelerator_type}",
                f"write {allowed}, or take another machine",
            )


@rule("error", source="AcceleratorType; " + _COMPUTE, needs=MACHINE_FIELDS, cloud_only=True)
def accelerator_retired(subject: Subject) -> Iterator[Fault]:
    """An accelerator is one that Google still runs."""
    for candidate, pool in subject.each_pool():
        known = subject.catalog.accelerators.get(pool.accelerator_type or "")
        if known is not None and known.is_retired:
            yield Fault(
                subject.field(candidate, pool, "accelerator_type"),
                known.name,
                f"is retired ({known.note.partition(';')[0]})",
                "use NVIDIA_TESLA_T4 on the same machine, or NVIDIA_L4 on a g2 machine",
            )


@rule("warning", source="reports of users in public issues", needs=MACHINE_FIELDS, cloud_only=True)
def accelerator_in_region(subject: Subject) -> Iterator[Fault]:
    """An accelerator is not one that people report to be refused in the region."""
    for candidate, pool in subject.each_pool():
        report = subject.catalog.region_reports.get(pool.accelerator_type or "")
        if report is not None and candidate.location in report.refused:
            yield Fault(
                subject.field(candidate, pool, "accelerator_type"),
                pool.accelerator_type,
                f"is reported to be refused in {candidate.location}",
                f"it is reported to work in {', '.join(report.available)}",
            )


@rule("error", source="google-cloud-aiplatform, its list of regions", cloud_only=True)
def location_known(subject: Subject) -> Iterator[Fault]:
    """A location is a region that the SDK knows."""
    for candidate in subject.candidates:
        if candidate.location not in subject.catalog.regions:
            path = f"{candidate.path}.location" if candidate.path else "--location"
            remedy = suggestion(
                candidate.location, subject.catalog.regions, "name a region, e.g. us-central1"
            )
            yield Fault(path, candidate.location, "is no region of Vertex AI", remedy)


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS, cloud_only=True)
def disk_fits_machine(subject: Subject) -> Iterator[Fault]:
    """Machines that boot from hyperdisk-balanced get no other boot disk."""
    only = subject.catalog.boot_disks["hyperdisk-balanced"].machines
    for candidate, pool in subject.each_pool():
        if pool.machine_type in only and pool.boot_disk_type != "hyperdisk-balanced":
            yield Fault(
                subject.field(candidate, pool, "boot_disk_type"),
                pool.boot_disk_type,
                f"{pool.machine_type} boots from hyperdisk-balanced",
                "write hyperdisk-balanced, or leave it out",
            )


@rule("warning", source=_COMPUTE, needs=MACHINE_FIELDS, cloud_only=True)
def small_machine_with_gpu(subject: Subject) -> Iterator[Fault]:
    """A machine with a GPU has more than two processors, or its logs may stop."""
    for candidate, pool in subject.each_pool():
        machine = subject.catalog.machines.get(pool.machine_type)
        if machine is not None and machine.vcpus <= 2 and pool.accelerator_count:
            yield Fault(
                subject.field(candidate, pool, "machine_type"),
                machine.name,
                "with a GPU on so few processors the logs may stop",
                "use a machine with four processors or more",
            )


def _machines_with(subject: Subject, accelerator: str) -> str:
    names = [
        name for name, one in subject.catalog.machines.items() if accelerator in one.accelerators
    ]
    return ", ".join(names[:3])


MACHINE_RULES = (
    machine_known,
    accelerator_fits,
    accelerator_count_allowed,
    accelerator_retired,
    accelerator_in_region,
    location_known,
    disk_fits_machine,
    small_machine_with_gpu,
)
