"""Resuming from the job's checkpoint, with either Keras."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.tensorflow

PROGRAM = """
import json, os, sys
import numpy as np
import tensorflow as tf
from vertex_jobs.runtime import evaluation, resume
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment

keras = tf.keras
here = {folder!r}
inputs = np.linspace(-1, 1, 64, dtype="float32").reshape(16, 4)
targets = inputs.sum(axis=1, keepdims=True)

def model_of(width=3):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input([4]), keras.layers.Dense(width), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.1), loss="mse")
    return model

def train(epochs, read, write):
    model = model_of()
    progress = resume.resume(model, here + read, here + write)
    before = progress.epoch
    model.fit(
        inputs, targets, shuffle=False, verbose=0, initial_epoch=before, epochs=epochs,
        callbacks=[progress.callback()],
    )
    loss = float(model.evaluate(inputs, targets, verbose=0))
    return before, loss, int(model.optimizer.iterations)

def refusal(act):
    try:
        act()
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"

found = {{"whole": train(4, "/whole/", "/whole/")}}
train(2, "/chief/", "/chief/")
found["worker"] = train(4, "/chief/", "/scratch/")
found["chief"] = train(4, "/chief/", "/chief/")
found["kept"] = sorted(name for name in os.listdir(here + "/chief") if name.endswith(".index"))
found["uncompiled"] = refusal(
    lambda: resume.resume(keras.Sequential([keras.layers.Dense(1)]), here + "/a/", here + "/a/")
)
other = model_of(5)
found["other"] = (refusal(
    lambda: resume.resume(other, here + "/chief/", here + "/chief/")
) or "").split(":")[0]

follower = resume.Progress(model_of(), None, here + "/unused/")
directories = Directories(here + "/model/", here + "/chief/", here + "/logs/")
chief = Environment(cluster=Cluster({{"chief": ("a:1",), "evaluator": ("b:1",)}}))
naps = []
def wait():
    naps.clear()
    return evaluation.wait_for_evaluator(
        chief, directories, 4, 10, clock=lambda: sum(naps), sleep=naps.append
    )
found["waited in vain"] = (wait(), sum(naps))
found["followed"] = list(evaluation.follow(follower, directories, 4))
found["waited"] = (wait(), sum(naps))
found["alone"] = evaluation.wait_for_evaluator(Environment(), directories, 4, 10)
found["timeout"] = refusal(lambda: list(evaluation.follow(follower, directories, 5, timeout=0.1)))
print(json.dumps(found))
"""


@pytest.fixture(scope="module", params=["", "1"], ids=["keras", "tf_keras"])
def found(
    request: pytest.FixtureRequest,
    run_program: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """Return the results of one process."""
    folder: Path = tmp_path_factory.mktemp("resume")
    program = PROGRAM.format(folder=str(folder))
    result: dict[str, Any] = run_program(program, {"TF_USE_LEGACY_KERAS": request.param})
    return result


@pytest.mark.parametrize("task", ["chief", "worker"])
def test_a_resumed_training_ends_as_the_undisturbed_one(found: dict[str, Any], task: str) -> None:
    assert found[task] == [2, *found["whole"][1:]]


def test_two_checkpoints_stay(found: dict[str, Any]) -> None:
    assert found["kept"] == ["ckpt-3.index", "ckpt-4.index"]


def test_a_model_without_an_optimizer_is_refused(found: dict[str, Any]) -> None:
    assert found["uncompiled"] == (
        "ValueError: the model cannot resume yet; compile it and give it its input's shape"
    )


def test_the_checkpoint_of_another_model_is_refused(found: dict[str, Any]) -> None:
    assert found["other"] == "ValueError"


def test_the_evaluator_ends_with_the_last_checkpoint(found: dict[str, Any]) -> None:
    assert found["followed"] == [4]


def test_the_chief_waits_for_the_evaluator(found: dict[str, Any]) -> None:
    assert (found["waited"], found["alone"]) == ([True, 0], True)


def test_the_chief_ends_without_an_evaluator_that_never_comes(found: dict[str, Any]) -> None:
    assert found["waited in vain"] == [False, 10]


def test_an_evaluator_without_checkpoints_says_so(found: dict[str, Any]) -> None:
    assert found["timeout"].startswith("TimeoutError: no new checkpoint in ")
