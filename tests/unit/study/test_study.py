"""A study read from the API's JSON, and what it decides."""

import json
import math
import sys

import pytest

from vertex_jobs.errors import NoFeasibleTrialError, UnsupportedHereError
from vertex_jobs.study import Study

NAME = "projects/p/locations/us-central1/hyperparameterTuningJobs/7"


def trial(trial_id, value=None, *, state="SUCCEEDED", metric="accuracy", **more):
    """Return a trial in the service's form; without a value it has no final measurement."""
    resource = {"id": str(trial_id), "state": state, **more}
    if value is not None:
        resource["finalMeasurement"] = {
            "stepCount": "3",
            "metrics": [{"metricId": metric, "value": value}],
        }
    return resource


def study_of(*trials, goal="MAXIMIZE", metrics=("accuracy",), **more):
    return Study.from_resource(
        {
            "name": NAME,
            "displayName": "digits",
            "state": "JOB_STATE_SUCCEEDED",
            "studySpec": {"metrics": [{"metricId": m, "goal": goal} for m in metrics], **more},
            "trials": list(trials),
        }
    )


class TestReading:
    PARAMETERS = (
        {"parameterId": "units", "integerValueSpec": {"minValue": "1", "maxValue": "9"}},
        {"parameterId": "batch", "discreteValueSpec": {"values": [16.0, 32.0]}},
        {"parameterId": "rate", "discreteValueSpec": {"values": [1.0, 2.5]}},
        {"parameterId": "lr", "doubleValueSpec": {"minValue": 1.0, "maxValue": 2.0}},
        {
            "parameterId": "optimizer",
            "categoricalValueSpec": {"values": ["sgd", "8"]},
            "conditionalParameterSpecs": [
                {
                    "parameterSpec": {"parameterId": "warmup", "integerValueSpec": {}},
                    "parentCategoricalValues": {"values": ["sgd"]},
                }
            ],
        },
    )

    def read(self, **values):
        listed = [{"parameterId": key, "value": value} for key, value in values.items()]
        study = study_of(trial(1, 0.5, parameters=listed), parameters=list(self.PARAMETERS))
        return study.trials[0].parameters

    @pytest.mark.parametrize(
        ("parameter", "value", "expected"),
        [
            ("units", 8.0, "8"),
            ("batch", 32.0, "32"),
            ("rate", 1.0, "1.0"),
            ("lr", 1.0, "1.0"),
            ("warmup", 0.0, "0"),
            ("optimizer", "8", "'8'"),
        ],
    )
    def test_values_have_the_type_of_their_spec(self, parameter, value, expected):
        assert repr(self.read(**{parameter: value})[parameter]) == expected

    def test_inactive_parameters_are_absent(self):
        assert self.read(lr=1.5) == {"lr": 1.5}

    def test_trials_come_by_number_from_any_order(self):
        study = study_of(trial(10, 0.1), trial(9, 0.2), trial(1, 0.3))
        assert [t.id for t in study.trials] == ["1", "9", "10"]

    @pytest.mark.parametrize("base", ["gs://bkt/out", "gs://bkt/out/"])
    def test_the_model_directory_has_single_slashes(self, base):
        resource = {
            "name": NAME,
            "trials": [trial(3, 0.5)],
            "trialJobSpec": {"baseOutputDirectory": {"outputUriPrefix": base}},
        }
        assert Study.from_resource(resource).trials[0].model_dir == "gs://bkt/out/3/model/"

    def test_without_a_base_directory_there_is_no_model_directory(self):
        assert study_of(trial(1, 0.5)).trials[0].model_dir is None

    def test_a_metric_of_zero_is_absent_in_the_api_and_zero_here(self):
        zero = trial(1, finalMeasurement={"metrics": [{"metricId": "accuracy"}]})
        assert study_of(zero).best_trial.metrics == {"accuracy": 0.0}

    def test_measurements_keep_their_steps(self):
        steps = [{"stepCount": "2", "metrics": [{"metricId": "accuracy", "value": 0.4}]}, {}]
        read = study_of(trial(1, 0.5, measurements=steps)).trials[0].measurements
        assert [(m.step, dict(m.metrics)) for m in read] == [(2, {"accuracy": 0.4}), (0, {})]

    def test_an_empty_resource_is_a_study_without_trials(self):
        assert Study.from_resource({"name": NAME}).trials == ()


