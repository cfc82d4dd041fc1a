"""The catalog as a whole: each part is read from its file when it is first asked for.

For ``catalog.load``. A preview of a request asks for limits and addresses alone, so these are in a
small file of their own.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from vertex_jobs.catalog.rows import (
    Accelerator,
    BootDisk,
    DistributionNames,
    Dropped,
    Image,
    ImageAddresses,
    Limits,
    Machine,
    Price,
    PublicImage,
    RegionReport,
    Replacement,
    TpuMachine,
)

Record = TypeVar("Record")
Priced = TypeVar("Priced", Machine, Accelerator)

_FRAMEWORKS = ("tensorflow", "pytorch", "sklearn", "xgboost", "ray")


class Catalog:
    """Everything that is known of the hardware, the images, the limits and the prices."""

    @cached_property
    def _small(self) -> Mapping[str, Any]:
        return _read("limits.yaml")

    @cached_property
    def _large(self) -> Mapping[str, Any]:
        return _read("catalog.yaml")

    @cached_property
    def limits(self) -> Limits:
        """Limits and defaults of the service."""
        return _record(Limits, {name: row["value"] for name, row in self._small["limits"].items()})

    @cached_property
    def boot_disks(self) -> Mapping[str, BootDisk]:
        """Boot disks by type."""
        return {name: _boot_disk(row) for name, row in self._small["boot_disks"].items()}

    @cached_property
    def image_addresses(self) -> ImageAddresses:
        """Addresses of container images."""
        row = self._small["images"]
        return _record(
            ImageAddresses,
            row,
            hosts=(*row["hosts"], *row["legacy_hosts"]),
            sdk_substrings=tuple(row["sdk_substrings"]),
            registries=tuple(row["registries"]),
            keras_3_since=tuple(row["keras_3_since"]),
            tpu_machines=tuple(row["tpu_machines"]),
            numpy_2_since=tuple(row["numpy_2_since"]),
        )

    @property
    def as_of(self) -> date:
        """The date of this state of knowledge."""
        as_of: date = self._large["meta"]["as_of"]
        return as_of

    @property
    def price_region(self) -> str:
        """Where the prices hold."""
        return str(self._large["meta"]["price_region"])

    @property
    def spot_max_discount(self) -> float:
        """The largest share by which a spot machine is cheaper."""
        return float(self._large["meta"]["spot_max_discount"]["value"])

    @cached_property
    def accelerators(self) -> Mapping[str, Accelerator]:
        """Accelerators by name."""
        return {
            name: _record(Accelerator, row, name=name, price=_price(row["price"]))
            for name, row in self._large["accelerators"].items()
        }

    @cached_property
    def machines(self) -> Mapping[str, Machine]:
        """Machines by name, without TPU machines."""
        return {name: _machine(name, row) for name, row in self._large["machines"].items()}

    @cached_property
    def tpu_machines(self) -> Mapping[str, TpuMachine]:
        """TPU machines by name."""
        return {name: _tpu_machine(name, row) for name, row in self._large["tpu_machines"].items()}

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """The regions that the SDK accepts."""
        return tuple(self._large["regions"]["sdk_accepted"])

    @cached_property
    def region_reports(self) -> Mapping[str, RegionReport]:
        """Reports by accelerator; the table of Google's documentation was not obtained."""
        return {
            name: RegionReport(tuple(row["reported_ok"]), tuple(row["reported_unsupported"]))
            for name, row in self._large["regions"]["accelerator_reports"].items()
        }

    @cached_property
    def images(self) -> Mapping[str, Image]:
        """Prebuilt training images by short name, e.g. ``tf-cpu.2-17.py310``."""
        groups = self._large["training_images"]
        return {
            name: _record(Image, row, name=name, framework=framework, version=str(version))
            for framework in _FRAMEWORKS
            for version, row in groups[framework].items()
            for name in row["images"]
        }

    @cached_property
    def public_images(self) -> Mapping[str, PublicImage]:
        """Images on Docker Hub by name and tag, e.g. ``python:3.11-slim``."""
        rows = self._large["public_images"]
        return {name: _record(PublicImage, row, name=name) for name, row in rows.items()}

    @cached_property
    def distributions(self) -> DistributionNames:
        """What is known of distributions without installing them."""
        row = self._large["distributions"]
        variants = {
            other: name for name, others in row["variants"].items() for other in (name, *others)
        }
        dropped = {name: _record(Dropped, one) for name, one in row["dropped"].items()}
        return _record(DistributionNames, row, variants=variants, dropped=dropped)

    @cached_property
    def replacements(self) -> Mapping[tuple[str, str], Replacement]:
        """Images for those that are gone, by framework and hardware: ``cpu``, ``gpu``, ``tpu``."""
        return {
            (framework, hardware): _record(Replacement, row)
            for framework, rows in self._large["replacements"].items()
            for hardware, row in rows.items()
        }

    @property
    def priced_names(self) -> tuple[str, ...]:
        """What has a price: machines, accelerators that are not part of one, and boot disks."""
        attached = [name for name, one in self.accelerators.items() if not one.bundled]
        return (*self.machines, *self.tpu_machines, *attached, *self.boot_disks)

    def with_prices(self, own: Mapping[str, float]) -> "Catalog":
        """Return the same with other prices of some of the ``priced_names``.

        They are in US dollars per hour, of one machine, accelerator or, of a TPU with accelerator
        type, board; of a boot disk per GB and month.
        """
        if not own:
            return self
        prices = {name: Price(usd, "high", None, "own") for name, usd in own.items()}
        copy = Catalog()
        copy.machines = _priced(self.machines, prices)
        copy.accelerators = _priced(self.accelerators, prices)
        copy.tpu_machines = {
            name: replace(one, prices={**one.prices, **_board_prices(one, prices)})
            for name, one in self.tpu_machines.items()
        }
        copy.boot_disks = {
            name: replace(one, usd_per_gb_month=own[name], confidence="high", basis="own")
            if name in own
            else one
            for name, one in self.boot_disks.items()
        }
        return copy

    def boot_disk_of(self, machine_type: str) -> str:
        """Return the type of boot disk that a machine gets unasked."""
        default = ""
        for name, disk in self.boot_disks.items():
            if machine_type in disk.machines:
                return name
            default = name if disk.is_default else default
        return default


