"""From what scripts report to what trials have measured: fast, wrong, not finite, then a crash."""

import json

import pytest

SCRIPT = """
import argparse
import os
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--case")
case = parser.parse_args().case

import hypertune
from vertex_jobs.runtime import metrics

if case == "fast":
    for step in range(1, 1001):
        metrics.report("score", step / 1000, step)
elif case == "bare":
    tune = hypertune.HyperTune()
    for step in range(1, 1001):
        tune.report_hyperparameter_tuning_metric("score", step / 2000, step)
elif case == "other":
    metrics.report("scores", 1.0, 1)
elif case == "nan":
    hypertune.HyperTune().report_hyperparameter_tuning_metric("score", float("nan"), 1)
elif case == "below":
    hypertune.HyperTune().report_hyperparameter_tuning_metric("score", 9.0, -1)
elif case == "folder":
    os.makedirs(os.environ["CLOUD_ML_HP_METRIC_FILE"])
elif case == "crash":
    metrics.report("score", 9.0, 1)
    sys.exit(3)
"""
CASES = ["fast", "bare", "other", "nan", "below", "folder", "crash", "silent"]
STUDY = f"""
kind: hyperparameter_tuning_job
display_name: measurements
script_path: reports.py
metric_spec: {{score: maximize}}
parameter_spec:
  case: {{type: categorical, values: {CASES}}}
search_algorithm: grid
max_trial_count: {len(CASES)}
parallel_trial_count: 2
max_failed_trial_count: {len(CASES)}
"""


@pytest.fixture(scope="module")
def trials(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("measurements")
    (folder / "reports.py").write_text(SCRIPT)
    (folder / "study.yaml").write_text(STUDY)
    done = command("run", str(folder / "study.yaml"))
    assert done.code == 0, done.err
    found = json.loads(command("trials", "measurements", "--format", "json").out)
    return {trial["parameters"]["case"]: trial for trial in found}


def test_nothing_that_the_runtime_reports_is_lost(trials):
    assert trials["fast"]["measurements"] == [
        {"step": step, "metrics": {"score": step / 1000}} for step in range(1, 1001)
    ]


def test_of_bare_hypertune_only_the_final_measurement_is_known(trials):
    """On Vertex AI neither: nobody keeps its other reports."""
    bare = trials["bare"]
    assert [bare[key] for key in ("step", "metrics", "measurements")] == [1000, {"score": 0.5}, []]


@pytest.mark.parametrize(
    ("case", "reported"),
    [
        ("other", "scores"),
        ("nan", "score (not a number (NaN), first at step 1)"),
        ("below", "score (never at a step)"),
        ("folder", "nothing"),
        ("silent", "nothing"),
    ],
)
def test_a_missing_metric_says_what_was_reported(trials, case, reported):
    assert trials[case]["state"] == "INFEASIBLE"
    assert trials[case]["infeasible_reason"].endswith(
        f"without a complete measurement of score; it reported {reported}."
    )


def test_metrics_and_then_a_crash_never_win(trials, command):
    crashed = trials["crash"]
    assert (crashed["state"], crashed["measurements"]) == (
        "INFEASIBLE",
        [{"step": 1, "metrics": {"score": 9.0}}],
    )
    best = json.loads(command("best", "measurements", "--format", "json").out)
    assert best["parameters"] == {"case": "fast"}
