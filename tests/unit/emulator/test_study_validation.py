"""What is refused in a study when it is created."""

from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import study_validation
from vertex_jobs.emulator.resources.study_rules import space_of

NAN, INFINITE = "NaN", "Infinity"  # in the API's JSON


def study_spec(*parameters: dict[str, Any], **fields: Any) -> protos.Message:
    form = {
        "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
        "parameters": list(parameters),
        **fields,
    }
    return protos.from_json(form, protos.StudySpec())


def faults_of(*parameters: dict[str, Any], **fields: Any) -> list[tuple[str, str]]:
    return study_validation.check_study_spec(study_spec(*parameters, **fields), "spec")


def double(name: str, low: float | str = 0, high: float | str = 1, **fields: Any) -> dict[str, Any]:
    return {"parameterId": name, "doubleValueSpec": {"minValue": low, "maxValue": high}, **fields}


def categories(name: str, *values: str, **fields: Any) -> dict[str, Any]:
    return {"parameterId": name, "categoricalValueSpec": {"values": values}, **fields}


def below(field: str, values: list[Any], child: dict[str, Any]) -> dict[str, Any]:
    return {f"parent{field}Values": {"values": values}, "parameterSpec": child}


def with_kids(*children: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A parameter ``m`` with a child for each of the given values of it."""
    kids = [below("Categorical", [value], child) for value, child in children]
    return categories("m", "a", "b", conditionalParameterSpecs=kids)


@pytest.mark.parametrize(
    ("parameter", "messages"),
    [
        (double("x", 2, 1), ["min_value 2.0 exceeds max_value 1.0; swap them."]),
        (
            double("x", 0, 1, scaleType="UNIT_LOG_SCALE"),
            [
                "UNIT_LOG_SCALE needs strictly positive values, not 0.0: raise it, or use "
                "UNIT_LINEAR_SCALE."
            ],
        ),
        (
            double("x", NAN, INFINITE),
            [
                "min_value nan is not finite; give a number.",
                "max_value inf is not finite; give a number.",
            ],
        ),
        (
            categories("x"),
            ["There are no values; a CATEGORICAL parameter has at least one: list them."],
        ),
        (
            categories("x", "a", "b", "a", scaleType="UNIT_LINEAR_SCALE"),
            [
                "'a' occurs 2 times; categories must be distinct: drop the repeats.",
                "scale_type is 1; a CATEGORICAL parameter has no scale: leave it unset.",
            ],
        ),
        (
            {"parameterId": "x", "discreteValueSpec": {"values": [2, 1, 1]}},
            [
                "1.0 follows 2.0; values must increase by at least 1e-10: sort "
                "them and drop repeats."
            ],
        ),
        (
            {"parameterId": "x", "discreteValueSpec": {"values": [1, NAN]}},
            ["nan: values must be finite; give numbers."],
        ),
        (
            {"parameterId": "x", "discreteValueSpec": {}},
            ["There are 0 values; a DISCRETE parameter has 1 to 1000: list as many."],
        ),
        (
            {
                "parameterId": "x",
                "discreteValueSpec": {"values": [-1, 1]},
                "scaleType": "UNIT_REVERSE_LOG_SCALE",
            },
            [
                "UNIT_REVERSE_LOG_SCALE needs strictly positive values, not -1.0: raise it, or use "
                "UNIT_LINEAR_SCALE."
            ],
        ),
        (
            double("x", scaleType=9),
            [
                "scale_type 9 is unknown; use one of SCALE_TYPE_UNSPECIFIED, UNIT_LINEAR_SCALE, "
                "UNIT_LOG_SCALE, UNIT_REVERSE_LOG_SCALE."
            ],
        ),
        (
            {"parameterId": "x"},
            ["There is no value spec; set the double, integer, categorical or discrete one."],
        ),
    ],
)
def test_bad_parameters(parameter: dict[str, Any], messages: list[str]) -> None:
    assert faults_of(parameter) == [("spec.parameters[x]", message) for message in messages]


@pytest.mark.parametrize(
    ("kind", "spec", "message"),
    [
        (
            "double",
            {"maxValue": 1, "defaultValue": 7},
            "default_value 7.0 is not within 0.0 to 1.0",
        ),
        ("integer", {"maxValue": 1, "defaultValue": 2}, "default_value 2 is not within 0 to 1"),
        (
            "categorical",
            {"values": ["a", "b"], "defaultValue": "z"},
            "default_value 'z' is not one of a, b",
        ),
        ("discrete", {"values": [1], "defaultValue": NAN}, "default_value nan is not finite"),
    ],
)
def test_a_default_that_is_no_value(kind: str, spec: dict[str, Any], message: str) -> None:
    found = faults_of({"parameterId": "x", f"{kind}ValueSpec": spec})
    assert found == [("spec.parameters[x]", f"{message}: change it or leave it unset.")]


def test_a_discrete_default_is_rounded_and_so_may_be_any_number() -> None:
    spec = {"values": [1, 2], "defaultValue": 1.7}
    assert faults_of({"parameterId": "x", "discreteValueSpec": spec}) == []


def test_grid_search_takes_no_doubles() -> None:
    ((_, message),) = faults_of(double("x"), algorithm="GRID_SEARCH")
    assert message.startswith("GRID_SEARCH takes no DOUBLE parameter")


def test_unknown_choices_are_refused_together() -> None:
    metrics = [{"metricId": "accuracy", "goal": 9}]
    fields = {"algorithm": 99, "observationNoise": 9, "measurementSelectionType": 9}
    found = faults_of(double("x"), metrics=metrics, **fields)
    assert found[0] == (
        "spec.algorithm",
        "algorithm 99 is unknown; use one of ALGORITHM_UNSPECIFIED, GRID_SEARCH, RANDOM_SEARCH.",
    )
    assert [path for path, _ in found[1:]] == [
        "spec.observation_noise",
        "spec.measurement_selection_type",
        "spec.metrics[accuracy]",
    ]


DISCRETE = {"parameterId": "x", "discreteValueSpec": {"values": [0.1, 0.2]}}


@pytest.mark.parametrize(
    ("parameter", "field", "message"),
    [
        (
            with_kids(("c", double("momentum"))),
            "m",
            "The condition of 'momentum' names 'c', which 'm' never has: name values that it has.",
        ),
        (
            {
                "parameterId": "x",
                "integerValueSpec": {"minValue": 1, "maxValue": 3},
                "conditionalParameterSpecs": [below("Categorical", ["1"], double("momentum"))],
            },
            "x",
            "The condition of 'momentum' is in parent_categorical_values; put it in "
            "parent_int_values.",
        ),
        (
            double("x", conditionalParameterSpecs=[below("Discrete", [1], double("momentum"))]),
            "x",
            "'momentum' depends on a DOUBLE parameter, which cannot be the parent of a condition: "
            "list the parent's values as DISCRETE.",
        ),
        (
            {
                **DISCRETE,
                "conditionalParameterSpecs": [
                    below("Discrete", [0.1], double("momentum")),
                    below("Discrete", [0.1 + 5e-11], double("momentum")),
                ],
            },
            "momentum",
            "'momentum' occurs twice for the value 0.1 of 'x'; children of one name need disjoint "
            "values of the parent: rename one or name other values.",
        ),
        (
            with_kids(("a", double("mo mentum"))),
            None,
            "'mo mentum': ids have no white space and are not empty: rename it.",
        ),
        (
            with_kids(("a", with_kids()), ("b", double("momentum"))),
            "m",
            "'m' occurs 2 times; ids must be unique, but for children of the same parent with "
            "other values of it: rename one.",
        ),
        (
            with_kids(
                ("a", categories("o", "p", conditionalParameterSpecs=[])),
                (
                    "b",
                    categories(
                        "o",
                        "p",
                        conditionalParameterSpecs=[below("Categorical", ["p"], double("momentum"))],
                    ),
                ),
            ),
            "o",
            "'o' occurs 2 times and has children; the id of a parent must be unique: rename one.",
        ),
    ],
)
def test_bad_conditions(parameter: dict[str, Any], field: str | None, message: str) -> None:
    where = f"spec.parameters[{field}]" if field else "spec.parameters"
    assert faults_of(parameter) == [(where, message)]


def test_a_child_cannot_have_the_id_of_a_parameter_elsewhere() -> None:
    elsewhere = faults_of(double("x"), with_kids(("a", double("x"))))
    under_others = faults_of(
        with_kids(("a", double("lr"))),
        categories("n", "a", conditionalParameterSpecs=[below("Categorical", ["a"], double("lr"))]),
    )
    assert [path for path, _ in elsewhere + under_others] == [
        "spec.parameters[x]",
        "spec.parameters[lr]",
    ]


def test_children_of_one_name_exclude_each_other() -> None:
    parameter = with_kids(("a", double("lr", 0, 1)), ("b", double("lr", 5, 6)))
    assert faults_of(parameter) == []
    assert [one.low for one in space_of(study_spec(parameter)).parameters] == [0.0, 0.0, 5.0]


def test_metrics_are_named_once() -> None:
    metrics = [{"metricId": "loss"}, {"metricId": "loss"}, {"metricId": ""}]
    assert faults_of(double("x"), metrics=metrics) == [
        ("spec.metrics", "'': ids have no white space and are not empty: rename it."),
        ("spec.metrics", "'loss' occurs 2 times; ids must be unique: rename or drop."),
    ]


def test_counts() -> None:
    job = protos.HyperparameterTuningJob(max_failed_trial_count=3)
    job.study_spec.CopyFrom(study_spec(double("x")))
    assert [message for _, message in study_validation.check_study(job)] == [
        "max_trial_count is 0; it must be at least 1: raise it.",
        "parallel_trial_count is 0; it must be at least 1: raise it.",
        "max_failed_trial_count is 3; it must not exceed max_trial_count, which is 0: lower it.",
    ]


def test_what_only_the_search_refuses_is_a_fault_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: protos.Message) -> None:
        raise ValueError("parameter 'x': is odd; make it even")

    monkeypatch.setattr(study_validation, "space_of", refuse)
    assert faults_of(double("x")) == [("spec.parameters", "parameter 'x': is odd; make it even.")]
