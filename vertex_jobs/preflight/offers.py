"""The machines on offer, each with its accelerators and its price.

For the verb ``machines``. If an accelerator is asked for there is an offer for each count of it,
else one for each machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs.catalog import Catalog
from vertex_jobs.catalog.machine_rules import MachineUse
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.preflight.cost import Rate, rate
from vertex_jobs.spec.spelling import nearest, suggestion


@dataclass(frozen=True)
class Offer:
    """A machine, and the accelerators that it can have.

    Attributes:
        vcpus: None where the documentation does not say, as with memory.
        accelerators: By type, the counts that the machine can have; of TPUs the topologies.
        rate: Per hour, without the boot disk; without accelerators, too, if they are attached to
            the machine and none was asked for.
        reported: Regions in which users got its accelerator; no table of Google's.
    """

    machine_type: str
    vcpus: int | None
    memory_gb: float | None
    accelerators: dict[str, tuple[int | str, ...]]
    rate: Rate
    reported: tuple[str, ...]


def find_offers(
    catalog: Catalog, *, gpu: str = "", machine: str = "", tpu: bool = False, region: str = ""
) -> Iterator[Offer]:
    """Yield the offers that the filters let through, in the catalog's order.

    An empty filter lets everything through. ``gpu`` is an accelerator, as ``L4`` or in full;
    ``machine`` is the start of a name; ``tpu`` asks for TPUs alone; ``region`` is one where the
    accelerator must not be reported as refused.

    Raises:
        InvalidJobError: If there is no such accelerator, machine or region.
    """
    accelerator = _checked(catalog, gpu, machine, region)
    location = region or catalog.price_region
    if not tpu:
        for offer in _machines(catalog, accelerator, location):
            if offer.machine_type.startswith(machine) and _may_be_in(catalog, offer, region):
                yield offer
    for offer in () if accelerator else _tpus(catalog, location):
        if offer.machine_type.startswith(machine):
            yield offer


def _checked(catalog: Catalog, gpu: str, machine: str, region: str) -> str:
    """Return the accelerator's full name, empty for any; refuse every filter that names nothing."""
    faults = []
    gpus = [name for name in catalog.accelerators if name.startswith("NVIDIA")]
    name = nearest(gpu, gpus) if gpu else None
    if gpu and (name is None or not _means(gpu, name)):
        listed = ", ".join(short.removeprefix("NVIDIA_") for short in gpus)
        faults.append(Fault("--gpu", gpu, "is no GPU of training", suggestion(gpu, gpus, listed)))
    names = [*catalog.machines, *catalog.tpu_machines]
    if not any(one.startswith(machine) for one in names):
        rule = "begins no machine's name"
        faults.append(Fault("--machine", machine, rule, suggestion(machine, names, "write g2")))
    if region and region not in catalog.regions:
        remedy = suggestion(region, catalog.regions, "write one such as europe-west4")
        faults.append(Fault("--region", region, "is no region of Vertex AI", remedy))
    if faults:
        raise InvalidJobError(faults, "command line")
    return name or ""


def _means(word: str, name: str) -> bool:
    """Return whether a word is a name or a part of it, so that no typing mistake passes for one."""
    return word.upper().replace("-", "_") in name


def _machines(catalog: Catalog, accelerator: str, location: str) -> Iterator[Offer]:
    for name, machine in catalog.machines.items():
        if accelerator and accelerator not in machine.accelerators:
            continue
        shown = {accelerator: machine.accelerators[accelerator]} if accelerator else None
        for count in shown[accelerator] if shown else (0,):
            use = MachineUse(name, 1, accelerator if count else "", count)
            yield Offer(
                name,
                machine.vcpus,
                machine.memory_gb,
                {accelerator: (count,)} if shown else dict(machine.accelerators),
                rate([use], location=location, strategy=None, catalog=catalog),
                _reported(catalog, tuple(shown or machine.accelerators)),
            )


def _tpus(catalog: Catalog, location: str) -> Iterator[Offer]:
    for name, machine in catalog.tpu_machines.items():
        for accelerator in machine.accelerators or ("",):
            use = MachineUse(name, 1, accelerator, machine.board_cores)
            kinds: dict[str, tuple[int | str, ...]] = {"topology": machine.topologies}
            if accelerator:
                kinds = {accelerator: (machine.board_cores, f"multiples of {machine.slice_cores}")}
            yield Offer(
                name,
                machine.vcpus,
                machine.memory_gb,
                kinds,
                rate([use], location=location, strategy=None, catalog=catalog),
                (),
            )


def _reported(catalog: Catalog, accelerators: tuple[str, ...]) -> tuple[str, ...]:
    found = (catalog.region_reports.get(name) for name in accelerators)
    return tuple(region for report in found if report for region in report.available)


def _may_be_in(catalog: Catalog, offer: Offer, region: str) -> bool:
    reports = (catalog.region_reports.get(name) for name in offer.accelerators)
    return not any(report is not None and region in report.refused for report in reports)
