"""Machines, accelerators and disks of a job, checked against the catalog.

The rules are the catalog's; the texts here are the service's where they are publicly known. What
is retired, accelerators and images past their dates, runs here with a warning, since the point is
to rehearse; so does a boot disk that the machine does not take.

Source: "Configure compute resources", "Prebuilt containers", troubleshooting; public reports.
"""

import dataclasses
from collections.abc import Iterator
from datetime import date

from vertex_jobs import catalog
from vertex_jobs.catalog.container_images import why_gone
from vertex_jobs.catalog.flex_start import flex_start_faults
from vertex_jobs.catalog.machine_rules import Broken, MachineUse, Violation, violations
from vertex_jobs.emulator import protos

Faults = list[tuple[str, str]]

_ACCELERATOR = 'Accelerator "{accelerator_type}" is not supported for machine type "{machine_type}"'
_COUNT = (
    '{accelerator_count} of accelerator "{accelerator_type}" are not supported for machine type '
    '"{machine_type}"; allowed: {commas}.'
)
#: By broken rule: the place in the worker pool, and the text.
_ANSWERS: dict[Broken, tuple[str, str]] = {
    "machine_known": (
        "machine_spec.machine_type",
        'Machine type "{machine_type}" is not supported.',
    ),
    "accelerator_missing": (
        "machine_spec",
        'Machine type "{machine_type}" requires an accelerator: {commas}.',
    ),
    "accelerator_taken": ("machine_spec.accelerator_type", _ACCELERATOR),
    "accelerator_count": ("machine_spec.accelerator_count", _COUNT),
    "tpu_is_its_accelerator": ("machine_spec.accelerator_type", _ACCELERATOR),
    "tpu_accelerator": ("machine_spec", 'Machine type "{machine_type}" requires {either}.'),
    "tpu_cores": ("machine_spec.accelerator_count", f"{_COUNT[:-1]} and its multiples."),
    "tpu_topology": ("machine_spec.tpu_topology", "{tpu_topology!r} is not one of {commas}."),
    "tpu_alone": ("", "A TPU job has one worker pool with one replica."),
    "tpu_not_tuned": ("machine_spec", "Tuning jobs cannot use TPUs."),
    "disk_known": ("disk_spec.boot_disk_type", "{boot_disk_type!r} is not one of {commas}."),
    "disk_size": ("disk_spec.boot_disk_size_gb", "{boot_disk_size_gb} is not in [{commas}]."),
}
_FLEX_START = 6  # Scheduling.Strategy
_FLEX_START_TEXTS = {
    "accelerator": "A job with the FLEX_START strategy must request L4, A100, H100, H200 or B200 "
    "GPUs.",
    "machines": "A job with the FLEX_START strategy must use the same machine configuration for "
    "all worker pools.",
    "timeout": "A job with the FLEX_START strategy must have a timeout of 7 days or less.",
}


def check_machines(spec: protos.Message, path: str, *, tuned: bool = False) -> Faults:
    """Return the faults of machine, accelerator and disk of every pool that runs something.

    ``spec`` is a CustomJobSpec, that of a tuning job's trials if ``tuned``.
    """
    faults: Faults = []
    pools = spec.worker_pool_specs
    for number, pool in enumerate(pools):
        if pool.WhichOneof("task") is None:
            continue
        use = _machine_use(pool)
        found = list(violations(use, pool_count=len(pools), tuned=tuned))
        for place, text in _answers(use, found):
            where = f"{path}.worker_pool_specs[{number}].{place}"
            faults.append((where.rstrip("."), text))
    return faults


def check_flex_start(spec: protos.Message, path: str) -> Faults:
    """Return what a CustomJobSpec on the FLEX_START strategy does not meet; the texts are ours."""
    if spec.scheduling.strategy != _FLEX_START:
        return []
    used = [
        number
        for number, pool in enumerate(spec.worker_pool_specs)
        if pool.WhichOneof("task") is not None
    ]
    uses = [_machine_use(spec.worker_pool_specs[number]) for number in used]
    timeout = spec.scheduling.timeout.ToMilliseconds() / 1000
    faults: Faults = []
    for fault in flex_start_faults(uses, timeout):
        where = f"{path}.worker_pool_specs[{used[fault.pool]}].machine_spec"
        places = {"accelerator": where, "machines": where, "timeout": f"{path}.scheduling.timeout"}
        faults.append((places[fault.of], _FLEX_START_TEXTS[fault.of]))
    return faults


def _machine_use(pool: protos.Message) -> MachineUse:
    machine, disk = pool.machine_spec, pool.disk_spec
    return MachineUse(
        machine_type=machine.machine_type,
        replica_count=pool.replica_count,
        accelerator_type=_accelerator_name(machine),
        accelerator_count=machine.accelerator_count,
        tpu_topology=machine.tpu_topology,
        boot_disk_type=disk.boot_disk_type,
        boot_disk_size_gb=disk.boot_disk_size_gb,
    )


def _accelerator_name(machine: protos.Message) -> str:
    if not machine.accelerator_type:
        return ""
    return str(protos.AcceleratorType(machine.accelerator_type).name)


def _answers(use: MachineUse, found: list[Violation]) -> Iterator[tuple[str, str]]:
    """Yield place and text of every fault; of the machine itself the first alone."""
    broken = {one.rule for one in found}
    told = not use.machine_type
    incomplete = bool(use.accelerator_type) != bool(use.accelerator_count)
    if told:
        yield "machine_spec.machine_type", "The machine type is required."
    elif incomplete and "machine_known" not in broken:
        text = "accelerator_type and accelerator_count must be set together, or not at all."
        yield "machine_spec", text
        told = True
    for one in found:
        place, text = _ANSWERS.get(one.rule, ("", ""))
        of_machine = place.startswith("machine_spec") and one.rule != "tpu_not_tuned"
        if not text or (of_machine and told):
            continue
        if one.rule == "accelerator_count" and "accelerator_retired" in broken:
            continue  # rehearsed in any number
        told = told or of_machine
        allowed = list(map(str, one.allowed))
        either, commas = " or ".join(allowed), ", ".join(allowed)
        yield place, text.format(**dataclasses.asdict(use), either=either, commas=commas)


def machine_warnings(spec: protos.Message, today: date) -> list[str]:
    """Return one line for everything that is retired: accelerators, and images past their dates."""
    notes: dict[str, None] = {}
    for pool in spec.worker_pool_specs:
        known = catalog.load().accelerators.get(_accelerator_name(pool.machine_spec))
        if known is not None and known.is_retired:
            notes[f"accelerator {known.name} ({known.note})"] = None
        uri = pool.python_package_spec.executor_image_uri or pool.container_spec.image_uri
        if reason := why_gone(uri, today):
            notes[f"image {uri} ({reason})"] = None
    if not notes:
        return []
    return [f"Retired on Vertex AI, rehearsed here all the same: {'; '.join(notes)}."]
