"""Vizier's studies and trials, through the generated client and the SDK's Study."""

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from seen_trials import OF_A_STUDY, OPTIMAL, POINTS, plain, seen_trial, shape

SPEC = {
    "metrics": [{"metric_id": "loss", "goal": 2}],
    "parameters": [
        {"parameter_id": "x", "double_value_spec": {"min_value": 0, "max_value": 1}},
        {"parameter_id": "kind", "categorical_value_spec": {"values": ["a", "b"]}},
    ],
    "algorithm": 3,
}


@pytest.fixture
def vizier(clients: Callable[[str], Any]) -> Any:
    return clients("VizierServiceClient")


@pytest.fixture
def new_study(vizier: Any, parent: str, marker: str) -> Callable[..., Any]:
    def make(**fields: Any) -> Any:
        study = {"display_name": marker, "study_spec": {**SPEC, **fields}}
        return vizier.create_study(parent=parent, study=study)

    return make


@pytest.fixture
def study(new_study: Callable[..., Any]) -> str:
    return str(new_study().name)


def suggest(vizier: Any, study: str, count: int = 1, client: str = "c") -> list[Any]:
    request = {"parent": study, "suggestion_count": count, "client_id": client}
    return list(vizier.suggest_trials(request).result().trials)


def loss(value: float, step: int = 1) -> dict[str, Any]:
    return {"step_count": step, "metrics": [{"metric_id": "loss", "value": value}]}


def test_a_study_is_found_by_its_display_name(
    vizier: Any, study: str, parent: str, marker: str
) -> None:
    found = vizier.lookup_study({"parent": parent, "display_name": marker})
    assert (found.name, found.state.name) == (study, "ACTIVE")


def test_a_display_name_is_taken_once(new_study: Callable[..., Any]) -> None:
    new_study()
    with pytest.raises(exceptions.Conflict, match="already exists"):
        new_study()


def test_studies_are_listed(vizier: Any, study: str, parent: str) -> None:
    assert next(iter(vizier.list_studies(parent=parent))).name == study


