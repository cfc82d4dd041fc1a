"""Layouts change where weights lie, and nothing else: the scripts, run bare."""

import os
import re
import subprocess
import sys

import pytest
from finished import ROOT

pytestmark = [pytest.mark.extended, pytest.mark.tensorflow]


def run(script: str, *arguments: str, folder: object, **variables: str) -> tuple[int, str]:
    """Exit code, and both streams, of ``python trial_scripts/<script>``."""
    command = [sys.executable, f"trial_scripts/{script}", f"--output_dir={folder}", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def losses(text: str) -> list[float]:
    """Every loss of the training, epoch by epoch."""
    found = [float(value) for value in re.findall(r"(?<!_)loss:? (\d\.\d+)", text)]
    assert found, text[-2000:]
    return found


@pytest.mark.parametrize("mesh", ["8x1", "4x2"])
def test_dtensor_learns_what_one_device_learns(
    tmp_path: object, mesh: str, one_device: list[float]
) -> None:
    share = f"--mesh_model={mesh[-1]}"
    code, text = run("dtensor_layouts.py", share, "--epochs=3", folder=tmp_path)
    assert code == 0, text[-2000:]
    assert losses(text) == pytest.approx(one_device, abs=1e-4)


@pytest.fixture(scope="module")
def one_device(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    arguments = ("--devices=1", "--mesh_model=1", "--epochs=3")
    folder = tmp_path_factory.mktemp("one-device")
    return losses(run("dtensor_layouts.py", *arguments, folder=folder)[1])


def test_dtensor_names_numbers_that_do_not_divide(tmp_path: object) -> None:
    code, text = run("dtensor_layouts.py", "--mesh_model=3", folder=tmp_path)
    assert code == 1
    assert "devices must divide by mesh_model" in text


def test_keras_distribution_learns_what_one_device_learns(tmp_path: object) -> None:
    arguments = ("keras_distribution.py", "--epochs=3")
    one = run(*arguments, "--mesh_model=1", folder=tmp_path, XLA_FLAGS="")[1]
    assert "on each of 1 devices" in one
    several = run(*arguments, "--mesh_model=2", folder=tmp_path)[1]
    assert "on each of 8 devices" in several
    assert losses(several) == pytest.approx(losses(one), abs=1e-4)


def test_keras_distribution_refuses_tensorflow(tmp_path: object) -> None:
    code, text = run("keras_distribution.py", folder=tmp_path, KERAS_BACKEND="tensorflow")
    assert code == 1
    assert "Keras runs on tensorflow, where keras.distribution takes every layout" in text
