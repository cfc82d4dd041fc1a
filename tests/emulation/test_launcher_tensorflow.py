"""A warm TensorFlow replica computes what a fresh one computes."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from launcher_runs import run_replica, spec, with_launcher

from vertex_jobs.emulator.launcher.launcher_client import Launcher

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


@dataclass(frozen=True)
class Printed:
    """What replicas of one launcher printed: two warm and a fresh one that train, two that draw."""

    losses: list[str]
    drawn: list[list[str]]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    folder, found = tmp_path_factory.mktemp("replicas"), Printed([], [])

    async def body(launcher: Launcher) -> None:
        for warm in (True, True, False):
            one = spec(folder, TRAINING, warm=warm, environment=ENVIRONMENT, preload=PRELOAD)
            run = await run_replica(launcher, one)
            assert (run.exit.code, run.replica.why_fresh == "") == (0, warm)
            found.losses.append(run.text("stdout"))
        one = spec(folder, UNSEEDED, environment=ENVIRONMENT, preload=PRELOAD)
        for _ in range(2):
            run = await run_replica(launcher, one)
            assert run.replica.why_fresh == ""
            found.drawn.append(run.text("stdout").split("\n"))

    with_launcher(folder, body)
    return found


def test_the_loss_is_the_same_fresh_and_warm(printed: Printed) -> None:
    assert "[" in printed.losses[0]
    assert printed.losses == [printed.losses[0]] * 3


def test_unseeded_children_of_one_parent_differ(printed: Printed) -> None:
    pairs = zip(*printed.drawn, strict=True)
    assert [first != second for first, second in pairs] == [True] * 3


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
