"""Rules on machines, their accelerators, disks and regions.

TPUs have rules of their own. What a machine takes is a rule of the catalog; here are its faults.
"""

from collections.abc import Iterator

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec.spelling import suggestion

_COMPUTE = 'documentation page "Configure compute resources"'
_MACHINES = "list the machines: vertex-jobs machines"


@rule("error", source=_COMPUTE, needs=["machine_type", "worker_pools", "fallback"])
def machine_known(subject: Subject) -> Iterator[Fault]:
    """A machine type is one that Vertex AI training has."""
    for path, pool, found in subject.broken("machine_known"):
        remedy = suggestion(pool.machine_type, found.allowed, _MACHINES)
        yield Fault(path, pool.machine_type, "is no machine type of training", remedy)


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def accelerator_fits(subject: Subject) -> Iterator[Fault]:
    """A machine has the accelerators that it can have, and those that it must have."""
    machines = subject.catalog.machines
    for path, pool, found in subject.broken("accelerator_missing", "accelerator_taken"):
        takes = ", ".join(found.allowed) or "none"
        if pool.accelerator_type is None:
            rule_text = f"{pool.machine_type} comes with {takes} only, and it must be asked for"
            count = machines[pool.machine_type].accelerators[found.allowed[0]][0]
            remedy = f"add accelerator_type: {takes} and accelerator_count: {count}"
        else:
            rule_text = f"{pool.machine_type} takes {takes}"
            others = [
                name for name, one in machines.items() if pool.accelerator_type in one.accelerators
            ]
            named = ", ".join(others[:3])
            remedy = f"use one of {named}" if named else "choose another accelerator"
        yield Fault(path, pool.accelerator_type, rule_text, remedy)


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS)
def accelerator_count_allowed(subject: Subject) -> Iterator[Fault]:
    """The count of accelerators is one that the machine can have."""
    for path, pool, found in subject.broken("accelerator_count"):
        allowed = " or ".join(map(str, found.allowed))
        rule_text = f"{pool.machine_type} takes {allowed} of {pool.accelerator_type}"
        remedy = f"write {allowed}, or take another machine"
        yield Fault(path, pool.accelerator_count, rule_text, remedy)


@rule("error", source="AcceleratorType; " + _COMPUTE, needs=MACHINE_FIELDS, cloud_only=True)
def accelerator_retired(subject: Subject) -> Iterator[Fault]:
    """An accelerator is one that Google still runs."""
    for path, pool, _ in subject.broken("accelerator_retired"):
        known = subject.catalog.accelerators[str(pool.accelerator_type)]
        rule_text = f"is retired ({known.note.partition(';')[0]})"
        remedy = "use NVIDIA_TESLA_T4 on the same machine, or NVIDIA_L4 on a g2 machine"
        yield Fault(path, known.name, rule_text, remedy)


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
    for path, pool, found in subject.broken("disk_of_machine"):
        disks = " or ".join(found.allowed)
        rule_text = f"{pool.machine_type} boots from {disks}"
        yield Fault(path, pool.boot_disk_type, rule_text, f"write {disks}, or leave it out")


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


HARDWARE_RULES = (
    machine_known,
    accelerator_fits,
    accelerator_count_allowed,
    accelerator_retired,
    accelerator_in_region,
    location_known,
    disk_fits_machine,
    small_machine_with_gpu,
)
