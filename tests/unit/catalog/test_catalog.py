"""The catalog of machines and images: complete, typed, and honest about what is unknown."""

from typing import get_args

import pytest

from vertex_jobs import catalog
from vertex_jobs.catalog.container_images import public_image
from vertex_jobs.spec.machine_fields import AcceleratorType, DiskType

TABLE = catalog.load()


def test_every_machines_accelerators_are_known() -> None:
    named = {name for machine in TABLE.machines.values() for name in machine.accelerators}
    assert named - TABLE.accelerators.keys() == set()


def test_prices_that_are_unknown_are_none() -> None:
    prices = [machine.price for machine in TABLE.machines.values()]
    assert None in prices
    assert all(price is None or price.usd_per_hour > 0 for price in prices)


def test_retired_accelerators() -> None:
    retired = sorted(one.name for one in TABLE.accelerators.values() if one.is_retired)
    assert retired == ["NVIDIA_TESLA_K80", "NVIDIA_TESLA_P100"]


def test_the_default_images_are_those_that_replace_googles() -> None:
    addresses = TABLE.image_addresses
    defaults = [addresses.default_cpu, addresses.default_gpu, addresses.default_tpu]
    kinds = ("cpu", "gpu", "tpu")
    assert defaults == [TABLE.replacements["tensorflow", kind].image for kind in kinds]


def test_the_default_images_are_public_and_without_a_fault() -> None:
    addresses = TABLE.image_addresses
    defaults = [addresses.default_cpu, addresses.default_gpu, addresses.default_tpu]
    found = [public_image(uri) for uri in defaults]
    assert [image.fault if image else "unknown" for image in found] == [None, None, None]


def test_machines_with_tpus_are_told_by_their_names() -> None:
    begin = TABLE.image_addresses.tpu_machines
    assert all(name.startswith(begin) for name in TABLE.tpu_machines)
    assert not any(name.startswith(begin) for name in TABLE.machines)


@pytest.mark.parametrize(
    ("machine", "disk"),
    [("n1-standard-4", "pd-ssd"), ("a4-highgpu-8g", "hyperdisk-balanced")],
)
def test_the_boot_disk_that_a_machine_gets_unasked(machine: str, disk: str) -> None:
    assert TABLE.boot_disk_of(machine) == disk


def test_limits_are_read_without_the_long_tables() -> None:
    table = catalog.Catalog()
    assert table.limits.boot_disk_gb_max == 64000
    assert "_large" not in vars(table)


def test_the_spec_has_words_for_the_catalogs_accelerators_and_disks() -> None:
    assert set(get_args(AcceleratorType)) == set(TABLE.accelerators)
    assert set(get_args(DiskType)) == set(TABLE.boot_disks)


def test_the_default_region_is_one_of_the_regions() -> None:
    assert TABLE.limits.region_default in TABLE.regions
