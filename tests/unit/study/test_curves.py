"""Learning curves out of a trial's file of measurements, and where the service has its own."""

import json
from typing import Any

from vertex_jobs.study import Study
from vertex_jobs.study.curves import curve_uri, read_curve, with_curves
from vertex_jobs.study.trial_records import Measurement

TRIALS = [{"id": "1", "state": "ACTIVE"}, {"id": "2", "state": "ACTIVE"}]


def line(step: int, metric: str, value: float) -> str:
    return json.dumps({"metric": metric, "value": value, "step": step, "time": 1.5, "job": "7"})


def study(*trials: dict[str, Any], base: str = "gs://bucket/out") -> Study:
    spec = {"baseOutputDirectory": {"outputUriPrefix": base}} if base else {}
    return Study.from_resource({"name": "n", "trials": list(trials), "trialJobSpec": spec})


def test_a_curve_is_by_step_with_all_metrics_of_each() -> None:
    text = "\n".join([line(2, "loss", 0.5), line(1, "loss", 0.75), line(2, "accuracy", 0.9)])
    assert read_curve(text) == (
        Measurement(1, {"loss": 0.75}),
        Measurement(2, {"loss": 0.5, "accuracy": 0.9}),
    )


def test_of_two_reports_of_a_step_the_later_one_counts() -> None:
    """A trial that was interrupted runs the same steps again."""
    assert read_curve(f"{line(1, 'loss', 0.5)}\n{line(1, 'loss', 0.25)}\n") == (
        Measurement(1, {"loss": 0.25}),
    )


def test_a_line_that_was_cut_off_hides_no_other() -> None:
    whole = line(1, "loss", 0.5)
    assert read_curve(f"{whole}\n{whole[:-20]}\n\n[]\n") == (Measurement(1, {"loss": 0.5}),)


def test_the_file_is_in_the_trials_own_log_directory() -> None:
    assert [curve_uri(trial) for trial in study(*TRIALS).trials] == [
        "gs://bucket/out/1/logs/measurements.jsonl",
        "gs://bucket/out/2/logs/measurements.jsonl",
    ]


def test_without_a_base_directory_there_is_no_file() -> None:
    assert [curve_uri(trial) for trial in study(*TRIALS, base="").trials] == [None, None]


def test_measurements_that_the_service_sends_stand() -> None:
    """Its proto has them, though no answer was seen with any."""
    sent = {"stepCount": "4", "metrics": [{"metricId": "loss", "value": 0.125}]}
    both = study({**TRIALS[0], "measurements": [sent]}, TRIALS[1])
    read = (Measurement(1, {"loss": 0.5}),)
    curves = with_curves(both, {"1": read, "2": read})
    assert [trial.measurements for trial in curves.trials] == [
        (Measurement(4, {"loss": 0.125}),),
        read,
    ]