def test_suggestions_are_in_the_space(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    values = {one.parameter_id: one.value for one in trial.parameters}
    assert (trial.id, trial.state.name, 0 <= values["x"] <= 1, values["kind"] in "ab") == (
        "1",
        "ACTIVE",
        True,
        True,
    )


@pytest.mark.parametrize("count", [-1, 0, 1001, 2**31 - 1])
def test_how_many_suggestions_are_had_at_once(vizier: Any, study: str, count: int) -> None:
    with pytest.raises(exceptions.BadRequest, match=f"suggestion_count is {count}; "):
        suggest(vizier, study, count)


def test_a_client_gets_its_unfinished_trial_again(vizier: Any, study: str) -> None:
    ids = [suggest(vizier, study, client=name)[0].id for name in ("a", "a", "b")]
    assert ids == ["1", "1", "2"]


def test_a_completed_trial_is_followed_by_another(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    vizier.complete_trial({"name": trial.name, "final_measurement": loss(0.5)})
    assert suggest(vizier, study)[0].id == "2"


def test_the_default_search_learns_from_what_is_told(vizier: Any, new_study: Any) -> None:
    study = new_study(algorithm=0).name
    for _ in range(6):
        (trial,) = suggest(vizier, study)
        x = {one.parameter_id: one.value for one in trial.parameters}["x"]
        vizier.complete_trial({"name": trial.name, "final_measurement": loss((x - 0.3) ** 2)})
    assert len(list(vizier.list_trials(parent=study))) == 6


def test_a_grid_ends_the_study(vizier: Any, new_study: Any) -> None:
    grid = [{"parameter_id": "n", "integer_value_spec": {"min_value": 1, "max_value": 2}}]
    study = new_study(algorithm=2, parameters=grid).name
    trials = suggest(vizier, study, count=5)
    assert (len(trials), vizier.get_study(name=study).state.name) == (2, "COMPLETED")


def test_measurements_are_added_and_one_is_selected(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    for step, value in enumerate((0.5, 0.2, 0.4), start=1):
        request = {"trial_name": trial.name, "measurement": loss(value, step)}
        added = vizier.add_trial_measurement(request)
    done = vizier.complete_trial({"name": trial.name})
    final = done.final_measurement
    assert (len(added.measurements), final.step_count, done.state.name) == (3, 3, "SUCCEEDED")


def test_a_trial_without_a_measurement_is_infeasible(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    assert vizier.complete_trial({"name": trial.name}).state.name == "INFEASIBLE"


def test_an_infeasible_trial_says_why(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    request = {"name": trial.name, "trial_infeasible": True, "infeasible_reason": "too large"}
    done = vizier.complete_trial(request)
    assert (done.state.name, done.infeasible_reason) == ("INFEASIBLE", "too large")


def test_a_trial_ends_once(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    vizier.complete_trial({"name": trial.name, "final_measurement": loss(1)})
    with pytest.raises(exceptions.GoogleAPICallError, match="is SUCCEEDED already"):
        vizier.complete_trial({"name": trial.name, "final_measurement": loss(1)})


@pytest.mark.parametrize(
    ("measurement", "messages"),
    [
        (
            {"metrics": [{"metric_id": "other", "value": 1}]},
            ["'other' is not in the study, whose metrics are loss", "'loss' is missing"],
        ),
        ({}, ["'loss' is missing"]),
        (loss(float("nan")), ["'loss' is nan, which is not finite"]),
        (loss(float("inf"), step=-1), ["'loss' is inf, which is not finite", "step_count -1"]),
    ],
)
def test_a_final_measurement_has_a_finite_value_of_every_metric(
    vizier: Any, study: str, measurement: dict[str, Any], messages: list[str]
) -> None:
    (trial,) = suggest(vizier, study)
    given = own_trial(0.2, final_measurement=measurement)
    for request in (
        lambda: vizier.complete_trial({"name": trial.name, "final_measurement": measurement}),
        lambda: vizier.create_trial(parent=study, trial=given),
    ):
        with pytest.raises(exceptions.BadRequest) as refusal:
            request()
        assert [text in refusal.value.message for text in messages] == [True] * len(messages)


def test_a_measurement_that_is_not_finite_is_never_selected(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    measure(vizier, trial.name, [0.5, float("nan")])
    assert vizier.complete_trial({"name": trial.name}).final_measurement.step_count == 1
    (trial,) = suggest(vizier, study)
    measure(vizier, trial.name, [float("nan")])
    done = vizier.complete_trial({"name": trial.name})
    assert (done.state.name, done.infeasible_reason) == (
        "INFEASIBLE",
        "No measurement of the trial has a finite value of loss.",
    )
    found = vizier.list_optimal_trials({"parent": study}).optimal_trials
    assert [trial.id for trial in found] == ["1"]


def test_measurements_are_ordered_by_step_and_time(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    for step, seconds, value in ((5, 9, 0.5), (2, 8, 0.2), (5, 3, 0.3), (2, 8, 0.25)):
        measurement = {**loss(value, step), "elapsed_duration": {"seconds": seconds}}
        added = vizier.add_trial_measurement({"trial_name": trial.name, "measurement": measurement})
    assert [one.metrics[0].value for one in added.measurements] == [0.25, 0.3, 0.5]


def test_a_measurement_of_an_unknown_metric_is_refused(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    other = {"metrics": [{"metric_id": "other", "value": 1}]}
    with pytest.raises(exceptions.BadRequest, match="whose metrics are loss"):
        vizier.add_trial_measurement({"trial_name": trial.name, "measurement": other})


def own_trial(x: float, **fields: Any) -> dict[str, Any]:
    parameters = [{"parameter_id": "x", "value": x}, {"parameter_id": "kind", "value": "a"}]
    return {"parameters": parameters, **fields}


def test_a_requested_trial_is_suggested_next(vizier: Any, study: str) -> None:
    created = vizier.create_trial(parent=study, trial=own_trial(0.25))
    (trial,) = suggest(vizier, study)
    assert (created.state.name, trial.id, trial.state.name) == ("REQUESTED", "1", "ACTIVE")


def test_a_trial_may_come_finished(vizier: Any, study: str) -> None:
    created = vizier.create_trial(parent=study, trial=own_trial(0.2, final_measurement=loss(1)))
    assert created.state.name == "SUCCEEDED"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ([{"parameter_id": "x", "value": 2.0}, {"parameter_id": "kind", "value": "a"}], "'x'"),
        ([{"parameter_id": "x", "value": 0.5}], "'kind' is missing"),
        ([{"parameter_id": "y", "value": 0.5}], "'y' is not in the study"),
    ],
)
def test_parameters_outside_the_space_are_refused(
    vizier: Any, study: str, parameters: Any, message: str
) -> None:
    with pytest.raises(exceptions.BadRequest, match=message):
        vizier.create_trial(parent=study, trial={"parameters": parameters})


def test_every_fault_of_a_trial_is_told(vizier: Any, study: str) -> None:
    parameters = [{"parameter_id": "x", "value": value} for value in (0.5, True)]
    measurement = {"step_count": -1}
    trial = {"parameters": parameters, "measurements": [measurement], "final_measurement": {}}
    with pytest.raises(exceptions.BadRequest) as refusal:
        vizier.create_trial(parent=study, trial=trial)
    for text in (
        "'x' is given 2 times",
        "'x' has bool_value",
        "step_count -1",
        "'loss' is missing",
    ):
        assert text in refusal.value.message


def test_a_trial_of_a_conditional_study_is_held_against_what_is_active(
    vizier: Any, new_study: Any
) -> None:
    kids = [
        {
            "parent_categorical_values": {"values": [value]},
            "parameter_spec": {
                "parameter_id": "lr",
                "double_value_spec": {"min_value": low, "max_value": low + 1},
            },
        }
        for value, low in (("a", 0), ("b", 5))
    ]
    parameter = {
        "parameter_id": "m",
        "categorical_value_spec": {"values": ["a", "b"]},
        "conditional_parameter_specs": kids,
    }
    study = new_study(parameters=[parameter], algorithm=0).name
    given = [{"parameter_id": "m", "value": "a"}, {"parameter_id": "lr", "value": 5.5}]
    with pytest.raises(exceptions.BadRequest, match=r"5\.5 is not a possible value of 'lr'"):
        vizier.create_trial(parent=study, trial={"parameters": given})
    given[1]["value"] = 0.5
    trial = {"parameters": given, "final_measurement": loss(1)}
    vizier.create_trial(parent=study, trial=trial)
    assert suggest(vizier, study)[0].id == "2"


def test_the_optimal_trial(vizier: Any, study: str) -> None:
    for value in (0.5, 0.2, 0.4):
        (trial,) = suggest(vizier, study)
        vizier.complete_trial({"name": trial.name, "final_measurement": loss(value)})
    found = vizier.list_optimal_trials({"parent": study}).optimal_trials
    assert [trial.id for trial in found] == ["2"]


def test_a_deleted_trials_number_is_not_used_again(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    vizier.delete_trial(name=trial.name)
    assert suggest(vizier, study)[0].id == "2"


def test_trials_come_in_pages_by_id(vizier: Any, study: str) -> None:
    suggest(vizier, study, count=3)
    pages = vizier.list_trials({"parent": study, "page_size": 2}).pages
    assert [[trial.id for trial in page.trials] for page in pages] == [["1", "2"], ["3"]]


def test_a_stopped_trial_should_stop(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    stopped = vizier.stop_trial({"name": trial.name})
    check = vizier.check_trial_early_stopping_state({"trial_name": trial.name}).result()
    assert (stopped.state.name, check.should_stop) == ("STOPPING", True)


@pytest.mark.parametrize(("value", "stops"), [(0.9, True), (0.1, False)])
def test_the_median_rule(vizier: Any, new_study: Any, value: float, stops: bool) -> None:
    study = new_study(median_automated_stopping_spec={}).name
    for trial in suggest(vizier, study, count=3):
        request = {"trial_name": trial.name, "measurement": loss(0.5)}
        vizier.add_trial_measurement(request)
        vizier.complete_trial({"name": trial.name})
    (trial,) = suggest(vizier, study)
    vizier.add_trial_measurement({"trial_name": trial.name, "measurement": loss(value)})
    check = vizier.check_trial_early_stopping_state({"trial_name": trial.name}).result()
    assert check.should_stop is stops


@pytest.mark.local_only
@pytest.mark.parametrize(("height", "stops"), [(3.0, True), (0.4, False)])
@pytest.mark.parametrize("rule", ["decay_curve_stopping_spec", "convex_automated_stopping_spec"])
def test_rules_on_curves(
    vizier: Any, new_study: Any, rule: str, height: float, stops: bool
) -> None:
    study = new_study(**{rule: {}}).name
    for trial, end in zip(suggest(vizier, study, count=6), range(6), strict=True):
        curve = [0.5 + 0.1 * end + 1 / step for step in range(1, 9)]
        measure(vizier, trial.name, curve)
        vizier.complete_trial({"name": trial.name})
    (trial,) = suggest(vizier, study)
    measure(vizier, trial.name, [height + 1 / step for step in range(1, 7)])
    check = vizier.check_trial_early_stopping_state({"trial_name": trial.name}).result()
    assert check.should_stop is stops


@pytest.mark.local_only
def test_a_value_that_is_no_number_stops_no_trial(vizier: Any, new_study: Any) -> None:
    study = new_study(convex_automated_stopping_spec={}).name
    for trial in suggest(vizier, study, count=6):
        measure(vizier, trial.name, [1 / step for step in range(1, 9)])
        vizier.complete_trial({"name": trial.name})
    (trial,) = suggest(vizier, study)
    measure(vizier, trial.name, [*(1 / step for step in range(1, 7)), math.nan, math.nan])
    check = vizier.check_trial_early_stopping_state({"trial_name": trial.name}).result()
    assert not check.should_stop


def measure(vizier: Any, name: str, values: list[float]) -> None:
    """Report a loss at the steps from 1."""
    for step, value in enumerate(values, start=1):
        measurement = {**loss(value), "step_count": step}
        vizier.add_trial_measurement({"trial_name": name, "measurement": measurement})


@pytest.mark.local_only
def test_a_study_stops_by_its_own_rules(vizier: Any, new_study: Any) -> None:
    rules = {"max_num_trials": 2, "should_stop_asap": True}
    study = new_study(study_stopping_config=rules).name
    first, second = suggest(vizier, study, 3)
    assert vizier.get_study(name=study).state.name == "COMPLETED"
    check = {"trial_name": first.name}
    assert vizier.check_trial_early_stopping_state(check).result().should_stop
    for trial in (first, second):
        vizier.complete_trial({"name": trial.name, "final_measurement": loss(1.0)})
    assert suggest(vizier, study) == []


def test_a_default_value_is_where_a_study_starts(vizier: Any, new_study: Any) -> None:
    spec = {"min_value": 0, "max_value": 1, "default_value": 0.125}
    study = new_study(parameters=[{"parameter_id": "x", "double_value_spec": spec}]).name
    assert suggest(vizier, study)[0].parameters[0].value == 0.125


@pytest.mark.parametrize(("count", "values"), [(1, [3]), (2, [3, 1]), (9, [3, 1, 2, 4])])
def test_a_grid_has_its_default_once(
    vizier: Any, new_study: Any, count: int, values: list[int]
) -> None:
    spec = {"min_value": 1, "max_value": 4, "default_value": 3}
    grid = [{"parameter_id": "n", "integer_value_spec": spec}]
    study = new_study(parameters=grid, algorithm=2).name
    assert [trial.parameters[0].value for trial in suggest(vizier, study, count)] == values


def test_a_discrete_default_is_rounded_to_a_value(vizier: Any, new_study: Any) -> None:
    spec = {"values": [1, 2, 4], "default_value": 2.9}
    study = new_study(parameters=[{"parameter_id": "x", "discrete_value_spec": spec}]).name
    assert suggest(vizier, study)[0].parameters[0].value == 2


def test_a_bad_study_is_refused_with_every_fault(vizier: Any, parent: str) -> None:
    with pytest.raises(exceptions.BadRequest) as refusal:
        vizier.create_study(parent=parent, study={"study_spec": {}})
    assert [f"{number}.Field: " in refusal.value.message for number in (1, 2, 3, 4)] == [
        True,
        True,
        True,
        False,
    ]


def test_a_study_that_no_search_could_have_is_refused(new_study: Any) -> None:
    parameters = [
        {"parameter_id": "k", "categorical_value_spec": {"values": ["a", "a"]}},
        {"parameter_id": "x", "double_value_spec": {"min_value": 0, "max_value": float("inf")}},
        {"parameter_id": "x", "integer_value_spec": {"max_value": 3}, "scale_type": 9},
    ]
    with pytest.raises(exceptions.BadRequest) as refusal:
        new_study(parameters=parameters, algorithm=99)
    assert "5.Field: " in refusal.value.message
    assert "6.Field: " not in refusal.value.message


def test_a_deleted_study_is_gone(vizier: Any, study: str) -> None:
    (trial,) = suggest(vizier, study)
    vizier.delete_study(name=study)
    with pytest.raises(exceptions.NotFound, match="does not exist"):
        vizier.get_trial(name=trial.name)


@pytest.fixture
def optimized(vizier: Any, new_study: Any) -> str:
    """A study of two metrics with the points and the calls of a public notebook."""
    ranges = {"r": 1, "theta": 1.57}
    parameters = [
        {"parameter_id": name, "double_value_spec": {"min_value": 0, "max_value": high}}
        for name, high in ranges.items()
    ]
    metrics = [{"metric_id": "y1", "goal": "MINIMIZE"}, {"metric_id": "y2", "goal": "MAXIMIZE"}]
    study = new_study(parameters=parameters, metrics=metrics, algorithm="RANDOM_SEARCH").name
    for r, theta in POINTS:
        values = [{"parameter_id": "r", "value": r}, {"parameter_id": "theta", "value": theta}]
        vizier.create_trial(parent=study, trial={"parameters": values})
    for suggested in suggest(vizier, study, len(POINTS), "client1"):
        r, theta = (one.value for one in vizier.get_trial({"name": suggested.name}).parameters)
        values = {"y1": r * math.sin(theta), "y2": r * math.cos(theta)}
        measured = {"metrics": [{"metric_id": key, "value": one} for key, one in values.items()]}
        vizier.add_trial_measurement({"trial_name": suggested.name, "measurement": measured})
        vizier.complete_trial({"name": suggested.name, "trial_infeasible": False})
    return str(study)


def test_a_study_has_an_id_of_13_digits(study: str) -> None:
    assert re.fullmatch(r"\d{13}", study.rpartition("/")[2])


def test_the_optimal_trials_are_those_that_the_service_found(vizier: Any, optimized: str) -> None:
    found = vizier.list_optimal_trials({"parent": optimized}).optimal_trials
    assert tuple(one.name.rpartition("/")[2] for one in found) == OPTIMAL


def test_a_trial_has_the_fields_that_were_seen_but_for_the_id(vizier: Any, optimized: str) -> None:
    """The client of that notebook knew no ``id``; later ones and the documentation show it."""
    ours = plain(vizier.list_optimal_trials({"parent": optimized}).optimal_trials[0])
    assert shape(ours) == {"id": "set", **shape(seen_trial(OF_A_STUDY))}
    seen = seen_trial(OF_A_STUDY)
    assert (ours.parameters, ours.final_measurement) == (seen.parameters, seen.final_measurement)


def test_times_are_whole_seconds_in_every_answer(vizier: Any, optimized: str) -> None:
    trials = [*vizier.list_trials(parent=optimized), *suggest(vizier, optimized)]
    times = [getattr(plain(one), name) for one in trials for name in ("start_time", "end_time")]
    assert [time.nanos for time in times] == [0] * 12


@pytest.mark.local_only
def test_the_sdks_study_runs_unmodified(google_clients: dict[str, str], marker: str) -> None:
    pytest.importorskip("vizier", reason="the SDK's Study needs google-vizier")
    from google.cloud import aiplatform
    from google.cloud.aiplatform.vizier import Study, pyvizier

    aiplatform.init(project="local-project", location="us-central1")
    problem = pyvizier.StudyConfig()
    problem.algorithm = pyvizier.Algorithm.RANDOM_SEARCH
    problem.metric_information.append(
        pyvizier.MetricInformation(name="loss", goal=pyvizier.ObjectiveMetricGoal.MINIMIZE)
    )
    root = problem.search_space.select_root()
    root.add_float_param("x", 0.0, 1.0, scale_type=pyvizier.ScaleType.LINEAR)
    root.add_categorical_param("kind", ["a", "b"])
    study = Study.create_or_load(display_name=marker, problem=problem)
    for value in (0.5, 0.25):
        (trial,) = study.suggest(count=1, worker="w")
        measurement = pyvizier.Measurement(metrics={"loss": value}, steps=1)
        trial.add_measurement(measurement)
        assert not trial.should_stop()
        trial.complete(measurement)
    again = Study.create_or_load(display_name=marker, problem=problem)
    (best,) = again.optimal_trials()
    assert (best.uid, len(again.trials()), best.materialize().final_measurement.steps) == (2, 2, 1)
    study.delete()
