"""Plain jobs from the command line: how they end, exit codes, and every verb that takes one."""

import json
import os
import signal

import pytest

SLEEPER = "import time\nprint('asleep', flush=True)\ntime.sleep(600)\n"


@pytest.fixture(scope="module")
def ran(command, config):
    return command(
        "run", config("plain", "import sys\nprint('out')\nprint('err', file=sys.stderr)\n")
    )


def detached(command, path):
    """The resource name of a job that was started and left."""
    done = command("run", path, "--detach")
    assert done.code == 0, done.err
    return done.out.strip()


def test_run_streams_the_log_to_stderr(ran):
    lines = [line for line in ran.err.splitlines() if line in ("out", "err")]
    assert (ran.code, sorted(lines)) == (0, ["err", "out"]), ran.err


def test_run_ends_with_the_outputs(ran):
    assert ran.out.startswith("outputs: gs://local-staging/vertex-jobs/")


@pytest.mark.usefixtures("ran")
def test_logs_go_to_stdout(command):
    lines = command("logs", "plain", "--replica", "workerpool0-0").out.splitlines()
    assert {"out", "err"} <= set(lines)


@pytest.mark.usefixtures("ran")
def test_log_lines_as_json_have_their_source(command):
    lines = command("logs", "plain", "-f", "--format", "json").out.splitlines()
    entry = next(entry for entry in map(json.loads, lines) if entry["text"] == "err")
    assert {key: entry[key] for key in ("severity", "trial", "replica")} == {
        "severity": "ERROR",
        "trial": None,
        "replica": "workerpool0-0",
    }


@pytest.mark.usefixtures("ran")
def test_diff_tells_what_a_config_would_change(command, config):
    path = config("plain", "import sys\nprint('out')\nprint('err', file=sys.stderr)\n")
    same = command("show", path, "--diff", "plain")
    other = command("show", path, "--diff", "plain", "--set", "machine_type=e2-standard-8")
    changed = [line.split(": ")[-1] for line in other.out.splitlines()[2:] if line[0] in "+-"]
    assert (same.code, same.out) == (0, ""), same.err + same.out
    assert (other.code, changed) == (1, ["n1-standard-4", "e2-standard-8"]), other.err


@pytest.mark.usefixtures("ran")
def test_plain_job_has_no_trials(command):
    done = command("trials", "plain")
    assert (done.code, "only a hyperparameter_tuning_job has" in done.err) == (2, True)


@pytest.mark.usefixtures("ran")
def test_list_as_table_json_and_csv(command):
    resource = json.loads(command("describe", "plain").out)
    words = ("list", "--filter", 'display_name="plain"', "--format")
    assert json.loads(command(*words, "json").out) == [resource]
    assert command(*words, "csv").out.splitlines()[1].endswith(resource["name"])
    assert command(*words, "table").out.splitlines()[1].split()[1:4] == [
        "plain",
        "custom",
        "succeeded",
    ]


def test_list_of_nothing_says_so(command):
    done = command("list", "--filter", 'display_name="nothing"')
    assert (done.code, done.out, done.err) == (0, "", "no jobs that the filter accepts\n")


@pytest.mark.usefixtures("ran")
def test_jobs_of_another_location_are_listed(command, config):
    command("run", config("far", "pass"), "--location", "europe-west4")
    rows = command("list", "--filter", 'display_name="far"').out.splitlines()
    assert (len(rows), rows[1].split()[1:4]) == (2, ["far", "custom", "succeeded"])


@pytest.mark.usefixtures("ran")
def test_another_project_that_holds_jobs_is_named(command):
    done = command("list", "--project", "acme-ml")
    assert done.err.splitlines() == [
        "no jobs in project acme-ml",
        "there are jobs in local-project: list --project NAME, or list --everywhere",
    ]


def test_a_region_that_does_not_exist_is_refused(command):
    done = command("list", "--location", "europe-west99")
    assert (done.code, "is no region of Vertex AI; did you mean" in done.err) == (2, True)


def test_crash_is_told_with_its_last_lines_and_no_traceback_of_ours(command, config):
    done = command("run", config("crash", "print('so far')\nraise RuntimeError('no more')\n"))
    told = done.err.partition("error: ")[2]
    assert (done.code, "  | RuntimeError: no more" in told, "vertex_jobs/cli" in told) == (
        1,
        True,
        False,
    ), done.err
    assert "last lines of workerpool0-0:" in told
    assert told.splitlines()[-1].startswith("  its output  vertex-jobs logs ")


def test_unknown_job_is_refused_with_the_nearest_name(command, ran):
    done = command("describe", "plian")
    assert (done.code, done.out, "did you mean plain?" in done.err) == (3, "", True)


def test_training_job_names_its_model(command, config):
    script = (
        "import os\nfrom google.cloud import storage\n"
        "bucket, _, path = os.environ['AIP_MODEL_DIR'][5:].partition('/')\n"
        "storage.Client().bucket(bucket).blob(path + 'm').upload_from_string('m')\n"
    )
    path = config(
        "training",
        script,
        kind="custom_training_job",
        model_serving_container_image_uri="us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-15:latest",
    )
    done = command("run", path)
    assert (done.code, done.out.splitlines()[0].startswith("model: projects/")) == (0, True), (
        done.err
    )


def test_cancelled_job_is_a_failure_to_whoever_watches(command, config):
    name = detached(command, config("cancelled", SLEEPER))
    assert command("cancel", name).code == 0
    done = command("watch", name)
    assert (done.code, "error: the job was cancelled" in done.err) == (1, True), done.err


def test_cancelling_twice_says_that_it_had_ended(command, config):
    name = detached(command, config("ended", "pass\n"))
    command("watch", name)
    assert f"{name} had ended already: succeeded" in command("cancel", name).err


def test_deleted_job_is_gone(command, config):
    name = detached(command, config("deleted", "pass\n"))
    command("watch", name)
    assert (command("delete", name).code, command("describe", name).code) == (0, 3)


def test_interrupted_run_leaves_the_job_and_says_how_to_come_back(command, config):
    with command.process("run", config("interrupted", SLEEPER)) as process:
        for line in process.stderr:
            if line == "asleep\n":
                break
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
    resource = json.loads(command("describe", "interrupted").out)
    job_id = resource["name"].rpartition("/")[2]
    assert (process.wait(), resource["state"]) == (130, "JOB_STATE_RUNNING")
    assert f"vertex-jobs watch {job_id} --state-dir {command.state}" in err
    assert "Traceback" not in err
    command("cancel", job_id)


def test_lost_server_ends_a_run_with_3(fresh_command, config):
    with fresh_command.process("run", config("lost", SLEEPER)) as process:
        for line in process.stderr:
            if line == "asleep\n":
                break
        os.kill(fresh_command.record.pid, signal.SIGKILL)
        err = process.stderr.read()
    assert (process.wait(), "error: Local Vertex has ended" in err) == (3, True), err


def test_state_that_cannot_be_written_is_told(command, tmp_path):
    (tmp_path / "file").write_text("")
    done = type(command)(tmp_path / "file" / "state")("list")
    assert (done.code, "name another with --state-dir" in done.err) == (2, True)
