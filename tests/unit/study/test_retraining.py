"""A trial as a training job of its own."""

from dataclasses import replace
from pathlib import Path

import pytest
from studies import tuning_job

from vertex_jobs.spec import from_mapping
from vertex_jobs.spec.argument_forms import tokens
from vertex_jobs.study import Study
from vertex_jobs.study.retraining import training_config

STUDY = {
    "kind": "hyperparameter_tuning_job",
    "display_name": "digits",
    "container_uri": "europe-docker.pkg.dev/p/r/image:1",
    "args": {"epochs": 20},
    "metric_spec": {"accuracy": "maximize"},
    "parameter_spec": {"units": {"type": "integer", "min": 1, "max": 9}},
    "max_trial_count": 4,
    "parallel_trial_count": 2,
    "base_output_dir": "gs://bucket/study",
    "local": {"seed": 3, "environment": "isolated"},
}


@pytest.fixture(scope="module")
def trial():
    return Study.from_resource(tuning_job(3)).trials[0]


def test_study_goes_and_the_arguments_stay(trial):
    config = training_config(STUDY, trial)
    assert config == {
        "kind": "custom_job",
        "display_name": "digits-trial-1",
        "container_uri": "europe-docker.pkg.dev/p/r/image:1",
        "args": {"epochs": 20, **trial.parameters},
        "local": {"environment": "isolated"},
    }


def test_config_is_one_that_can_be_run(trial):
    job = from_mapping(training_config(STUDY, trial), source="test", base_directory=Path())
    assert f"--learning_rate={trial.parameters['learning_rate']!r}" in job.argument_tokens()


def test_tokens_stay_tokens(trial):
    args = training_config(STUDY | {"args": ["train"]}, trial)["args"]
    assert args[0] == "train"
    assert f"--units={trial.parameters['units']}" in args


def test_each_pool_gets_the_arguments(trial):
    pools = {"chief": {"args": {"epochs": 1}}, "workers": {"replica_count": 2}}
    changed = training_config(STUDY | {"worker_pools": pools}, trial)["worker_pools"]
    assert all(pool["args"]["units"] == trial.parameters["units"] for pool in changed.values())


def test_start_from_the_model_is_told_in_a_variable(trial):
    config = training_config(STUDY | {"environment_variables": {"A": "1"}}, trial, trial.model_dir)
    assert config["environment_variables"] == {
        "A": "1",
        "VERTEX_JOBS_INITIAL_MODEL_DIR": "gs://bucket/out/1/model/",
    }


def test_long_names_are_cut_before_the_trial(trial):
    name = training_config(STUDY | {"display_name": "x" * 128}, trial)["display_name"]
    assert (len(name), name[-9:]) == (128, "x-trial-1")


@pytest.mark.parametrize("own", [{}, ["train"]])
def test_a_parameter_has_the_text_that_the_trial_received(own, trial):
    huge = replace(trial, parameters={"units": 8.0, "size": 1e16, "rate": 0.1})
    args = training_config(STUDY | {"args": own}, huge)["args"]
    assert tokens(args)[-3:] == ("--units=8", "--size=1e+16", "--rate=0.1")
