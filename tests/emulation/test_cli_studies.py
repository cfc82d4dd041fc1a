"""A study from the command line: run once, then read in every way."""

import csv
import io
import json

import pytest
import yaml
from command_line import STUDY_FIELDS, STUDY_SCRIPT
from google.cloud.aiplatform_v1 import types
from google.protobuf import json_format

MODEL_FILE = "model.txt"


@pytest.fixture(scope="module")
def ran(command, study):
    return command("run", study)


def trials(command):
    return json.loads(command("trials", "grid", "--format", "json").out)


def test_run_ends_well_and_tells_each_trial_once(ran):
    lines = [line.split("  ")[-1] for line in ran.err.splitlines() if "  trial " in line]
    # Who leads is said when it is seen, and two short trials may be seen at once.
    events = [line.removesuffix(" (best so far)") for line in lines]
    assert (ran.code, events[:-1]) == (
        0,
        [
            "trial 1 started: x=0",
            "trial 1 succeeded: score 1.9375",
            "trial 2 started: x=0.25",
            "trial 2 succeeded: score 2",
            "trial 3 started: x=1",
        ],
    ), ran.err


def test_failed_trial_says_why(ran):
    assert "trial 3 infeasible: " in ran.err


def test_run_ends_with_trials_the_best_and_why(ran):
    lines = ran.out.splitlines()
    assert (lines[0].split()[:4], lines[2].split()[:4]) == (
        ["trial", "state", "score", "x"],
        ["2", "best", "2", "0.25"],
    )
    assert "Trial 2 has the highest score, 2 (goal: maximize)" in ran.out


@pytest.mark.parametrize("verb", ["best", "trials", "tensorboard", "logs"])
def test_run_names_the_commands_that_come_next(command, ran, verb):
    job_id = json.loads(command("describe", "grid").out)["name"].rpartition("/")[2]
    assert f"vertex-jobs {verb} {job_id} " in ran.err


@pytest.mark.usefixtures("ran")
def test_request_that_arrived_is_the_one_that_is_shown(command, study):
    shown = command("show", study).out
    resource = json.loads(command("describe", "grid").out)
    arrived = types.HyperparameterTuningJob.pb()()
    json_format.ParseDict(resource, arrived)
    for field in ("name", "state", "create_time", "start_time", "end_time", "update_time"):
        arrived.ClearField(field)
    arrived.ClearField("trials")
    sent = types.HyperparameterTuningJob.pb()()
    nonce = resource["labels"]["vertex-jobs-submission"]
    json_format.Parse(shown.replace("{submission}", nonce), sent)
    assert arrived == sent


@pytest.mark.usefixtures("ran")
def test_trials_have_typed_parameters_and_the_final_measurement(command):
    second = trials(command)[1]
    found = [second[key] for key in ("parameters", "metrics", "step")]
    assert found == [{"x": 0.25}, {"score": 2.0}, 2]


@pytest.mark.usefixtures("ran")
def test_yaml_and_csv_say_what_json_says(command):
    rows = csv.DictReader(io.StringIO(command("trials", "grid", "--format", "csv").out))
    assert yaml.safe_load(command("trials", "grid", "--format", "yaml").out) == trials(command)
    assert [row["metrics.score"] for row in rows] == ["1.9375", "2.0", ""]


@pytest.mark.usefixtures("ran")
def test_best_is_a_trial_and_why(command):
    best = json.loads(command("best", "grid", "--format", "json").out)
    why = best.pop("why")
    assert (best, why.split(",")[0]) == (trials(command)[1], "Trial 2 has the highest score")


@pytest.mark.usefixtures("ran")
def test_best_without_a_model_cannot_be_downloaded(command, tmp_path):
    done = command("best", "grid", "--download", tmp_path)
    assert (done.code, "trial 2 left no model" in done.err) == (3, True)


@pytest.mark.usefixtures("ran")
def test_trial_without_a_model_is_not_registered(command):
    done = command("best", "grid", "--register")
    assert (done.code, "trial 2 left no model" in done.err) == (3, True)


@pytest.mark.usefixtures("ran")
def test_there_is_no_going_on_from_a_trial_without_a_model(command):
    done = command("best", "grid", "--trial", "3", "--continue")
    assert (done.code, done.out, "trial 3 left no model" in done.err) == (3, "", True)


@pytest.mark.usefixtures("ran")
def test_logs_name_the_trial_of_each_line(command):
    assert "trial 3 workerpool" not in command("logs", "grid").out
    assert "trial 3 | too far" in command("logs", "grid").out


