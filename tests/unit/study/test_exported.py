"""Trials are the same after ``trials --format json`` and reading back."""

import json
import math

import pytest

from vertex_jobs.study.exported import read_exported
from vertex_jobs.study.trial_records import Measurement, Trial

TRIALS = (
    Trial(
        "1",
        "SUCCEEDED",
        {"rate": 0.5, "units": 8, "optimizer": "sgd"},
        {"accuracy": 0.75},
        (Measurement(1, {"accuracy": 0.5}), Measurement(2, {"accuracy": 0.75})),
        model_dir="gs://b/1/model/",
        start_time="2026-11-21T00:00:00Z",
        end_time="2026-11-21T00:01:00Z",
        step=2,
    ),
    Trial("2", "INFEASIBLE", {"rate": 1.0}, infeasible_reason="it crashed"),
    Trial("3", "ACTIVE", {"rate": 2.0}),
)


def exported(trials: tuple[Trial, ...]) -> str:
    return json.dumps([trial.to_json() for trial in trials])


def test_trials_come_back_as_they_were() -> None:
    assert read_exported(exported(TRIALS)) == TRIALS


def test_a_value_that_was_not_finite_is_none_again() -> None:
    (trial,) = read_exported(exported((Trial("1", "SUCCEEDED", {}, {"loss": math.inf}),)))
    assert math.isnan(trial.metrics["loss"])


@pytest.mark.parametrize(
    ("parameters", "why"),
    [({"rate": None}, "the parameter rate, which is None"), ([1], "its trial 1 lacks or garbles")],
)
def test_a_parameter_that_is_none_is_refused(parameters: object, why: str) -> None:
    form = TRIALS[1].to_json() | {"parameters": parameters}
    with pytest.raises(ValueError, match=why):
        read_exported(json.dumps([form]))
