"""What the command line's tests share: running it in this process, and snapshots to show."""

import contextlib
import io
from dataclasses import dataclass

import pytest

from vertex_jobs.cli import main
from vertex_jobs.client import Snapshot

SCRIPT = "print('training')\n"
CONFIG = """\
kind: hyperparameter_tuning_job
display_name: tiny
script_path: train.py
metric_spec: {score: maximize}
parameter_spec: {x: {type: double, min: 0, max: 1}}
max_trial_count: 4
parallel_trial_count: 2
"""


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def command():
    """Runs one command of the command line in this process."""

    def run(*words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([str(word) for word in words])
        return Done(code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def config(tmp_path):
    """A study's config with its script beside it."""
    (tmp_path / "train.py").write_text(SCRIPT)
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    return path


@pytest.fixture
def study():
    """Makes a snapshot of a running study with trials given as (state, score or None)."""

    def make(*trials, state="RUNNING"):
        return Snapshot(
            {
                "name": "projects/p/locations/us-central1/hyperparameterTuningJobs/7",
                "displayName": "tiny",
                "state": f"JOB_STATE_{state}",
                "createTime": "2026-01-01T00:00:00.5Z",
                "maxTrialCount": 4,
                "studySpec": {"metrics": [{"metricId": "score", "goal": "MAXIMIZE"}]},
                "trials": [_trial(number, *trial) for number, trial in enumerate(trials, start=1)],
            }
        )

    return make


def _trial(number, state, score=None):
    trial = {
        "id": str(number),
        "state": state,
        "startTime": "2026-01-01T00:00:01Z",
        "parameters": [{"parameterId": "x", "value": number / 10}],
    }
    if score is not None:
        measurement = {"stepCount": "3", "metrics": [{"metricId": "score", "value": score}]}
        trial |= {"measurements": [measurement], "finalMeasurement": measurement}
    if state == "INFEASIBLE":
        trial["infeasibleReason"] = "it crashed"
    return trial
