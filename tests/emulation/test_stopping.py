"""Trials and studies that stop before their end, with real processes."""

import json

#: Trials 1 and 2 end; the third reports a bad value and would then run for ever.
SCRIPT = """\
import argparse, threading, hypertune
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
x = parser.parse_args().x
reporter = hypertune.HyperTune()
for step in range(1, 7):
    reporter.report_hyperparameter_tuning_metric("score", x * step, step)
if x < 1:
    threading.Event().wait()
"""
FIELDS = {
    "kind": "hyperparameter_tuning_job",
    "metric_spec": "{score: maximize}",
    "search_algorithm": "grid",
    "parallel_trial_count": 1,
}


def trials(command, name):
    return json.loads(command("trials", name, "--format", "json").out)


def test_a_trial_that_the_median_rule_stops_keeps_what_it_reported(command, config):
    path = config(
        "median",
        SCRIPT,
        **FIELDS,
        parameter_spec="{x: {type: discrete, values: [0.5, 2, 3]}}",
        local="{initial_trials: [{x: 3}, {x: 2}, {x: 0.5}]}",
        automated_stopping_spec="{type: median}",
        max_trial_count=3,
    )
    done = command("run", path)
    assert done.code == 0, done.err
    last = trials(command, "median")[2]
    assert (last["state"], last["parameters"]) == ("SUCCEEDED", {"x": 0.5})
    assert last["metrics"]["score"] == 0.5 * last["step"]
    assert "Trial 3 is stopped early at step" in done.err


def test_a_study_without_progress_stops(command, config):
    path = config(
        "stagnant",
        SCRIPT,
        **FIELDS,
        parameter_spec="{x: {type: discrete, values: [1, 2, 3, 4, 5]}}",
        local="{initial_trials: [{x: 5}, {x: 4}, {x: 3}]}",
        study_stopping_config="{max_num_trials_no_progress: 2}",
        max_trial_count=5,
    )
    done = command("run", path)
    assert (done.code, len(trials(command, "stagnant"))) == (0, 3), done.err


def test_a_study_stops_when_its_space_has_no_other_point(command, config):
    fields = {key: value for key, value in FIELDS.items() if key != "search_algorithm"}
    path = config(
        "small",
        SCRIPT,
        **fields,
        parameter_spec="{x: {type: discrete, values: [1, 2]}}",
        max_trial_count=3,
    )
    done = command("run", path)
    assert (done.code, len(trials(command, "small"))) == (0, 2), done.err
    assert "The study stops after 2 trials: its space has no other point." in done.err


#: Waits for ever with 1, and else as many seconds.
WAITING = """\
import argparse, time, hypertune
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
x = parser.parse_args().x
hypertune.HyperTune().report_hyperparameter_tuning_metric("score", x, 1)
time.sleep(x if x < 1 else 1000)
"""


def test_a_study_runs_as_long_as_its_rules_let_it(command, config):
    path = config(
        "timed",
        WAITING,
        **FIELDS,
        parameter_spec="{x: {type: discrete, values: [0.1, 0.2, 0.3, 1]}}",
        study_stopping_config="{maximum_runtime: 5, should_stop_asap: true}",
        max_trial_count=4,
    )
    done = command("run", path)
    assert (done.code, len(trials(command, "timed"))) == (0, 4), done.err
    assert "The trials that still run are stopped: maximum_runtime_constraint" in done.err


def test_no_trial_too_many_starts_beside_others(command, config):
    path = config(
        "counted",
        WAITING,
        **(FIELDS | {"parallel_trial_count": 4}),
        parameter_spec="{x: {type: discrete, values: [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]}}",
        study_stopping_config="{min_num_trials: 1, max_num_trials: 6}",
        max_trial_count=9,
    )
    done = command("run", path)
    assert (done.code, len(trials(command, "counted"))) == (0, 6), done.err


def test_what_is_not_emulated_of_a_rule_is_refused_by_name(command, config):
    path = config(
        "refused",
        SCRIPT,
        **FIELDS,
        parameter_spec="{x: {type: discrete, values: [1, 2]}}",
        automated_stopping_spec="{type: convex, update_all_stopped_trials: true}",
        max_trial_count=2,
    )
    done = command("run", path)
    assert (done.code, "update_all_stopped_trials" in done.err) == (2, True), done.err