class TestBestTrial:
    @pytest.mark.parametrize(("goal", "best"), [("MAXIMIZE", "2"), ("MINIMIZE", "3")])
    def test_the_goal_decides(self, goal, best):
        study = study_of(trial(1, 0.5), trial(2, 0.9), trial(3, 0.1), goal=goal)
        assert study.best_trial.id == best

    def test_an_unspecified_goal_means_maximize(self):
        study = study_of(trial(1, 0.5), trial(2, 0.9), goal="GOAL_TYPE_UNSPECIFIED")
        assert study.best_trial.id == "2"

    def test_ties_go_to_the_lowest_number(self):
        assert study_of(trial(10, 0.9), trial(9, 0.9)).best_trial.id == "9"

    @pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", math.nan, math.inf])
    @pytest.mark.parametrize("goal", ["MAXIMIZE", "MINIMIZE"])
    def test_a_value_that_is_not_finite_never_wins(self, value, goal):
        assert study_of(trial(1, value), trial(2, 0.0), goal=goal).best_trial.id == "2"

    @pytest.mark.parametrize("state", ["INFEASIBLE", "ACTIVE", "STOPPING", "REQUESTED"])
    def test_only_succeeded_trials_win(self, state):
        assert study_of(trial(1, 0.9, state=state), trial(2, 0.1)).best_trial.id == "2"

    def test_a_trial_without_the_metric_never_wins(self):
        study = study_of(trial(1, 0.9, metric="other"), trial(2, 0.1))
        assert study.best_trial.id == "2"

    def test_without_a_feasible_trial_the_error_says_why(self):
        study = study_of(trial(1, 0.9, state="INFEASIBLE"), trial(2, "NaN"))
        expected = (
            r"2 of 2 trials could not win \(1 infeasible, 1 with accuracy not a number\); a trial"
        )
        with pytest.raises(NoFeasibleTrialError, match=expected):
            _ = study.best_trial

    def test_a_study_without_metrics_says_so(self):
        with pytest.raises(NoFeasibleTrialError, match="has no metric; give it a metric_spec"):
            _ = study_of(trial(1, 0.9), metrics=()).best_trial


class TestWhy:
    def test_it_names_value_runner_up_and_margin(self):
        study = study_of(trial(1, 0.9), trial(2, 0.96875), trial(3, 0.5, state="INFEASIBLE"))
        assert study.why == (
            "Trial 2 has the highest accuracy, 0.96875 (goal: maximize), in its final "
            "measurement, at step 3, 0.06875 better than trial 1 with 0.9; 1 of 3 trials could "
            "not win (1 infeasible)."
        )

    def test_it_says_lowest_for_minimize(self):
        study = study_of(trial(1, 0.5), trial(2, 0.25), goal="MINIMIZE")
        assert study.why == (
            "Trial 2 has the lowest accuracy, 0.25 (goal: minimize), in its final "
            "measurement, at step 3, 0.25 better than trial 1 with 0.5."
        )

    def test_it_says_that_a_tie_went_to_the_lower_id(self):
        assert study_of(trial(1, 0.5), trial(2, 0.5)).why == (
            "Trial 1 has the highest accuracy, 0.5 (goal: maximize), in its final "
            "measurement, at step 3, as has trial 2, and the lower id wins."
        )

    @pytest.mark.parametrize(
        ("selection", "which"),
        [("BEST_MEASUREMENT", "best"), ("LAST_MEASUREMENT", "last"), (None, "final")],
    )
    def test_it_names_the_measurement_and_its_step(self, selection, which):
        final = {"stepCount": "7", "metrics": [{"metricId": "accuracy", "value": 0.5}]}
        one = {**trial(1), "finalMeasurement": final}
        spec = {"metrics": [{"metricId": "accuracy"}], "measurementSelectionType": selection}
        study = Study.from_resource({"name": NAME, "studySpec": spec, "trials": [one]})
        assert study.why == (
            f"Trial 1 has the highest accuracy, 0.5 (goal: maximize), in its {which} measurement, "
            "at step 7, and no other trial could win."
        )

    def test_a_value_that_is_no_number_is_called_so(self):
        final = {"stepCount": "7", "metrics": [{"metricId": "accuracy", "value": "NaN"}]}
        study = study_of({**trial(1), "finalMeasurement": final}, trial(2, 0.5))
        assert study.why_not(study.trials[0]) == "with accuracy not a number at step 7"

    def test_a_lone_trial_has_no_runner_up(self):
        assert study_of(trial(1, 0.5), trial(2, state="ACTIVE")).why == (
            "Trial 1 has the highest accuracy, 0.5 (goal: maximize), in its final "
            "measurement, at step 3, and no other trial could win; 1 of 2 trials could not win "
            "(1 not finished)."
        )


