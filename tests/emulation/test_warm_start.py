"""Studies that go on where earlier ones ended."""

import json
import re

import pytest

import vertex_jobs

SCRIPT = """\
import argparse, hypertune
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
x = parser.parse_args().x
hypertune.HyperTune().report_hyperparameter_tuning_metric("score", -((x - 0.7) ** 2), 1)
"""
FIELDS = {
    "kind": "hyperparameter_tuning_job",
    "metric_spec": "{score: maximize}",
    "parameter_spec": "{x: {type: double, min: 0, max: 1}}",
    "parallel_trial_count": 1,
    "local": "{seed: 3}",
}


def tried(command, name):
    found = json.loads(command("trials", name, "--format", "json").out)
    return [trial["parameters"]["x"] for trial in found]


def test_a_study_goes_on_from_another(command, config):
    first = config("first", SCRIPT, **FIELDS, max_trial_count=6)
    assert command("run", first).code == 0
    more = config("more", SCRIPT, **FIELDS, max_trial_count=2)
    done = command("run", more, "--warm-start", "first")
    assert done.code == 0, done.err
    job_id = json.loads(command("describe", "first").out)["name"].rpartition("/")[2]
    assert f"The search starts from 6 of 6 trials of {job_id}." in done.err
    # It begins neither anew nor with what is known: near the best, where nothing was tried.
    best = min(tried(command, "first"), key=lambda x: abs(x - 0.7))
    assert abs(tried(command, "more")[0] - 0.7) <= abs(best - 0.7) + 0.05
    assert not set(tried(command, "more")) & set(tried(command, "first"))


def test_trials_of_another_space_are_left_out(command, config):
    first = config("other", SCRIPT, **FIELDS, max_trial_count=2)
    assert command("run", first).code == 0
    fields = FIELDS | {"parameter_spec": "{x: {type: double, min: 0.9, max: 1}}"}
    narrow = config("narrow", SCRIPT, **fields, max_trial_count=1)
    done = command("run", narrow, "--warm-start", "other")
    assert (done.code, "The search starts from 0 of 2 trials" in done.err) == (0, True), done.err
    assert re.search(r"Left out: trial 1 \(.*'x'.*\), trial 2 \(", done.err)


def test_trials_without_the_metric_are_left_out(command, config):
    first = config("by-score", SCRIPT, **FIELDS, max_trial_count=5)
    assert command("run", first).code == 0
    fields = FIELDS | {"metric_spec": "{loss: minimize}"}
    other = config("by-loss", SCRIPT.replace("score", "loss"), **fields, max_trial_count=1)
    done = command("run", other, "--warm-start", "by-score")
    reason = "it has no value of loss"
    listed = f"trial 1 ({reason}), trial 2 ({reason}), trial 3 ({reason}), 2 more."
    assert (done.code, "0 of 5 trials" in done.err, listed in done.err) == (0, True, True)


def test_a_study_that_names_nothing_to_learn_from_is_refused(command, config):
    local = '{warm_start: ["999", "gs://local-staging/none.json", "gs://local-staging/bad.json"]}'
    path = config("vain", SCRIPT, **FIELDS | {"local": local}, max_trial_count=1)
    endpoint = vertex_jobs.local(state_dir=command.state)
    endpoint.outputs().write_bytes("gs://local-staging/bad.json", b"[" * 200_000)
    done = command("run", path)
    assert done.code == 2, done.err
    assert "local.warm_start[0]; Message: '999': no study on this machine has that id" in done.err
    for number, file in enumerate(("none", "bad"), start=1):
        named = f"local.warm_start[{number}]; Message: 'gs://local-staging/{file}.json': cannot be"
        assert named in done.err


def test_exported_trials_teach_as_the_study_itself(command, config, tmp_path):
    source = config("source", SCRIPT, **FIELDS, max_trial_count=6)
    assert command("run", source).code == 0
    file = tmp_path / "trials.json"
    file.write_text(command("trials", "source", "--format", "json").out)
    for name, earlier in (("by-file", str(file)), ("by-job", "source")):
        done = command(
            "run", config(name, SCRIPT, **FIELDS, max_trial_count=2), "--warm-start", earlier
        )
        assert (done.code, "The search starts from 6 of 6 trials" in done.err) == (0, True), (
            done.err
        )
    assert tried(command, "by-file") == tried(command, "by-job")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}", "it is no list of trials"),
        ("[{}]", "its trial 1 lacks or garbles 'parameters'"),
        ("x,y", "it is no JSON"),
        (None, "No such file"),
    ],
)
def test_a_file_without_trials_is_refused(command, config, tmp_path, text, why):
    file = tmp_path / "trials.json"
    if text is not None:
        file.write_text(text)
    path = config("refused", SCRIPT, **FIELDS, max_trial_count=1)
    done = command("run", path, "--warm-start", str(file))
    assert (done.code, why in done.err) == (2, True), done.err


def test_an_unknown_study_is_said_before_anything_is_submitted(command, config):
    path = config("alone", SCRIPT, **FIELDS, max_trial_count=1)
    done = command("run", path, "--warm-start", "nobody")
    assert (done.code, "nobody" in done.err) == (3, True)


def test_vertex_ai_has_no_warm_start(command, config):
    path = config("remote", SCRIPT, **FIELDS, max_trial_count=1)
    done = command("run", path, "--on", "vertex", "--warm-start", "7")
    assert (done.code, "--warm-start" in done.err) == (2, True), done.err