@pytest.mark.usefixtures("ran")
def test_watching_an_ended_study_tells_its_outcome_again(command, ran):
    done = command("watch", "grid")
    assert (done.code, done.out) == (0, ran.out)


@pytest.mark.usefixtures("ran")
def test_once_comes_back_to_the_job_of_the_same_content(command, study):
    done = command("run", study, "--once", "--detach")
    assert done.out.strip() == json.loads(command("describe", "grid").out)["name"]


def test_study_without_a_feasible_trial_is_a_failure(command, config):
    silent = config(
        "silent",
        "import sys; sys.argv\n",
        kind="hyperparameter_tuning_job",
        metric_spec="{score: maximize}",
        parameter_spec="{x: {type: discrete, values: [1]}}",
        search_algorithm="grid",
        max_trial_count=1,
        parallel_trial_count=1,
    )
    done = command("run", silent)
    assert (done.code, "Traceback" in done.err) == (1, False), done.err


def test_study_with_two_metrics_offers_its_front_and_asks_which_trial(command, config, tmp_path):
    script = STUDY_SCRIPT.replace("> 0.9", "> 9") + (
        "    reporter.report_hyperparameter_tuning_metric('size', options.x, step)\n"
    )
    fields = STUDY_FIELDS | {
        "metric_spec": "{score: maximize, size: minimize}",
        "max_trial_count": 2,
        "max_failed_trial_count": 0,
        "parameter_spec": "{x: {type: discrete, values: [0, 0.25]}}",
    }
    ran = command("run", config("two", script, **fields))
    offered = next(line for line in ran.err.splitlines() if "vertex-jobs best" in line)
    assert (ran.code, "--download" in offered) == (0, False)
    assert command("best", "two").out.startswith("2 trials are the Pareto front")
    done = command("best", "two", "--download", tmp_path)
    assert (done.code, "add --trial ID, one of 1, 2" in done.err) == (2, True), done.err


def test_seed_decides_what_is_tried(command, config, study):
    random = (
        "--set",
        "search_algorithm=random",
        "--set",
        "parameter_spec.x.values=[0,0.1,0.2,0.3]",
    )

    def tried(seed):
        name = command("run", study, *random, "--seed", seed).err.split()[1]
        found = json.loads(command("trials", name, "--format", "json").out)
        return [trial["parameters"] for trial in found]

    assert tried(5) == tried(5)


SAVING_SCRIPT = """\
import argparse, os, hypertune
from google.cloud import storage
parser = argparse.ArgumentParser()
parser.add_argument("--x")
x = float(parser.parse_args().x)
print("goes on from", os.environ.get("VERTEX_JOBS_INITIAL_MODEL_DIR"))
bucket, _, path = os.environ["AIP_MODEL_DIR"][5:].partition("/")
storage.Client().bucket(bucket).blob(path + "model.txt").upload_from_string(str(x))
hypertune.HyperTune().report_hyperparameter_tuning_metric("score", x, 1)
"""


@pytest.fixture(scope="module")
def saving(command, config):
    """The config of a study that has run, whose trials saved models; the first is the best."""
    path = config(
        "saving",
        SAVING_SCRIPT,
        kind="hyperparameter_tuning_job",
        metric_spec="{score: minimize}",
        parameter_spec="{x: {type: discrete, values: [1, 2]}}",
        search_algorithm="grid",
        max_trial_count=2,
        parallel_trial_count=2,
    )
    assert command("run", path).code == 0
    return path


@pytest.mark.usefixtures("saving")
def test_model_of_the_best_trial_is_downloaded(command, tmp_path):
    done = command("best", "saving", "--download", tmp_path / "model")
    assert (done.code, done.out.splitlines()[-1]) == (0, str(tmp_path / "model")), done.err
    assert (tmp_path / "model" / MODEL_FILE).read_text() == "1.0"


@pytest.mark.usefixtures("saving")
def test_model_of_another_trial_is_downloaded(command, tmp_path):
    done = command("best", "saving", "--trial", "2", "--download", tmp_path)
    assert (done.code, (tmp_path / MODEL_FILE).read_text()) == (0, "2.0")


