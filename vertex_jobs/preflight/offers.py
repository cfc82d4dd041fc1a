"""The machines on offer, each with its accelerators and its price.

For the verb ``machines``. If an accelerator is asked for there is an offer for each kind and count
of it, else one for each machine.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs.catalog import Catalog
from vertex_jobs.catalog.machine_rules import MachineUse
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.preflight.cost import Rate, rate
from vertex_jobs.spec.spelling import suggestion


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


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What an offer has to be; an empty filter, or 0, lets everything through.

    Attributes:
        gpu: An accelerator in full, or the start of its short name: ``L4``, ``H100``.
        machine: The start of a name.
        tpu: Asks for TPUs alone.
        topology: One of TPUs, as ``2x4``.
        region: One where the accelerator must not be reported as refused.
        cpus: The fewest vCPUs.
        memory_gb: The least memory.
    """

    gpu: str = ""
    machine: str = ""
    tpu: bool = False
    topology: str = ""
    region: str = ""
    cpus: int = 0
    memory_gb: float = 0


def find_offers(catalog: Catalog, filters: Filters) -> list[Offer]:
    """Return the offers that the filters let through.

    They are in the catalog's order; if a size is asked for, those with a price from the cheapest
    on, then the others.

    Raises:
        InvalidJobError: If there is no such accelerator, machine, topology or region.
    """
    accelerators = _checked(catalog, filters)
    location = filters.region or catalog.price_region
    found: list[Offer] = []
    if not (filters.tpu or filters.topology):
        for accelerator in accelerators or ("",):
            found += _machines(catalog, accelerator, location)
    if not accelerators:
        found += _tpus(catalog, location, filters.topology)
    fitting = [
        offer
        for offer in found
        if offer.machine_type.startswith(filters.machine)
        and (offer.vcpus or 0) >= filters.cpus
        and (offer.memory_gb or 0) >= filters.memory_gb
        and _may_be_in(catalog, offer, filters.region)
    ]
    if filters.cpus or filters.memory_gb:
        fitting.sort(key=lambda offer: (not offer.rate.hourly.is_complete, offer.rate.hourly.high))
    return fitting


def _checked(catalog: Catalog, filters: Filters) -> tuple[str, ...]:
    """Return the accelerators' full names, none for any; refuse every filter that names nothing."""
    faults = []
    gpu, machine, region = filters.gpu, filters.machine, filters.region
    gpus = [name for name in catalog.accelerators if name.startswith("NVIDIA")]
    named = tuple(name for name in gpus if gpu and _means(gpu, name))
    if gpu and not named:
        listed = f"use one of {', '.join(map(_short, gpus))}"
        rule = "is no GPU of training"
        faults.append(Fault("--gpu", gpu, rule, suggestion(gpu, map(_short, gpus), listed)))
    topologies = {name for tpu in catalog.tpu_machines.values() for name in tpu.topologies}
    if filters.topology and filters.topology not in topologies:
        listed = f"use one of {', '.join(sorted(topologies, key=_chips))}"
        rule = "is no topology of a TPU"
        faults.append(Fault("--topology", filters.topology, rule, listed))
    names = [*catalog.machines, *catalog.tpu_machines]
    if not any(one.startswith(machine) for one in names):
        rule = "begins no machine's name"
        faults.append(Fault("--machine", machine, rule, suggestion(machine, names, "write g2")))
    if region and region not in catalog.regions:
        remedy = suggestion(region, catalog.regions, "write one such as europe-west4")
        faults.append(Fault("--region", region, "is no region of Vertex AI", remedy))
    if faults:
        raise InvalidJobError(faults, "command line")
    return named


def _means(word: str, name: str) -> bool:
    """Return whether a word is a name or the start of its short form."""
    plain = word.upper().replace("-", "_").removeprefix("NVIDIA_").removeprefix("TESLA_")
    return _short(name).startswith(plain)


def _short(name: str) -> str:
    return name.removeprefix("NVIDIA_").removeprefix("TESLA_")


def _chips(topology: str) -> int:
    return math.prod(map(int, topology.split("x")))


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


def _tpus(catalog: Catalog, location: str, topology: str) -> Iterator[Offer]:
    for name, machine in catalog.tpu_machines.items():
        if topology and topology not in machine.topologies:
            continue
        for accelerator in machine.accelerators or ("",):
            use = MachineUse(name, 1, accelerator, machine.board_cores, topology)
            shown = (topology,) if topology else machine.topologies
            kinds: dict[str, tuple[int | str, ...]] = {"topology": shown}
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
