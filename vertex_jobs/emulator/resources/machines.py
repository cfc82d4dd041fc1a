"""Machines, accelerators, disks and images of a job, checked against the catalog.

The texts are the service's where they are publicly known. Retired accelerators and images that are
past their dates run here with a warning: the point is to rehearse.
Source: "Configure compute resources", "Prebuilt containers", troubleshooting; public reports.
"""

from datetime import date

from vertex_jobs.catalog import Catalog, Machine, TpuMachine
from vertex_jobs.catalog.container_images import can_be_pulled, listed_image
from vertex_jobs.emulator import protos

__all__ = ["check_image", "check_machines", "machine_warnings"]

Faults = list[tuple[str, str]]


def check_machines(catalog: Catalog, spec: protos.Message, path: str) -> Faults:
    """Machine, accelerator and disk of every pool that runs something."""
    faults: Faults = []
    for number, pool in enumerate(spec.worker_pool_specs):
        if pool.WhichOneof("task") is None:
            continue
        where = f"{path}.worker_pool_specs[{number}]"
        faults += _check_machine(catalog, pool.machine_spec, f"{where}.machine_spec")
        faults += _check_disk(catalog, pool.disk_spec, f"{where}.disk_spec")
        tpu = pool.machine_spec.machine_type in catalog.tpu_machines
        if tpu and (len(spec.worker_pool_specs) > 1 or pool.replica_count > 1):
            faults.append((where, "A TPU job has one worker pool with one replica."))
    return faults


def _check_machine(catalog: Catalog, spec: protos.Message, path: str) -> Faults:
    name = spec.machine_type
    if not name:
        return [(f"{path}.machine_type", "The machine type is required.")]
    machine = catalog.machines.get(name)
    tpu = catalog.tpu_machines.get(name)
    if machine is None and tpu is None:
        return [(f"{path}.machine_type", f'Machine type "{name}" is not supported.')]
    accelerator = _accelerator_name(spec)
    if bool(accelerator) != bool(spec.accelerator_count):
        return [
            (path, "accelerator_type and accelerator_count must be set together, or not at all.")
        ]
    if machine is not None:
        return _check_accelerator(catalog, machine, accelerator, spec, path)
    assert tpu is not None
    return _check_tpu(tpu, accelerator, spec, path)


def _accelerator_name(spec: protos.Message) -> str:
    """The accelerator's name; empty when none is asked for."""
    if not spec.accelerator_type:
        return ""
    return str(protos.AcceleratorType(spec.accelerator_type).name)


def _check_accelerator(
    catalog: Catalog, machine: Machine, name: str, spec: protos.Message, path: str
) -> Faults:
    if not name:
        if machine.accelerator_required:
            needed = ", ".join(machine.accelerators)
            return [(path, f'Machine type "{machine.name}" requires an accelerator: {needed}.')]
        return []
    known = catalog.accelerators.get(name)
    takes_any = bool(machine.accelerators) and not machine.accelerator_required
    if known is not None and known.is_retired and takes_any:
        return []
    if name not in machine.accelerators:
        text = f'Accelerator "{name}" is not supported for machine type "{machine.name}"'
        return [(f"{path}.accelerator_type", text)]
    counts = machine.accelerators[name]
    if spec.accelerator_count not in counts:
        listed = ", ".join(str(count) for count in counts)
        return [
            (
                f"{path}.accelerator_count",
                f'{spec.accelerator_count} of accelerator "{name}" are not supported for machine '
                f'type "{machine.name}"; allowed: {listed}.',
            )
        ]
    return []


def _check_tpu(machine: TpuMachine, accelerator: str, spec: protos.Message, path: str) -> Faults:
    if machine.accelerators:
        if accelerator not in machine.accelerators:
            needed = " or ".join(machine.accelerators)
            return [(path, f'Machine type "{machine.name}" requires {needed}.')]
        return []
    if accelerator:
        text = f'Accelerator "{accelerator}" is not supported for machine type "{machine.name}"'
        return [(f"{path}.accelerator_type", text)]
    if spec.tpu_topology not in machine.topologies:
        listed = ", ".join(machine.topologies)
        return [(f"{path}.tpu_topology", f"{spec.tpu_topology!r} is not one of {listed}.")]
    return []


def _check_disk(catalog: Catalog, spec: protos.Message, path: str) -> Faults:
    faults: Faults = []
    if spec.boot_disk_type and spec.boot_disk_type not in catalog.boot_disks:
        listed = ", ".join(catalog.boot_disks)
        faults.append(
            (f"{path}.boot_disk_type", f"{spec.boot_disk_type!r} is not one of {listed}.")
        )
    low, high = catalog.limits.boot_disk_gb_min, catalog.limits.boot_disk_gb_max
    if spec.boot_disk_size_gb and not low <= spec.boot_disk_size_gb <= high:
        faults.append(
            (f"{path}.boot_disk_size_gb", f"{spec.boot_disk_size_gb} is not in [{low}, {high}].")
        )
    return faults


def check_image(uri: str, path: str) -> Faults:
    """Return the fault of an image that training cannot pull."""
    return [] if can_be_pulled(uri) else [(path, "Invalid image URI")]


def machine_warnings(catalog: Catalog, spec: protos.Message, today: date) -> list[str]:
    """One line for everything that is retired: accelerators, and images past their dates."""
    notes: dict[str, None] = {}
    for pool in spec.worker_pool_specs:
        known = catalog.accelerators.get(_accelerator_name(pool.machine_spec))
        if known is not None and known.is_retired:
            notes[f"accelerator {known.name} ({known.note})"] = None
        uri = pool.python_package_spec.executor_image_uri or pool.container_spec.image_uri
        image = listed_image(uri)
        if image is not None and image.end_of_availability < today:
            notes[f"image {image.name} (end of availability {image.end_of_availability})"] = None
    if not notes:
        return []
    return [f"Retired on Vertex AI, rehearsed here all the same: {'; '.join(notes)}."]
