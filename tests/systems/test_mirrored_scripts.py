"""Several devices compute what one computes, and a stopped run goes on as if it had not stopped.

The scripts run bare, a process for each number of replicas: TensorFlow allows one per process.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from finished import ROOT

pytestmark = [pytest.mark.extended, pytest.mark.tensorflow, pytest.mark.timeout(600)]

Run = Callable[..., str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a program in a directory of this module; answers stdout and stderr."""
    home = tmp_path_factory.mktemp("scripts")

    def finish(*words: str, **variables: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=home,
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:]
        return done.stdout

    return finish


@pytest.fixture(scope="module")
def fitted(run: Run) -> dict[int, str]:
    """What mirrored_fit printed, by number of replicas, with the same global batch and rate."""
    script = str(ROOT / "trial_scripts" / "mirrored_fit.py")
    common = ["--epochs=2", "--seed=3"]
    return {
        1: run(script, "--devices=1", "--batch_size=64", "--learning_rate=0.004", *common),
        2: run(
            *(script, "--devices=2", "--batch_size=32", "--learning_rate=0.002", *common),
            "--cross_device_ops=reduction_to_one",
        ),
        4: run(
            *(script, "--devices=4", "--global_batch_size=66", "--learning_rate=0.001", *common),
            "--cross_device_ops=hierarchical",
        ),
    }


def held_back_losses(printed: str) -> list[float]:
    return [float(text) for text in re.findall(r"held back loss (\S+),", printed)]


@pytest.mark.parametrize("devices", [2, 4])
def test_devices_together_compute_what_one_computes(fitted: dict[int, str], devices: int) -> None:
    np.testing.assert_allclose(
        held_back_losses(fitted[devices]), held_back_losses(fitted[1]), rtol=1e-4
    )


@pytest.mark.parametrize("devices", [1, 2, 4])
def test_a_saved_model_says_the_same_in_the_scope_and_outside(
    fitted: dict[int, str], devices: int
) -> None:
    losses = held_back_losses(fitted[devices])
    assert len(losses) == 3
    np.testing.assert_allclose(losses, losses[0], rtol=1e-5)


def test_it_runs_with_the_keras_2_of_the_image_for_tpus(run: Run) -> None:
    script = str(ROOT / "trial_scripts" / "mirrored_fit.py")
    losses = held_back_losses(run(script, "--epochs=1", TF_USE_LEGACY_KERAS="1"))
    assert len(losses) == 3
    np.testing.assert_allclose(losses, losses[0], rtol=1e-5)


def test_prediction_in_scope_is_right_as_often_as_evaluation_says(fitted: dict[int, str]) -> None:
    said = re.search(r"loaded in scope: .* accuracy (\S+)", fitted[2])
    predicted = re.search(r"predicted in scope: (\S+) right", fitted[2])
    assert said is not None
    assert predicted is not None
    assert predicted[1] == said[1]


def test_a_global_batch_that_does_not_divide_is_named_and_evened(fitted: dict[int, str]) -> None:
    assert "a global batch of 66 does not divide by 4 replicas: 64 is taken" in fitted[4]


@pytest.fixture(scope="module")
def looped(run: Run) -> dict[str, dict[int, float]]:
    """The transformer's loss at each step: on one device, on two until stopped, and gone on."""
    script = str(ROOT / "trial_scripts" / "mirrored_transformer.py")
    one = run(script, "--devices=1", "--batch_size=64", "--epochs=2", "--output_dir=one")
    two = [script, "--devices=2", "--batch_size=32", "--checkpoint_steps=15", "--output_dir=two"]
    stopped = run(*two, "--epochs=1")
    resumed = run(*two, "--epochs=2")
    assert "2 replicas, batch 64, from step 45" in resumed
    printed = {"one": one, "stopped": stopped, "resumed": resumed}
    return {
        name: {
            int(step): float(loss)
            for step, loss in re.findall(r"step (\d+): train loss (\S+)", text)
        }
        for name, text in printed.items()
    }


def test_the_loss_of_the_global_batch_is_that_of_one_device(
    looped: dict[str, dict[int, float]],
) -> None:
    """Over 100 steps they differed by 1e-7 at most, one unit of what is printed."""
    together = looped["stopped"] | looped["resumed"]
    assert list(together) == list(looped["one"]) == list(range(1, 101))
    np.testing.assert_allclose(
        list(together.values()), list(looped["one"].values()), rtol=1e-5, atol=2e-7
    )


def test_it_goes_on_from_its_checkpoint_with_the_same_losses(
    looped: dict[str, dict[int, float]],
) -> None:
    """Steps 46 to 50 came after the last checkpoint, so both runs did them."""
    again = {step: looped["resumed"][step] for step in range(46, 51)}
    before = {step: looped["stopped"][step] for step in range(46, 51)}
    assert again == pytest.approx(before, abs=1e-7)


HUBER = """
import keras
import numpy as np
import tensorflow as tf
from vertex_jobs.runtime import strategies

strategy = strategies.strategy("mirrored", devices=strategies.Devices(2))
huber = keras.losses.Huber(reduction="none")
targets = np.linspace(0, 3, 8, dtype="float32")
predictions = np.zeros(8, "float32")
batches = tf.data.Dataset.from_tensor_slices((targets, predictions)).batch(8)

@tf.function
def loss(batch, with_axis):
    def on_replica(targets, predictions):
        if with_axis:
            targets, predictions = targets[:, None], predictions[:, None]
        return tf.reduce_sum(huber(targets, predictions)) / 8  # by the global batch
    return strategy.reduce("SUM", strategy.run(on_replica, args=batch), axis=None)

whole = keras.losses.Huber()(targets[:, None], predictions[:, None])
for batch in strategy.experimental_distribute_dataset(batches):
    print(*(float(one) for one in (whole, loss(batch, True), loss(batch, False))))
"""


def test_huber_needs_an_axis_beside_the_batch(run: Run) -> None:
    """Without it the mean over each replica's 4 examples counts as one example: 4 times less."""
    whole, with_axis, without = map(float, run("-c", HUBER).splitlines()[-1].split())
    assert with_axis == pytest.approx(whole)
    assert without == pytest.approx(whole / 4)


def first_epoch(run_forever: list[str], home: Path, until: str) -> int:
    """Start a training, kill it when it has printed a text, and tell its first epoch."""
    command = [sys.executable, *run_forever]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=home, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if until in line:
                break
        process.kill()
    found = re.search(r"Epoch (\d+)/", printed)
    assert found is not None, printed
    return int(found[1])


def test_a_killed_fit_goes_on_with_the_epoch_that_it_had_not_finished(tmp_path: Path) -> None:
    script = [str(ROOT / "trial_scripts" / "mirrored_fit.py"), "--epochs=10000", "--devices=1"]
    assert first_epoch(script, tmp_path, until="epoch 3: learning rate") == 1
    # The backup follows what is printed, so that of epoch 3 may be missing, or a later one there.
    assert first_epoch(script, tmp_path, until="Epoch ") >= 3
