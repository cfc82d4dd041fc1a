"""Hyperparameter tuning jobs through the generated clients, over both transports."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import storage
from google.cloud.aiplatform_v1 import types
from job_forms import base, tuning_job
from seen_trials import OF_A_TUNING_JOB, PARAMETERS, plain, seen_trial, shape

Tune = Callable[[dict[str, Any]], Any]


def test_a_study_runs_every_trial(tune: Tune, package_uri: str) -> None:
    job = tune(tuning_job(package_uri))
    assert (job.state.name, [trial.id for trial in job.trials]) == (
        "JOB_STATE_SUCCEEDED",
        ["1", "2", "3", "4"],
    )


def test_a_job_has_an_id_of_18_or_19_digits(tune: Tune, package_uri: str) -> None:
    job = tune(tuning_job(package_uri, max_trial_count=1))
    assert re.fullmatch(r"\d{18,19}", job.name.rpartition("/")[2])


def test_a_trial_has_the_fields_that_were_seen_and_no_others(tune: Tune, package_uri: str) -> None:
    """Two double parameters and a report without a step, as in the notebook."""
    doubles = [
        {"parameter_id": name, "double_value_spec": {"min_value": 0.1, "max_value": 0.9}}
        for name in ("x", "n")
    ]
    form = tuning_job(package_uri, "--without-step", study={"parameters": doubles})
    (ours,) = tune({**form, "max_trial_count": 1}).trials
    assert shape(plain(ours)) == shape(seen_trial(OF_A_TUNING_JOB))


def test_a_report_without_a_step_is_at_step_1(tune: Tune, package_uri: str) -> None:
    form = tuning_job(package_uri, "--without-step", max_trial_count=1)
    (ours,) = tune(form).trials
    assert (
        ours.final_measurement.step_count
        == seen_trial(OF_A_TUNING_JOB).final_measurement.step_count
    )


def test_a_trial_that_failed_has_the_reason_instead_of_a_measurement(
    tune: Tune, package_uri: str
) -> None:
    (ours,) = tune(tuning_job(package_uri, "--exit=1", parallel_trial_count=1)).trials
    seen = set(shape(seen_trial(OF_A_TUNING_JOB))) - {"final_measurement"}
    assert set(shape(plain(ours))) == {*seen, "infeasible_reason"}


def test_a_list_has_trials_of_the_same_form(
    jobs: Any, tune: Tune, parent: str, package_uri: str, marker: str
) -> None:
    job = tune(tuning_job(package_uri, labels={"marker": marker}))
    request = {"parent": parent, "filter": f'labels.marker="{marker}"'}
    (listed,) = jobs.list_hyperparameter_tuning_jobs(request)
    assert list(listed.trials) == list(job.trials)


def test_the_first_trial_of_the_default_algorithm_is_the_middle(
    tune: Tune, package_uri: str
) -> None:
    """Source: the example in "Create a hyperparameter tuning job", trial 1."""
    rate = {"parameter_id": "x", "double_value_spec": {"min_value": 1e-5, "max_value": 1}}
    form = tuning_job(package_uri, study={"parameters": [rate], "algorithm": 0}, max_trial_count=1)
    (ours,) = tune(form).trials
    assert ours.parameters[0].value == 0.500005


def test_the_best_measurement_is_final(tune: Tune, package_uri: str) -> None:
    trial = tune(tuning_job(package_uri)).trials[0]
    x = {parameter.parameter_id: parameter.value for parameter in trial.parameters}["x"]
    final = trial.final_measurement
    assert (final.step_count, final.metrics[0].value) == (2, 2 * x)


def test_parameters_are_alphabetical_whole_ones_are_doubles_and_categories_texts(
    tune: Tune, package_uri: str
) -> None:
    """With the parameters of the notebook, in another order."""
    kinds = {
        "optimizer": {"categorical_value_spec": {"values": ["sgd", "adam"]}},
        "n_neurons": {"integer_value_spec": {"min_value": 1, "max_value": 300}},
        "n_hidden": {"integer_value_spec": {"min_value": 1, "max_value": 10}},
        "learning_rate": {"double_value_spec": {"min_value": 0.001, "max_value": 10}},
    }
    parameters = [{"parameter_id": name, **kind} for name, kind in kinds.items()]
    form = tuning_job(package_uri, study={"parameters": parameters}, max_trial_count=1)
    (ours,) = tune(form).trials
    found, seen = (
        [(one.parameter_id, one.value.WhichOneof("kind")) for one in message.parameters]
        for message in (plain(ours), seen_trial(PARAMETERS))
    )
    assert found == seen


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


def test_the_spec_of_trials_is_echoed_with_the_default_disk(
    jobs: Any, parent: str, package_uri: str
) -> None:
    job = tuning_job(package_uri, max_trial_count=1, parallel_trial_count=1)
    created = jobs.create_hyperparameter_tuning_job(parent=parent, hyperparameter_tuning_job=job)
    expected = types.CustomJobSpec(job["trial_job_spec"])
    disk = types.DiskSpec(boot_disk_type="pd-ssd", boot_disk_size_gb=100)
    expected.worker_pool_specs[0].disk_spec = disk
    assert created.trial_job_spec == expected
