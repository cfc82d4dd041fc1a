"""What the address of a container image says of it."""

from datetime import date

import pytest

from vertex_jobs import catalog
from vertex_jobs.catalog.container_images import (
    ImageContents,
    can_be_pulled,
    listed_image,
    parse_image,
    why_gone,
)


@pytest.mark.parametrize(
    ("uri", "image"),
    [
        (
            "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-17.py310:latest",
            ImageContents("tf", (2, 17), "3.10"),
        ),
        ("gcr.io/cloud-aiplatform/training/tf-gpu.2-4:latest", ImageContents("tf", (2, 4), "")),
        (
            "europe-docker.pkg.dev/vertex-ai/training/pytorch-gpu.2-4.py310:latest",
            ImageContents("pytorch", (2, 4), "3.10"),
        ),
        (
            "us-docker.pkg.dev/vertex-ai/training/tf-tpu.2-15.cp310:latest",
            ImageContents("tf", (2, 15), "3.10"),
        ),
        (
            "us-docker.pkg.dev/vertex-ai/training/scikit-learn-cpu.0-23:latest",
            ImageContents("scikit-learn", (0, 23), ""),
        ),
        (
            "docker.io/tensorflow/tensorflow:2.21.0@sha256:f325",
            ImageContents("tf", (2, 21, 0), "3.11", is_prebuilt=False),
        ),
        ("python:3.11-slim", ImageContents("", (3, 11), "3.11", is_prebuilt=False)),
        (
            "docker.io/library/python:3.12-slim",
            ImageContents("", (3, 12), "3.12", is_prebuilt=False),
        ),
        ("us-docker.pkg.dev/my-project/python:3.11-slim", None),
        ("us-docker.pkg.dev/my-project/repo/image:1", None),
        ("tf-gpu.2-4", None),
    ],
)
def test_names(uri: str, image: ImageContents | None) -> None:
    assert parse_image(uri) == image


@pytest.mark.parametrize(("version", "legacy"), [((2, 15), True), ((2, 16), False)])
def test_keras_2_ends_with_tensorflow_2_15(version: tuple[int, ...], legacy: bool) -> None:
    assert ImageContents("tf", version, "3.10").has_legacy_keras is legacy


@pytest.mark.parametrize(
    ("uri", "version"),
    [
        ("us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest", "2.17"),
        ("europe-docker.pkg.dev/vertex-ai/training/tf-gpu.2-4:latest", "2.4"),
        ("gcr.io/cloud-aiplatform/training/pytorch-gpu.2-4.py310", "2.4"),
    ],
)
def test_an_image_is_found_by_its_uri(uri: str, version: str) -> None:
    image = listed_image(uri)
    assert image is not None
    assert image.version == version


def test_any_other_image_is_none() -> None:
    assert listed_image("gcr.io/p/tf-cpu.2-17.py310:latest") is None


@pytest.mark.parametrize("name", catalog.load().images)
def test_every_listed_name_can_be_read(name: str) -> None:
    host = catalog.load().image_addresses.hosts[0]
    assert parse_image(f"{host}{name}:latest") is not None


@pytest.mark.parametrize(
    ("uri", "fits"),
    [
        ("us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest", True),
        ("gcr.io/p/i", True),
        ("tensorflow/tensorflow:2.17.0", True),
        ("python", True),
        ("quay.io/p/i", False),
        ("localhost.example.com/i", False),
        ("localhost:5000/i", False),
    ],
)
def test_registries(uri: str, fits: bool) -> None:
    assert can_be_pulled(uri) is fits


GONE = date(2026, 7, 12)


def test_an_image_is_gone_after_its_date() -> None:
    uri = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
    assert why_gone(uri, date(2026, 7, 11)) == ""
    assert why_gone(uri, GONE) == (
        "its availability ended on 2026-07-11, and such images are "
        '"no longer available for download"'
    )


def test_a_public_image_has_no_date() -> None:
    assert why_gone("docker.io/tensorflow/tensorflow:2.21.0", GONE) == ""


@pytest.mark.parametrize(
    ("uri", "requirements"),
    [
        (
            "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
            ("tensorflow==2.17.*", "cloudml-hypertune"),
        ),
        ("tensorflow/tensorflow:2.21.0", ("tensorflow==2.21.0",)),
        ("python:3.11-slim", ()),
    ],
)
def test_what_an_image_brings(uri: str, requirements: tuple[str, ...]) -> None:
    image = parse_image(uri)
    assert image is not None
    assert image.requirements == requirements
