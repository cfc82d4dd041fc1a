"""What would be sent: shown without contact, refused with every fault at once."""

import json

import pytest
import yaml

from vertex_jobs.cli.differences import difference
from vertex_jobs.jobs import load


def test_show_prints_the_body_and_nothing_else(command, config):
    done = command("show", config)
    assert (json.loads(done.out), done.err) == (load(config).preview().body, "")


def test_yaml_is_the_same_body(command, config):
    shown = command("show", config, "--format", "yaml").out
    assert yaml.safe_load(shown) == json.loads(command("show", config).out)


def test_set_replaces_a_value(command, config):
    shown = command("show", config, "--set", "max_trial_count=9").out
    assert json.loads(shown)["maxTrialCount"] == 9


def test_staging_bucket_of_the_command_wins(command, config):
    shown = command("show", config, "--on", "vertex", "--staging-bucket", "gs://mine/x").out
    prefix = json.loads(shown)["trialJobSpec"]["baseOutputDirectory"]["outputUriPrefix"]
    assert prefix == "gs://mine/x/vertex-jobs/{submission}"


def test_vertex_needs_a_staging_bucket(command, config):
    done = command("show", config, "--on", "vertex")
    assert (done.code, "add --staging-bucket gs://BUCKET" in done.err) == (2, True)


def test_name_of_an_experiment_needs_the_project(command, config):
    words = ("--on", "vertex", "--staging-bucket", "gs://bucket")
    faults = command(
        "show", config, *words, "--set", "experiment=e", "--set", "service_account=a@b.c"
    )
    assert (faults.code, "add --project PROJECT" in faults.err) == (2, True)


@pytest.mark.parametrize("verb", ["show", "run", "package"])
def test_every_fault_of_a_config_is_told_at_once(command, config, verb):
    words = ("--set", "max_trial_count=0", "--set", "metric_spec.score=up", "--set", "argz=1")
    done = command(verb, config, *words)
    faults = [line.split()[0] for line in done.err.splitlines() if line.startswith("  ")]
    expected = {"max_trial_count", "metric_spec.score", "argz"}
    assert (done.code, done.out, expected - set(faults)) == (2, "", set()), done.err


def test_dry_run_shows_the_request_and_makes_no_state(command, config, tmp_path):
    done = command("run", config, "--dry-run", "--state-dir", tmp_path / "state")
    same = json.loads(done.out) == json.loads(command("show", config).out)
    assert (done.code, same, (tmp_path / "state").exists()) == (0, True, False)


def test_local_settings_are_refused_for_vertex(command, config):
    words = ("--on", "vertex", "--staging-bucket", "gs://bucket", "--seed", "1", "--fresh")
    done = command("run", config, *words)
    assert (done.code, done.err.count("is a setting of Local Vertex")) == (2, 2)


def test_gcloud_form_says_the_commands_and_reads_back(command, config, tmp_path):
    shown = command("show", config, "--format", "gcloud").out
    (tmp_path / "job.yaml").write_text(shown)
    name = load(config).display_name
    again = command("show", tmp_path / "job.yaml", "--set", f"display_name={name}")
    assert "# gcloud ai hp-tuning-jobs create --config=job.yaml" in shown
    assert json.loads(again.out) == json.loads(command("show", config).out)


def test_a_config_is_shown_whole_in_its_shortest_form(command, config, tmp_path):
    shown = command("show", config, "--format", "config", "--set", "max_trial_count=9").out
    (tmp_path / "again.yaml").write_text(shown)
    job = load(tmp_path / "again.yaml")
    assert job == load(config, ["max_trial_count=9"])


def test_overlays_may_stand_between_options(command, config, tmp_path):
    (tmp_path / "more.yaml").write_text("max_trial_count: 7\n")
    (tmp_path / "most.yaml").write_text("timeout: 60\n")
    words = ("--set", "display_name=x", tmp_path / "more.yaml", "--format", "json")
    shown = json.loads(command("show", config, *words, tmp_path / "most.yaml").out)
    assert (shown["maxTrialCount"], shown["trialJobSpec"]["scheduling"]) == (7, {"timeout": "60s"})


def test_a_fault_names_the_overlay_and_its_line(command, config, tmp_path):
    (tmp_path / "more.yaml").write_text("\nmax_trial_count: 0\n")
    done = command("show", config, tmp_path / "more.yaml")
    assert f"  max_trial_count = 0  ({tmp_path / 'more.yaml'}:2)" in done.err.splitlines()


def test_the_schema_is_shown_without_a_config(command):
    done = command("show", "--schema")
    assert (done.code, "HyperparameterTuningJob" in json.loads(done.out)["$defs"]) == (0, True)


def test_show_needs_a_config(command):
    done = command("show")
    assert (done.code, "name a CONFIG, or ask for --schema" in done.err) == (2, True)


def test_what_a_service_says_is_no_difference(config):
    body = load(config).preview().body
    ran = json.loads(json.dumps(body).replace("{submission}", "0123456789abcdef"))
    told = {"name": "n", "state": "JOB_STATE_SUCCEEDED", "createTime": "t", "trials": [{}]}
    assert difference({**ran, **told}, body, "job", "config") == []


def test_a_difference_is_told_line_by_line(config):
    body = load(config).preview().body
    found = difference({**body, "maxTrialCount": 99}, body, "job", "config")
    assert found[:2] == ["--- job (was sent)", "+++ config (would be)"]
    changed = [line for line in found[2:] if line[0] in "+-"]
    assert changed == ["-maxTrialCount: 99", f"+maxTrialCount: {body['maxTrialCount']}"]
