"""What gcloud takes is the same job: out as its YAML and flags, back in as a config."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from golden_requests import NAMES, PLACE, request

from vertex_jobs.errors import InvalidJobError, UnsupportedHereError
from vertex_jobs.jobs import load
from vertex_jobs.requests import build, gcloud_form
from vertex_jobs.spec import HyperparameterTuningJob, to_mapping
from vertex_jobs.spec.yaml_text import render

JOBS = [name for name in NAMES if request(name).collection != "trainingPipelines"]


def flags_of(flags: tuple[str, ...]) -> dict[str, str]:
    """Flags as a shell would pass them."""
    words = [word for flag in flags for word in shlex.split(flag)]
    return dict(word.removeprefix("--").split("=", 1) for word in words)


@pytest.mark.parametrize("name", JOBS)
def test_out_and_in_again_gives_the_same_request(name: str, tmp_path: Path) -> None:
    sent = request(name)
    form = gcloud_form(sent)
    (tmp_path / "job.yaml").write_text(render(form.document), encoding="utf-8")
    flags = flags_of(form.flags)
    labels = dict(pair.split("=", 1) for pair in flags["labels"].split(","))
    told: dict[str, Any] = {
        "display_name": flags["display-name"],
        "labels": {key: labels[key] for key in labels if not key.startswith("vertex-jobs-")},
    }
    if "kms-key" in flags:
        told["encryption_spec_key_name"] = flags["kms-key"]
    overrides = [f"{key}={json.dumps(value)}" for key, value in told.items()]
    assert build(load(tmp_path / "job.yaml", overrides), None, PLACE) == sent


def test_flags_say_where_and_what() -> None:
    flags = flags_of(gcloud_form(request("digits_search")).flags)
    assert (flags["region"], flags["project"], flags["display-name"]) == (
        "us-central1",
        "my-project",
        "digits-search",
    )
    assert flags["labels"].startswith("example=digits,vertex-jobs-submission=$SUBMISSION,")


def test_whole_numbers_are_numbers() -> None:
    study = gcloud_form(request("stopping")).document["studySpec"]
    assert study["convexAutomatedStoppingSpec"]["maxStepCount"] == 20


@pytest.mark.parametrize("name", ["smallest", "own_image"])
def test_the_package_that_has_to_be_there_is_named(name: str) -> None:
    uris = gcloud_form(request(name)).package_uris
    assert [uri.rpartition("/packages/")[2] for uri in uris] == [
        "vertex_jobs_task_0123456789ab-0.1.0.tar.gz"
    ]


def test_a_pipeline_has_no_command_of_gcloud() -> None:
    with pytest.raises(UnsupportedHereError, match="no command that creates a training pipeline"):
        gcloud_form(request("digits_training"))


#: As in the reference page of gcloud ai hp-tuning-jobs create.
STUDY = """\
displayName: TestHpTuningJob
maxTrialCount: 1
parallelTrialCount: 1
studySpec:
  metrics:
  - metricId: x
    goal: MINIMIZE
  parameters:
  - parameterId: z
    integerValueSpec:
      minValue: 1
      maxValue: 100
  algorithm: RANDOM_SEARCH
trialJobSpec:
  workerPoolSpecs:
  - machineSpec:
      machineType: n1-standard-4
    replicaCount: 1
    containerSpec:
      imageUri: gcr.io/ucaip-test/ucaip-training-test
"""


def test_the_example_of_gclouds_page_is_a_study(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(STUDY)
    job = load(tmp_path / "job.yaml")
    assert isinstance(job, HyperparameterTuningJob)
    assert to_mapping(job) == {
        "kind": "hyperparameter_tuning_job",
        "display_name": "TestHpTuningJob",
        "container_uri": "gcr.io/ucaip-test/ucaip-training-test",
        "metric_spec": {"x": "minimize"},
        "parameter_spec": {"z": {"type": "integer", "min": 1, "max": 100}},
        "search_algorithm": "random",
        "measurement_selection": "last",
        "max_trial_count": 1,
        "parallel_trial_count": 1,
    }


def test_a_condition_that_is_no_list_is_a_fault(tmp_path: Path) -> None:
    child = """
    conditionalParameterSpecs:
    - parentIntValues: {values: 7}
      parameterSpec: {parameterId: y, doubleValueSpec: {maxValue: 1}}
  algorithm"""
    (tmp_path / "job.yaml").write_text(STUDY.replace("\n  algorithm", child))
    with pytest.raises(InvalidJobError, match=r"parameter_spec\.y\.when\.z = 7"):
        load(tmp_path / "job.yaml")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("machineType:", "machine_type:", "machineSpec.machine_type"),
        ("replicaCount: 1", "replicaCont: 1", "workerPoolSpecs.0.replicaCont"),
        ("maxTrialCount: 1", "state: JOB_STATE_FAILED", "state"),
        ("goal: MINIMIZE", "goal: MINIMIZE\n    safetyConfig: {}", "metrics.0.safetyConfig"),
    ],
)
def test_nothing_of_it_is_dropped(old: str, new: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(STUDY.replace(old, new))
    with pytest.raises(InvalidJobError) as caught:
        load(tmp_path / "job.yaml")
    (fault,) = caught.value.faults
    line = 1 + next(
        number
        for number, text in enumerate(STUDY.replace(old, new).splitlines())
        if expected.rpartition(".")[2] in text
    )
    assert fault.path.endswith(expected)
    assert fault.place == f"{tmp_path / 'job.yaml'}:{line}"
