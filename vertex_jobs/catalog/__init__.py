"""Machines, accelerators, prebuilt images, limits and prices of Vertex AI training, as data.

For preflight, cost estimates, the verb ``machines`` and the emulator's admission. The table is
``catalog.yaml`` beside this file; every block there names its source, and ``as_of`` is its date.
What is unknown is None, never 0. It contacts nothing.
"""

import functools
from collections.abc import Mapping
from datetime import date
from importlib import resources
from typing import Any

from vertex_jobs.catalog.records import (
    Accelerator,
    BootDisk,
    Catalog,
    Image,
    Limit,
    Machine,
    Price,
    RegionReport,
    TpuMachine,
)

__all__ = [
    "Accelerator",
    "BootDisk",
    "Catalog",
    "Image",
    "Limit",
    "Machine",
    "Price",
    "RegionReport",
    "TpuMachine",
    "load",
]

_IMAGE_GROUPS = ("tensorflow", "pytorch", "sklearn", "xgboost", "ray")


@functools.cache
def load() -> Catalog:
    """The catalog; read once in a process."""
    import yaml

    # The C parser reads the file in a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = resources.files(__package__).joinpath("catalog.yaml").read_text(encoding="utf-8")
    form = yaml.load(text, Loader=loader)
    return Catalog(
        as_of=form["meta"]["as_of"],
        price_region=form["meta"]["price_region"],
        spot_max_discount=form["meta"]["spot_max_discount"]["value"],
        limits={name: Limit(**row) for name, row in form["limits"].items()},
        boot_disks={name: _boot_disk(row) for name, row in form["boot_disks"].items()},
        accelerators={name: _accelerator(name, row) for name, row in form["accelerators"].items()},
        machines={name: _machine(name, row) for name, row in form["machines"].items()},
        tpu_machines={name: _tpu_machine(name, row) for name, row in form["tpu_machines"].items()},
        default_region=form["regions"]["default"],
        regions=tuple(form["regions"]["sdk_accepted"]),
        region_reports={
            name: RegionReport(tuple(row["reported_ok"]), tuple(row["reported_unsupported"]))
            for name, row in form["regions"]["accelerator_reports"].items()
        },
        image_hosts=(
            *form["training_images"]["hosts"],
            *form["training_images"]["legacy_hosts"],
        ),
        images=_images(form["training_images"]),
    )


def _price(row: Mapping[str, Any] | None) -> Price | None:
    return None if row is None else Price(**row)


def _boot_disk(row: Mapping[str, Any]) -> BootDisk:
    machines = row["default_for"]
    return BootDisk(
        default_for=tuple(machines) if isinstance(machines, list) else (),
        is_default=machines == "all_other_machines",
        usd_per_gb_month=row["usd_per_gb_month"],
        confidence=row["confidence"],
    )


def _accelerator(name: str, row: Mapping[str, Any]) -> Accelerator:
    return Accelerator(
        name=name,
        enum=row["enum"],
        status=row["status"],
        bundled=row["bundled"],
        price=_price(row["price"]),
        quota=row["quota"],
        note=row["note"],
    )


def _machine(name: str, row: Mapping[str, Any]) -> Machine:
    counts = {accelerator: tuple(some) for accelerator, some in row["accelerators"].items()}
    return Machine(
        name=name,
        vcpus=row["vcpus"],
        memory_gb=row["memory_gb"],
        accelerators=counts,
        accelerator_required=row["accelerator_required"],
        price=_price(row["price"]),
    )


def _tpu_machine(name: str, row: Mapping[str, Any]) -> TpuMachine:
    prices, topologies = row["price"] or {}, row.get("topologies", {})
    return TpuMachine(
        name=name,
        vcpus=row["vcpus"],
        memory_gb=row["memory_gb"],
        accelerators=tuple(row.get("counts", ())),
        topologies=tuple(topologies),
        virtual_machines={name: machines for name, (_, machines) in topologies.items()},
        prices={accelerator: Price(**price) for accelerator, price in prices.items()},
    )


def _images(form: Mapping[str, Any]) -> dict[str, Image]:
    """Every image by its short name, e.g. ``tf-cpu.2-17.py310``."""
    images = {}
    for framework in _IMAGE_GROUPS:
        for version, row in form[framework].items():
            for name in row["images"]:
                images[name] = Image(
                    name=name,
                    framework=framework,
                    version=str(version),
                    python=row["python"],
                    cuda=row["cuda"],
                    end_of_patch=_date(row["end_of_patch"]),
                    end_of_availability=_date(row["end_of_availability"]),
                )
    return images


def _date(value: Any) -> date:
    return value if isinstance(value, date) else date.fromisoformat(str(value))
