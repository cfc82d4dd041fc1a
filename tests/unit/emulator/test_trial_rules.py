"""What is refused in a trial's parameters, and which trials are optimal."""

from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.study_rules import assignment_of, parameter_messages
from vertex_jobs.emulator.resources.trial_rules import assignment_faults, optimal_trials


def rate(low: float) -> dict[str, Any]:
    return {
        "parameterId": "lr",
        "doubleValueSpec": {"minValue": low, "maxValue": low + 1},
    }


SPEC = protos.from_json(
    {
        "metrics": [{"metricId": "loss", "goal": "MINIMIZE"}],
        "parameters": [
            {
                "parameterId": "m",
                "categoricalValueSpec": {"values": ["a", "b", "c"]},
                "conditionalParameterSpecs": [
                    {"parentCategoricalValues": {"values": ["a"]}, "parameterSpec": rate(0)},
                    {"parentCategoricalValues": {"values": ["b"]}, "parameterSpec": rate(5)},
                ],
            },
            {"parameterId": "n", "integerValueSpec": {"minValue": 1, "maxValue": 9}},
            {"parameterId": "d", "discreteValueSpec": {"values": [0.1, 0.2]}},
        ],
    },
    protos.StudySpec(),
)


def faults_of(**values: Any) -> list[str]:
    """The messages for a trial with these values; ``n`` and ``d`` are good if not given."""
    assignment = {"n": 2, "d": 0.1, **values}
    trial = protos.Trial(parameters=parameter_messages(assignment))
    return [text for _, text in assignment_faults(SPEC, assignment_of(SPEC, trial))]


@pytest.mark.parametrize(
    "values",
    [
        {"m": "a", "lr": 0.5},
        {"m": "b", "lr": 5.5},
        {"m": "c"},
        {"m": "c", "lr": 5.5},
        {"m": "c", "n": 3.0},
        {"m": "c", "d": 0.1 + 5e-11},
    ],
)
def test_a_trial_of_the_study(values: dict[str, Any]) -> None:
    assert faults_of(**values) == []


@pytest.mark.parametrize(
    ("values", "messages"),
    [
        (
            {"m": "a", "lr": 5.5},
            ["5.5 is not a possible value of 'lr': give a number from 0.0 to 1.0."],
        ),
        (
            {"m": "b", "lr": 0.5},
            ["0.5 is not a possible value of 'lr': give a number from 5.0 to 6.0."],
        ),
        ({"m": "a"}, ["'lr' is missing: give a number from 0.0 to 1.0."]),
        (
            {"m": "c", "lr": 3.0},
            [
                "3.0 is not a possible value of 'lr': give a number from 0.0 to 1.0 or a number "
                "from 5.0 to 6.0."
            ],
        ),
        (
            {"m": "c", "n": 2.7},
            ["2.7 is not a possible value of 'n': give a whole number from 1 to 9."],
        ),
        ({"m": "c", "d": 0.15}, ["0.15 is not a possible value of 'd': give one of 0.1, 0.2."]),
        (
            {"n": float("nan"), "d": "0.1", "y": 1.0},
            [
                "'m' is missing: give one of a, b, c.",
                "'0.1' is not a possible value of 'd': give one of 0.1, 0.2.",
                "nan is not a possible value of 'n': give a whole number from 1 to 9.",
                "'y' is not in the study, which has m, lr, n, d: leave it out.",
            ],
        ),
    ],
)
def test_every_fault_of_a_trial(values: dict[str, Any], messages: list[str]) -> None:
    assert faults_of(**values) == messages


def test_a_value_that_is_not_finite_is_never_optimal() -> None:
    trials = []
    for number, value in enumerate((float("nan"), 0.5, float("-inf"), 0.7), start=1):
        trial = protos.Trial(id=str(number), state=protos.TrialState.SUCCEEDED)
        trial.final_measurement.metrics.add(metric_id="loss", value=value)
        trials.append(trial)
    assert [trial.id for trial in optimal_trials(SPEC, trials)] == ["2"]
