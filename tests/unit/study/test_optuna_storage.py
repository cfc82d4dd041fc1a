"""A study as Optuna reads it."""

import pytest
from studies import conditional_job, tuning_job

from vertex_jobs.study import Study
from vertex_jobs.study.optuna_storage import write_optuna_storage

optuna = pytest.importorskip("optuna", reason="the extra 'optuna' is not installed")


def exported(path, study):
    write_optuna_storage(study, path)
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    loaded = optuna.load_study(study_name=study.display_name, storage=storage)
    trials = loaded.trials
    storage.engine.dispose()
    return loaded, trials


def test_optuna_finds_the_same_best_trial(tmp_path):
    study = Study.from_resource(tuning_job(8))
    _, trials = exported(tmp_path / "study.db", study)
    best = max((one for one in trials if one.values), key=lambda one: one.value)
    assert best.user_attrs["trial"] == study.best_trial.id
    assert (best.params, best.value) == (
        dict(study.best_trial.parameters),
        study.best_trial.metrics["accuracy"],
    )
    assert list(best.intermediate_values) == [1, 2, 3]


def test_infeasible_trials_fail_and_say_why(tmp_path):
    study = Study.from_resource(tuning_job(8))
    _, trials = exported(tmp_path / "study.db", study)
    (failed,) = (one for one in trials if one.state == optuna.trial.TrialState.FAIL)
    assert "exited" in failed.user_attrs["infeasible_reason"]


def test_several_metrics_have_their_directions(tmp_path):
    study = Study.from_resource(tuning_job(4, metrics=("accuracy", "latency")))
    path = tmp_path / "study.db"
    write_optuna_storage(study, path)
    (summary,) = optuna.get_all_study_summaries(f"sqlite:///{path}")
    assert [direction.name for direction in summary.directions] == ["MAXIMIZE", "MINIMIZE"]


def test_a_file_that_is_there_is_replaced(tmp_path):
    study = Study.from_resource(tuning_job(2))
    exported(tmp_path / "study.db", study)
    assert len(exported(tmp_path / "study.db", study)[1]) == 2


def test_parameters_that_share_a_name_keep_their_ranges(tmp_path):
    study = Study.from_resource(conditional_job())
    _, trials = exported(tmp_path / "study.db", study)
    assert [len(one.params) for one in trials] == [len(one.parameters) for one in study.trials]
    assert trials[0].distributions["rate (optimizer = adam)"].log
    assert trials[2].distributions["rate (optimizer = sgd)"].high == 1
