import pytest

from vertex_jobs.emulator.replicas.images import Image, parse_image


@pytest.mark.parametrize(
    ("uri", "image"),
    [
        (
            "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-17.py310:latest",
            Image("tf", (2, 17), "3.10"),
        ),
        ("gcr.io/cloud-aiplatform/training/tf-gpu.2-4:latest", Image("tf", (2, 4), "")),
        (
            "europe-docker.pkg.dev/vertex-ai/training/pytorch-gpu.2-4.py310:latest",
            Image("pytorch", (2, 4), "3.10"),
        ),
        ("us-docker.pkg.dev/my-project/repo/image:1", None),
        ("tf-gpu.2-4", None),
    ],
)
def test_names(uri: str, image: Image | None) -> None:
    assert parse_image(uri) == image


@pytest.mark.parametrize(("version", "legacy"), [((2, 15), True), ((2, 16), False)])
def test_keras_2_ends_with_tensorflow_2_15(version: tuple[int, ...], legacy: bool) -> None:
    assert Image("tf", version, "3.10").has_legacy_keras is legacy
