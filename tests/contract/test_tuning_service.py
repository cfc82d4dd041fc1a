"""Hyperparameter tuning jobs through the generated clients, over both transports."""

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import storage
from google.cloud.aiplatform_v1 import types
from job_forms import base, tuning_job

Tune = Callable[[dict[str, Any]], Any]


def test_a_study_runs_every_trial(tune: Tune, package_uri: str) -> None:
    job = tune(tuning_job(package_uri))
    assert (job.state.name, sorted(trial.id for trial in job.trials)) == (
        "JOB_STATE_SUCCEEDED",
        ["1", "2", "3", "4"],
    )


def test_the_best_measurement_is_final(tune: Tune, package_uri: str) -> None:
    trial = tune(tuning_job(package_uri)).trials[0]
    x = {parameter.parameter_id: parameter.value for parameter in trial.parameters}["x"]
    final = trial.final_measurement
    assert (final.step_count, final.metrics[0].value, len(trial.measurements)) == (2, 2 * x, 2)


def test_parameters_are_alphabetical_and_numbers(tune: Tune, package_uri: str) -> None:
    trial = tune(tuning_job(package_uri)).trials[0]
    values = [parameter.value for parameter in trial.parameters]
    assert ([parameter.parameter_id for parameter in trial.parameters], values[0] % 1) == (
        ["n", "x"],
        0,
    )


def test_a_trial_names_its_custom_job(
    tune: Tune, jobs: Any, package_uri: str, bucket: storage.Bucket, marker: str
) -> None:
    out = f"gs://{bucket.name}/{marker}"
    trial = tune(tuning_job(package_uri, spec=base(out))).trials[0]
    custom = jobs.get_custom_job(name=trial.custom_job)
    prefix = custom.job_spec.base_output_directory.output_uri_prefix
    assert (custom.state.name, prefix) == ("JOB_STATE_SUCCEEDED", f"{out}/{trial.id}")


def test_trials_see_their_own_directories(
    tune: Tune, outputs: Any, package_uri: str, bucket: storage.Bucket, marker: str
) -> None:
    out = f"gs://{bucket.name}/{marker}"
    job = tune(tuning_job(package_uri, "--model", spec=base(out)))
    assert sorted(outputs(out)) == [f"{trial}/model/weights.txt" for trial in ("1", "2", "3", "4")]
    assert len(job.trials) == 4


def test_a_first_trial_that_fails_ends_the_job(tune: Tune, package_uri: str) -> None:
    job = tune(tuning_job(package_uri, "--exit=1", parallel_trial_count=1))
    assert (job.state.name, [trial.state.name for trial in job.trials]) == (
        "JOB_STATE_FAILED",
        ["INFEASIBLE"],
    )


def test_a_missing_metric_makes_the_trial_infeasible(tune: Tune, package_uri: str) -> None:
    trial = tune(tuning_job(package_uri, "--metric=other", parallel_trial_count=1)).trials[0]
    assert (trial.state.name, bool(trial.infeasible_reason)) == ("INFEASIBLE", True)


def test_grid_search_ends_when_the_grid_does(tune: Tune, package_uri: str) -> None:
    grid = {
        "algorithm": 2,
        "parameters": [
            {"parameter_id": "n", "integer_value_spec": {"min_value": 1, "max_value": 2}},
            {"parameter_id": "x", "discrete_value_spec": {"values": [0.5]}},
        ],
    }
    job = tune(tuning_job(package_uri, study=grid, max_trial_count=10))
    seen = sorted(trial.parameters[0].value for trial in job.trials)
    assert (job.state.name, seen) == ("JOB_STATE_SUCCEEDED", [1.0, 2.0])


def test_cancel(jobs: Any, parent: str, package_uri: str, wait: Any) -> None:
    form = tuning_job(package_uri, "--sleep=60")
    created = jobs.create_hyperparameter_tuning_job(parent=parent, hyperparameter_tuning_job=form)
    jobs.cancel_hyperparameter_tuning_job(name=created.name)
    job = wait(lambda: jobs.get_hyperparameter_tuning_job(name=created.name))
    assert (job.state.name, job.error.code) == ("JOB_STATE_CANCELLED", 1)


def test_list_and_delete(jobs: Any, tune: Tune, parent: str, package_uri: str, marker: str) -> None:
    job = tune(tuning_job(package_uri, labels={"marker": marker}, max_trial_count=1))
    request = {"parent": parent, "filter": f'labels.marker="{marker}"'}
    listed = [one.name for one in jobs.list_hyperparameter_tuning_jobs(request)]
    jobs.delete_hyperparameter_tuning_job(name=job.name).result()
    left = list(jobs.list_hyperparameter_tuning_jobs(request))
    assert (listed, left) == ([job.name], [])


def test_a_study_that_no_search_could_have_is_refused(tune: Tune, package_uri: str) -> None:
    form = tuning_job(package_uri)
    form["study_spec"]["parameters"].append(
        {"parameter_id": "x", "categorical_value_spec": {"values": ["a", "a"]}}
    )
    with pytest.raises(exceptions.BadRequest, match=r"'x' occurs 2 times.*") as refusal:
        tune(form)
    assert "'a' occurs 2 times" in refusal.value.message


def test_the_spec_of_trials_is_echoed_as_it_was_sent(
    jobs: Any, parent: str, package_uri: str
) -> None:
    job = tuning_job(package_uri, max_trial_count=1, parallel_trial_count=1)
    created = jobs.create_hyperparameter_tuning_job(parent=parent, hyperparameter_tuning_job=job)
    assert created.trial_job_spec == types.CustomJobSpec(job["trial_job_spec"])
