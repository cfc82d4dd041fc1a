"""The catalog of machines and images: complete, typed, and honest about what is unknown."""

import pytest

from vertex_jobs import catalog

TABLE = catalog.load()


def test_every_machines_accelerators_are_known() -> None:
    named = {name for machine in TABLE.machines.values() for name in machine.accelerators}
    assert named - TABLE.accelerators.keys() == set()


def test_prices_that_are_unknown_are_none() -> None:
    prices = [machine.price for machine in TABLE.machines.values()]
    assert None in prices
    assert all(price is None or price.usd_per_hour > 0 for price in prices)


@pytest.mark.parametrize(
    ("uri", "version"),
    [
        ("us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest", "2.17"),
        ("europe-docker.pkg.dev/vertex-ai/training/tf-gpu.2-4:latest", "2.4"),
        ("gcr.io/cloud-aiplatform/training/pytorch-gpu.2-4.py310", "2.4"),
    ],
)
def test_an_image_is_found_by_its_uri(uri: str, version: str) -> None:
    image = TABLE.image(uri)
    assert image is not None
    assert image.version == version


def test_any_other_image_is_none() -> None:
    assert TABLE.image("gcr.io/p/tf-cpu.2-17.py310:latest") is None


def test_retired_accelerators() -> None:
    retired = sorted(one.name for one in TABLE.accelerators.values() if one.is_retired)
    assert retired == ["NVIDIA_TESLA_K80", "NVIDIA_TESLA_P100"]


def test_the_default_region_is_one_of_the_regions() -> None:
    assert TABLE.default_region in TABLE.regions
