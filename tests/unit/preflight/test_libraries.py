"""Libraries: an import that nothing brings, and a requirement that does not fit its image."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from configs_to_check import CUSTOM, SOUND

from vertex_jobs.preflight import Report

Checked = Callable[..., Report]

TENSORFLOW = "docker.io/tensorflow/tensorflow:2.21.0"
SLIM = "docker.io/python:3.11-slim"
PREBUILT = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
GPU = {"accelerator_type": "NVIDIA_TESLA_T4", "accelerator_count": 1}
TPU = {"machine_type": "ct5lp-hightpu-1t", "tpu_topology": "1x1"}


@pytest.fixture
def found(checked: Checked, tmp_path: Path) -> Callable[..., list[tuple[str, str]]]:
    """Checks a script, and returns severity and text of every fault."""

    def check(source: str, image: str = TENSORFLOW, **fields: Any) -> list[tuple[str, str]]:
        (tmp_path / "train.py").write_text(source)
        on = fields.pop("on", "vertex")
        config = {**CUSTOM, **SOUND, "script_path": "train.py", "container_uri": image, **fields}
        return [
            (fault.severity, f"{fault.subject}: {fault.rule}; {fault.remedy}")
            for fault in checked(config, on=on).faults
        ]

    return check


Found = Callable[..., list[tuple[str, str]]]


@pytest.mark.parametrize(
    ("source", "image", "requirements"),
    [
        ("import keras, numpy, tensorflow", TENSORFLOW, []),
        ("import sklearn.datasets", TENSORFLOW, ["scikit-learn"]),
        ("import scipy", TENSORFLOW, ["scikit-learn"]),
        ("import hypertune", TENSORFLOW, []),
        ("import tensorflow, keras", SLIM, ["tensorflow==2.21.*"]),
        ("import tensorflow", SLIM, ["tensorflow-cpu==2.21.*"]),
        ("import google.cloud.storage", SLIM, ["google-cloud-storage"]),
        ("import optuna", "docker.io/me/x", []),
        ("import tensorflow as tf\ntf.summary.scalar('a', 1)", PREBUILT, []),
    ],
)
def test_what_is_brought_is_not_named(
    source: str, image: str, requirements: list[str], found: Found
) -> None:
    assert [
        text for text in found(source, image, requirements=requirements) if "import" in text[1]
    ] == []


def test_an_import_that_only_this_machine_has_is_an_error(found: Found) -> None:
    (fault,) = found("import json\nimport optuna")
    assert fault == (
        "error",
        "requirements = 'optuna': is imported by train.py:2, and neither image, requirements nor "
        f"package bring it; add optuna=={version('optuna')} to requirements",
    )


def test_here_it_is_a_warning(found: Found) -> None:
    ((severity, _),) = found("import optuna", on="local")
    assert severity == "warning"


def test_tensorboard_is_named_where_tensorflow_no_longer_brings_it(found: Found) -> None:
    ((severity, text),) = found("import keras\nkeras.callbacks.TensorBoard('x')")
    assert (severity, text.partition(";")[2]) == (
        "error",
        f" add tensorboard=={version('tensorboard')} to requirements",
    )


@pytest.mark.parametrize(
    ("machine", "remedy"),
    [
        ({}, f"write container_uri: {TENSORFLOW}"),
        (GPU, "add tensorflow[and-cuda]==2.21.* to requirements"),
        (TPU, "add tensorflow-tpu==2.20.* to requirements"),
    ],
)
def test_python_alone_has_no_tensorflow(machine: dict[str, Any], remedy: str, found: Found) -> None:
    ((severity, text),) = found("import keras, numpy\nimport tensorflow", SLIM, **machine)
    assert (severity, text.partition("; ")[2]) == ("error", remedy)


@pytest.mark.parametrize(
    ("source", "image", "requirements"),
    [
        ("def f():\n    import optuna", TENSORFLOW, []),
        ("import optuna", PREBUILT, []),
        ("import optuna", TENSORFLOW, ["some-private-thing"]),
    ],
)
def test_what_may_be_there_is_a_warning(
    source: str, image: str, requirements: list[str], found: Found
) -> None:
    faults = found(source, image, requirements=requirements)
    assert [severity for severity, text in faults if "is imported by" in text] == ["warning"]


@pytest.mark.parametrize(
    ("requirement", "image", "words"),
    [
        (
            "tf_keras",
            TENSORFLOW,
            "follows TensorFlow release by release, and the image has TensorF"
            "low 2.21.0, which pip would replace; write tf_keras==2.21.*",
        ),
        ("tensorflow-text==2.17.*", TENSORFLOW, "write tensorflow-text==2.21.*"),
        ("tf_keras==2.21.0", TENSORFLOW, ""),
        ("tensorflow==2.20.0", TENSORFLOW, "asks for another release"),
        ("tensorflow==2.21.*", TENSORFLOW, ""),
        ("tensorflow-cpu", TENSORFLOW, "installs a second TensorFlow over it"),
        ("jax", PREBUILT, "requires numpy>=2"),
        ("jax", TENSORFLOW, ""),
        ("numpy>=2", PREBUILT, "asks for another release, and the image has NumPy 1.26"),
        ("scikit-learn", PREBUILT, ""),
        ("tf_keras", SLIM, ""),
    ],
)
def test_a_requirement_that_replaces_what_the_image_has(
    requirement: str, image: str, words: str, found: Found
) -> None:
    texts = [text for _, text in found("", image, requirements=[requirement])]
    replacing = [text for text in texts if "replace" in text]
    assert [words in text for text in replacing] == ([True] if words else [])


@pytest.mark.parametrize(
    ("machine", "requirement", "remedy"),
    [
        (GPU, "tensorflow==2.21.0", "write tensorflow[and-cuda]==2.21.*"),
        (GPU, "tensorflow[and-cuda]==2.21.0", ""),
        (TPU, "tensorflow==2.21.0", "write tensorflow-tpu==2.20.*"),
        (TPU, "tensorflow-tpu==2.20.0", ""),
        ({}, "tensorflow==2.21.0", ""),
    ],
)
def test_tensorflow_that_would_leave_its_hardware_idle(
    machine: dict[str, Any], requirement: str, remedy: str, found: Found
) -> None:
    texts = [text for _, text in found("", SLIM, requirements=[requirement], **machine)]
    assert [text.rpartition("; ")[2] for text in texts] == ([remedy] if remedy else [])


def test_the_slim_image_has_no_git(found: Found) -> None:
    line = "keras @ git+https://github.com/keras-team/keras"
    ((severity, text),) = found("", SLIM, requirements=[line])
    assert severity == "error"
    assert "pip needs git for it, and the slim Python image has none" in text