@cache
def load() -> Catalog:
    """Return the catalog, the same one throughout a process."""
    return Catalog()


def _read(file: str) -> Mapping[str, Any]:
    import yaml

    # The C parser reads a file in a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    form: Mapping[str, Any] = yaml.load(Path(__file__).with_name(file).read_bytes(), Loader=loader)
    return form


def _record(kind: type[Record], row: Mapping[str, Any], **given: Any) -> Record:
    names = kind.__annotations__.keys() - given.keys()
    return kind(**{name: row[name] for name in names}, **given)


def _price(row: Mapping[str, Any] | None) -> Price | None:
    return None if row is None else Price(**row)


def _priced(rows: Mapping[str, Priced], prices: Mapping[str, Price]) -> Mapping[str, Priced]:
    return {name: replace(one, price=prices.get(name, one.price)) for name, one in rows.items()}


def _board_prices(machine: TpuMachine, prices: Mapping[str, Price]) -> dict[str, Price]:
    """Return a TPU's own prices by accelerator; the empty one for a machine without a type."""
    names = {kind: kind for kind in machine.accelerators} or {"": machine.name}
    return {kind: prices[name] for kind, name in names.items() if name in prices}


def _boot_disk(row: Mapping[str, Any]) -> BootDisk:
    machines = row["default_for"]
    own = tuple(machines) if isinstance(machines, list) else ()
    return _record(BootDisk, row, machines=own, is_default=machines == "all_other_machines")


def _machine(name: str, row: Mapping[str, Any]) -> Machine:
    counts = {accelerator: tuple(some) for accelerator, some in row["accelerators"].items()}
    return _record(Machine, row, name=name, accelerators=counts, price=_price(row["price"]))


def _tpu_machine(name: str, row: Mapping[str, Any]) -> TpuMachine:
    prices, topologies = row["price"] or {}, row.get("topologies", {})
    return _record(
        TpuMachine,
        row,
        name=name,
        generation=row.get("generation", ""),
        accelerators=tuple(row.get("accelerators", ())),
        board_cores=row.get("board_cores", 0),
        slice_cores=row.get("slice_cores", 0),
        topologies=tuple(topologies),
        virtual_machines={name: machines for name, (_, machines) in topologies.items()},
        prices={accelerator: Price(**price) for accelerator, price in prices.items()},
    )