@pytest.mark.usefixtures("saving")
def test_download_onto_a_file_is_refused(command, tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = command("best", "saving", "--download", tmp_path / "taken")
    assert (done.code, "name another directory" in done.err) == (2, True), done.err
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.usefixtures("saving")
def test_a_trial_named_for_nothing_is_refused(command):
    done = command("best", "saving", "--trial", "2")
    assert (done.code, done.out, "add --download DIR" in done.err) == (2, "", True)


@pytest.mark.usefixtures("saving")
def test_a_replica_without_lines_is_told(command):
    done = command("logs", "saving", "--replica", "workerpool9-0")
    assert (done.code, done.out, done.err) == (0, "", "no lines of workerpool9-0\n")


@pytest.mark.usefixtures("saving")
def test_best_trial_trains_again_from_the_package_that_ran(command, tmp_path):
    path = tmp_path / "retrain.yaml"
    path.write_text(command("best", "saving", "--retrain").out)
    assert command("run", path).code == 0
    command_line = "--x=1"
    log = command("logs", "saving-trial-1").out
    assert (command_line in log, "goes on from None" in log) == (True, True)


def test_best_trial_goes_on_from_its_model(command, saving, tmp_path):
    made = yaml.safe_load(command("best", "saving", "--continue", "--config", saving).out)
    made["display_name"] = "gone-on"
    (tmp_path / "continue.yaml").write_text(yaml.safe_dump(made))
    assert command("run", tmp_path / "continue.yaml").code == 0
    model = json.loads(command("best", "saving", "--format", "json").out)["model_dir"]
    assert f"goes on from {model}" in command("logs", "gone-on").out


@pytest.mark.usefixtures("saving")
def test_model_is_registered_once(command):
    first = command("best", "saving", "--register")
    again = command("best", "saving", "--register")
    assert (first.code, first.out.splitlines()[-1].partition("models/")[2][:6]) == (0, "study-")
    assert again.out == first.out
    assert "holds no SavedModel" in first.err


@pytest.mark.usefixtures("saving")
def test_trial_that_is_none_is_named(command):
    done = command("best", "saving", "--trial", "9", "--retrain")
    assert (done.code, "is no trial of saving" in done.err) == (2, True)


@pytest.mark.usefixtures("ran")
def test_report_is_a_file(command, tmp_path):
    pytest.importorskip("plotly", reason="the extra 'report' is not installed")
    done = command("report", "grid", "--output", tmp_path / "grid.html")
    assert (done.code, done.out.strip()) == (0, str(tmp_path / "grid.html"))
    assert "History of score" in (tmp_path / "grid.html").read_text()


FAILING = """
import argparse, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
parser.parse_args()
if os.environ["CLOUD_ML_TRIAL_ID"] == "1":
    time.sleep(1)  # until the other one runs
    def deep(levels):
        if levels:
            deep(levels - 1)
        else:
            raise ValueError("the first of all errors")
    deep(7)
print("not at fault", flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def failed(command, config):
    """A study whose first trial raises, and whose second is cancelled for it."""
    fields = STUDY_FIELDS | {"parallel_trial_count": 2, "max_failed_trial_count": 1}
    return command("run", config("failed", FAILING, **fields))


def test_the_trial_that_failed_is_shown_and_not_the_cancelled_one(failed):
    told = failed.err.partition("error: ")[2]
    assert (failed.code, "last lines of trial 1, workerpool0-0:" in told) == (1, True), failed.err
    assert "  | ValueError: the first of all errors" in told
    assert "not at fault" not in told


def test_its_traceback_is_whole_and_its_own_last_line_named(failed):
    told = failed.err.partition("error: ")[2]
    assert "  | Traceback (most recent call last):" in told
    raised = next(line for line in told.splitlines() if line.startswith("raised at "))
    assert raised.endswith(", line 12, in deep")


def test_the_service_counts_what_had_finished_and_names_the_first(failed):
    assert (
        "1 of the 1 trials that had finished failed, and 1 that still ran were cancelled for it. "
        "Trial 1 failed first: The replica workerpool0-0 exited with a non-zero status of 1."
    ) in failed.err


@pytest.mark.usefixtures("failed")
def test_logs_of_one_trial_and_its_last_lines(command):
    done = command("logs", "failed", "--trial", "2", "--replica", "workerpool0-0")
    assert ("not at fault" in done.out, "ValueError" in done.out) == (True, False), done.out
    done = command("logs", "failed", "--trial", "1", "--replica", "workerpool0-0", "--tail", "2")
    assert done.out.splitlines()[0] == "trial 1 | ValueError: the first of all errors"
    done = command("logs", "failed", "--trial", "9")
    assert (done.code, "has no trial '9'; it has 1, 2" in done.err) == (2, True), done.err
