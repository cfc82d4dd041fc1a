"""A warm TensorFlow replica computes what a fresh one computes."""

import os
from pathlib import Path

import pytest
from launcher_runs import run_replica, spec, with_launcher

from vertex_jobs.emulator.launcher import Launcher

pytestmark = pytest.mark.tensorflow

TRAINING = """
    import keras, numpy, tensorflow
    keras.utils.set_random_seed(7)
    inputs = numpy.random.rand(256, 8).astype("float32")
    targets = inputs.sum(axis=1, keepdims=True)
    model = keras.Sequential([keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    print(repr(model.fit(inputs, targets, epochs=3, verbose=0).history["loss"]))
"""
UNSEEDED = """
    import keras, tensorflow
    print(tensorflow.random.uniform([]).numpy())
    print(keras.random.uniform([]).numpy())
    print(keras.layers.Dense(1).build([1, 1]), keras.initializers.RandomUniform()([1]).numpy())
"""
ENVIRONMENT = {"PATH": os.environ["PATH"], "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""}
PRELOAD = ("numpy", "tensorflow", "keras")


def test_the_loss_is_the_same_fresh_and_warm(tmp_path: Path) -> None:
    losses = []

    async def body(launcher: Launcher) -> None:
        for warm in (True, True, False):
            one = spec(tmp_path, TRAINING, warm=warm, environment=ENVIRONMENT, preload=PRELOAD)
            run = await run_replica(launcher, one)
            assert (run.exit.code, run.replica.why_fresh == "") == (0, warm)
            losses.append(run.text("stdout"))

    with_launcher(tmp_path, body)
    assert "[" in losses[0]
    assert losses == [losses[0]] * 3


def test_unseeded_children_of_one_parent_differ(tmp_path: Path) -> None:
    drawn = []

    async def body(launcher: Launcher) -> None:
        one = spec(tmp_path, UNSEEDED, environment=ENVIRONMENT, preload=PRELOAD)
        for _ in range(2):
            run = await run_replica(launcher, one)
            assert run.replica.why_fresh == ""
            drawn.append(run.text("stdout").split("\n"))

    with_launcher(tmp_path, body)
    assert [first != second for first, second in zip(*drawn, strict=True)] == [True] * 3


def test_an_operation_in_an_import_is_refused(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "computes.py").write_text("import tensorflow\ntotal = tensorflow.constant(1) + 1\n")
    environment = {**ENVIRONMENT, "PYTHONPATH": str(site)}
    reasons = []

    async def body(launcher: Launcher) -> None:
        one = spec(
            tmp_path,
            "import computes; print(computes.total.numpy())",
            environment=environment,
            preload=("computes",),
        )
        run = await run_replica(launcher, one)
        assert run.text("stdout") == "2"
        reasons.append(run.replica.why_fresh)

    with_launcher(tmp_path, body)
    assert "safe to fork" in reasons[0] or "TensorFlow operation" in reasons[0]