class TestSeveralMetrics:
    @staticmethod
    def two(trial_id, accuracy, latency):
        metrics = [
            {"metricId": "accuracy", "value": accuracy},
            {"metricId": "latency", "value": latency},
        ]
        return {
            "id": str(trial_id),
            "state": "SUCCEEDED",
            "finalMeasurement": {"metrics": metrics},
        }

    def study(self, *trials):
        goals = [
            {"metricId": "accuracy", "goal": "MAXIMIZE"},
            {"metricId": "latency", "goal": "MINIMIZE"},
        ]
        return Study.from_resource(
            {"name": NAME, "studySpec": {"metrics": goals}, "trials": list(trials)}
        )

    def test_the_front_holds_what_nothing_dominates(self):
        study = self.study(
            self.two(4, 0.9, 9), self.two(1, 0.5, 1), self.two(2, 0.5, 2), self.two(3, 0.8, 9)
        )
        assert [t.id for t in study.best_trials] == ["1", "4"]

    def test_equal_trials_keep_the_lowest_id(self):
        study = self.study(self.two(10, 0.5, 1), self.two(9, 0.5, 1))
        assert [t.id for t in study.best_trials] == ["9"]

    def test_a_trial_that_leads_everywhere_is_the_best(self):
        assert self.study(self.two(1, 0.5, 2), self.two(2, 0.6, 1)).best_trial.id == "2"

    def test_no_single_best_where_the_front_is_wide(self):
        study = self.study(self.two(1, 0.5, 1), self.two(2, 0.9, 2))
        with pytest.raises(UnsupportedHereError, match="2 trials share the Pareto front"):
            _ = study.best_trial

    def test_best_to_json_is_a_list_even_of_one(self):
        assert isinstance(self.study(self.two(1, 0.5, 1)).best_to_json(), list)

    def test_each_trial_of_the_front_is_explained(self):
        study = self.study(self.two(1, 0.5, 1), self.two(2, 0.9, 2))
        assert study.explain(study.best_trials[0]) == (
            "Trial 1 has accuracy 0.5 (goal: maximize) and latency 1 (goal: minimize), and no "
            "other trial is better in one metric without being worse in another."
        )


class TestForms:
    def test_json_has_the_promised_keys_and_nulls(self):
        study = study_of(trial(1, "NaN"))
        assert study.to_json() == [
            {
                "id": "1",
                "state": "SUCCEEDED",
                "parameters": {},
                "metrics": {"accuracy": None},
                "step": 3,
                "measurements": [],
                "infeasible_reason": None,
                "model_dir": None,
                "start_time": None,
                "end_time": None,
            }
        ]

    def test_json_is_valid_for_readers_without_nan(self):
        measured = [{"metrics": [{"metricId": "accuracy", "value": "Infinity"}]}]
        study = study_of(trial(1, "NaN", measurements=measured))
        assert json.dumps(study.to_json(), allow_nan=False)

    def test_best_is_the_trial_and_why(self):
        study = study_of(trial(1, 0.5))
        assert study.best_to_json() == {**study.to_json()[0], "why": study.why}

    def test_rows_keep_a_parameter_and_a_metric_of_one_name_apart(self):
        parameters = [{"parameterId": "accuracy", "value": 3.0}]
        study = study_of(trial(1, 0.5, parameters=parameters), trial(2, state="ACTIVE"))
        rows = [dict(zip(study.columns(), row, strict=True)) for row in study.rows()]
        seen = [(row["parameters.accuracy"], row["metrics.accuracy"]) for row in rows]
        assert seen == [(3.0, 0.5), (None, None)]

    def test_the_frame_has_one_row_per_trial(self):
        frame = study_of(trial(1, 0.5), trial(2, 0.75)).to_frame()
        assert frame["metrics.accuracy"].tolist() == [0.5, 0.75]

    def test_without_pandas_the_frame_says_how_to_get_it(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(UnsupportedHereError, match=r"pip install 'vertex-jobs\[frames\]'"):
            study_of(trial(1, 0.5)).to_frame()

    def test_html_shows_the_best_first_and_escapes(self):
        study = study_of(
            trial(1, 0.5),
            trial(2, 0.75, parameters=[{"parameterId": "x", "value": "<b>"}]),
        )
        html = study._repr_html_()
        assert html.index("<td>2</td><td>SUCCEEDED</td><td>&lt;b&gt;</td>") < html.index(
            "<td>1</td>"
        )

    def test_a_trial_in_a_notebook_shows_six_digits(self):
        html = study_of(trial(1, 1 / 3)).trial("1")._repr_html_()
        assert "<td>0.333333</td>" in html

    def test_html_of_a_large_study_stays_small(self):
        study = study_of(*(trial(number, number / 100) for number in range(1, 100)))
        assert study._repr_html_().count("<tr") == 11

    def test_an_unknown_trial_is_named(self):
        with pytest.raises(KeyError, match=r"'9' is no trial of .*; it has 1 trials"):
            study_of(trial(1, 0.5)).trial("9")
