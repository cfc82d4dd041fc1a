"""``check --dry-trial``: one real trial, which shows what the sources do not say."""

import json
from pathlib import Path

import pytest

from vertex_jobs.cli import main
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.spec import load

#: The tag is computed, so only a run tells it.
SCRIPT = """
import argparse, hypertune
parser = argparse.ArgumentParser()
parser.add_argument("--units", type=int)
parser.add_argument("--tag", default="accuracy")
options = parser.parse_args()
hypertune.HyperTune().report_hyperparameter_tuning_metric(options.tag, 0.5, 1)
"""
CONFIG = """\
kind: hyperparameter_tuning_job
display_name: x
script_path: train.py
staging_bucket: gs://my-bucket
timeout: 3600
metric_spec: {accuracy: maximize}
parameter_spec: {units: {type: integer, min: 1, max: 4}}
max_trial_count: 4
parallel_trial_count: 2
max_failed_trial_count: 2
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "study.yaml").write_text(CONFIG)
    return str(tmp_path / "study.yaml")


def errors(capsys: pytest.CaptureFixture[str]) -> list[str]:
    rows = json.loads(capsys.readouterr().out)["faults"]
    found = [row for row in rows if row["severity"] == "error"]
    return [f"{row['path']}: {row['rule']}; {row['remedy']}" for row in found]


def test_a_trial_that_reports_the_metric_is_left_alone(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", config, "--dry-trial", "--format", "json"]) == 0
    assert errors(capsys) == []


def test_a_trial_that_reports_another_metric_names_it(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--dry-trial", "--set", "args.tag=acuracy", "--format", "json"]
    assert main(["check", config, *words]) == 2
    expected = "metric_spec.accuracy: a trial did not report it; did you mean 'acuracy'?"
    assert errors(capsys) == [expected]


def test_a_job_without_trials_has_none_to_try(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(config).write_text("kind: custom_job\ndisplay_name: x\nscript_path: train.py\n")
    assert main(["check", config, "--dry-trial"]) == 2
    assert "a custom_job has no trials" in capsys.readouterr().err


def test_in_python_it_is_a_method_of_the_endpoint(config: str, local_vertex: Endpoint) -> None:
    study = load(config, ["args.tag=acuracy"])
    (fault,) = local_vertex.dry_trial(study)
    assert (fault.path, fault.remedy) == ("metric_spec.accuracy", "did you mean 'acuracy'?")
