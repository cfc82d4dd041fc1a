"""The Keras callback in real trainings, all in one child process."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.tensorflow

PROGRAM = """
import json, os, sys
import numpy as np
import keras
from vertex_jobs.runtime import metric_reports, metrics

x, y = np.ones((8, 2), "float32"), np.ones((8, 1), "float32")

def train(logs_by_tag, epochs=3, nan_at=None, **options):
    metric_reports._hypertune.cache_clear()
    path = os.environ["CLOUD_ML_HP_METRIC_FILE"]
    if os.path.exists(path):
        os.remove(path)
    model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])

    class Poison(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == nan_at:
                model.set_weights([weight * np.nan for weight in model.get_weights()])

    try:
        history = model.fit(x, y, epochs=epochs, verbose=0, **options,
                            callbacks=[Poison(), metrics.ReportMetrics(logs_by_tag)])
        error, done = None, len(history.epoch)
    except ValueError as raised:
        error, done = str(raised), None
    lines = open(path).read().splitlines() if os.path.exists(path) else []
    return {"error": error, "epochs": done, "lines": [json.loads(line) for line in lines]}

def made(logs_by_tag):
    try:
        return str(metrics.ReportMetrics(logs_by_tag))
    except ValueError as error:
        return str(error)

validated = {"validation_data": (x, y)}
found = {
    "good": train({"error": "val_mae", "loss": "loss"}, **validated),
    "nan": train({"error": "val_mae"}, epochs=5, nan_at=2, **validated),
    "misspelt": train({"error": "mea"}),
    "unvalidated": train({"error": "val_mae"}),
    "sparse": train({"error": "val_mae"}, epochs=4, validation_freq=2, **validated),
    "finished": train({"error": "val_mae"}, epochs=3, initial_epoch=3, **validated),
    "no metric": made({}),
    "reserved": made({"trial": "loss"}),
    "is_callback": issubclass(metrics.ReportMetrics, keras.callbacks.Callback),
}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(
    tmp_path_factory: pytest.TempPathFactory, run_program: Callable[..., Any]
) -> dict[str, Any]:
    metric_file = tmp_path_factory.mktemp("trial") / "output.metrics"
    variables = {"CLOUD_ML_TRIAL_ID": "1", "CLOUD_ML_HP_METRIC_FILE": str(metric_file)}
    result: dict[str, Any] = run_program(PROGRAM, variables)
    return result


def steps(run: dict[str, Any], tag: str) -> list[str]:
    return [line["global_step"] for line in run["lines"] if tag in line]


def test_it_is_a_keras_callback(found: dict[str, Any]) -> None:
    assert found["is_callback"]


@pytest.mark.parametrize("tag", ["error", "loss"])
def test_every_epoch_is_reported_counted_from_one(found: dict[str, Any], tag: str) -> None:
    assert steps(found["good"], tag) == ["1", "2", "3"]


def test_nan_ends_training_without_an_exception(found: dict[str, Any]) -> None:
    assert (found["nan"]["error"], found["nan"]["epochs"]) == (None, 3)


def test_nan_keeps_what_was_reported(found: dict[str, Any]) -> None:
    assert steps(found["nan"], "error") == ["1", "2"]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("misspelt", "Keras logs no mea; it logs loss, mae. Name a compiled metric"),
        ("unvalidated", "Keras logs no val_mae; it logs loss, mae. Name a compiled metric"),
    ],
)
def test_a_log_that_never_comes_is_an_error(found: dict[str, Any], run: str, message: str) -> None:
    assert found[run]["error"].startswith(message)


def test_validation_may_be_rarer_than_epochs(found: dict[str, Any]) -> None:
    assert steps(found["sparse"], "error") == ["2", "4"]


def test_a_training_with_no_epoch_left_is_no_error(found: dict[str, Any]) -> None:
    assert found["finished"] == {"error": None, "epochs": 0, "lines": []}


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("no metric", "no metric to report; pass e.g."),
        ("reserved", "metric tag 'trial' is a field"),
    ],
)
def test_tags_are_checked_at_once(found: dict[str, Any], case: str, message: str) -> None:
    assert found[case].startswith(message)
