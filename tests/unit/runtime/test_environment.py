"""A replica's variables: reader and writer agree, and each role writes to its own place."""

import subprocess
import sys
from pathlib import Path

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.runtime import environment
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment

ADDRESSES = {"chief": ("h0:1",), "worker": ("h1:1",), "evaluator": ("h2:1",)}
JOB_DIRECTORIES = Directories.under("gs://bucket/out", "4")


def as_role(role: str) -> Environment:
    return Environment(directories=JOB_DIRECTORIES, cluster=Cluster(ADDRESSES, role))


@pytest.mark.parametrize("base", ["gs://bucket/out", "gs://bucket/out/"])
def test_directories_of_a_job_end_in_exactly_one_slash(base: str) -> None:
    assert Directories.under(base) == Directories(
        "gs://bucket/out/model/", "gs://bucket/out/checkpoints/", "gs://bucket/out/logs/"
    )


def test_directories_of_a_trial_lie_below_its_id() -> None:
    assert Directories.under("gs://bucket", "12").model_dir == "gs://bucket/12/model/"


def test_a_trials_variables_are_the_documented_ones() -> None:
    here = Environment(
        directories=JOB_DIRECTORIES,
        cluster=Cluster({"chief": ("h0:1",)}),
        trial_id="4",
        metric_file="/var/hypertune/output.metrics",
        project_number="123",
        region="us-central1",
        job_id="987",
        accelerator_count=2,
    )
    assert here.to_variables() == {
        "AIP_MODEL_DIR": "gs://bucket/out/4/model/",
        "AIP_CHECKPOINT_DIR": "gs://bucket/out/4/checkpoints/",
        "AIP_TENSORBOARD_LOG_DIR": "gs://bucket/out/4/logs/",
        "CLOUD_ML_TRIAL_ID": "4",
        "CLOUD_ML_HP_METRIC_FILE": "/var/hypertune/output.metrics",
        "CLOUD_ML_PROJECT_ID": "123",
        "CLOUD_ML_REGION": "us-central1",
        "CLOUD_ML_JOB_ID": "987",
        "CLUSTER_SPEC": '{"cluster": {"chief": ["h0:1"]}, "environment": "cloud", '
        '"task": {"type": "chief", "index": 0, "trial": "4"}}',
        "VERTEX_JOBS_LOCAL_DEVICES": "2",
    }


@pytest.mark.parametrize(
    "here",
    [
        Environment(),
        as_role("chief"),
        as_role("evaluator"),
        Environment(cluster=Cluster(ADDRESSES, "worker", 0, {"a": 1}), trial_id="1", job_id="9"),
        Environment(directories=JOB_DIRECTORIES, metric_file="/m", accelerator_count=4),
    ],
)
def test_what_is_written_reads_back(here: Environment) -> None:
    assert environment.current(here.to_variables()) == here


def test_without_variables_the_process_is_alone_and_chief() -> None:
    here = environment.current({})
    assert (here.is_chief, here.task_type, here.task_index, here.replica_count) == (
        True,
        "chief",
        0,
        1,
    )


def test_outside_tuning_there_is_no_trial_id() -> None:
    assert environment.current({"CLOUD_ML_JOB_ID": "1"}).trial_id is None


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUD_ML_TRIAL_ID", "5")
    assert environment.current().trial_id == "5"


def test_a_directory_without_a_slash_gets_one() -> None:
    given = {"AIP_MODEL_DIR": "m", "AIP_CHECKPOINT_DIR": "c", "AIP_TENSORBOARD_LOG_DIR": "l"}
    assert environment.current(given).directories == Directories("m/", "c/", "l/")


def test_directories_come_together() -> None:
    with pytest.raises(
        InvalidJobError,
        match="AIP_CHECKPOINT_DIR, AIP_TENSORBOARD_LOG_DIR: the AIP_\\* directories come together",
    ):
        environment.current({"AIP_MODEL_DIR": "gs://bucket/model/"})


@pytest.mark.parametrize("text", ["two", "-1", "1.5"])
def test_announced_devices_are_counted(text: str) -> None:
    with pytest.raises(InvalidJobError, match=f"VERTEX_JOBS_LOCAL_DEVICES = '{text}': it counts"):
        environment.current({"VERTEX_JOBS_LOCAL_DEVICES": text})


@pytest.mark.parametrize("role", ["chief", "worker", "evaluator"])
def test_every_replica_reads_from_the_job(role: str) -> None:
    assert as_role(role).read_from("local") == JOB_DIRECTORIES


def test_a_bare_run_reads_and_writes_below_the_local_directory() -> None:
    here = environment.current({})
    local = Directories("out/model/", "out/checkpoints/", "out/logs/")
    assert (here.read_from("out"), here.write_to("out")) == (local, local)


def test_the_chief_writes_to_the_job() -> None:
    assert as_role("chief").write_to("local") == JOB_DIRECTORIES


def test_a_worker_writes_to_scratch() -> None:
    assert Path(as_role("worker").write_to("local").model_dir).parent.is_dir()


def test_an_evaluator_writes_its_logs_below_the_jobs() -> None:
    assert as_role("evaluator").write_to("x").tensorboard_log_dir == "gs://bucket/out/4/logs/eval/"


def test_an_evaluator_writes_its_model_to_scratch() -> None:
    scratch = as_role("worker").write_to("x")
    assert as_role("evaluator").write_to("x").model_dir == scratch.model_dir


def test_scratch_is_removed_at_exit() -> None:
    code = (
        "from vertex_jobs.runtime.directories import scratch_directories as scratch\n"
        "import os; os.makedirs(scratch().model_dir); print(scratch().model_dir)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not Path(done.stdout.strip()).parent.exists()


@pytest.mark.parametrize(
    ("variables", "in_job"),
    [
        ({}, False),
        (
            {"AIP_MODEL_DIR": "/m", "AIP_CHECKPOINT_DIR": "/c", "AIP_TENSORBOARD_LOG_DIR": "/l"},
            False,
        ),
        ({"CLOUD_ML_JOB_ID": "7"}, True),
        (Environment(cluster=Cluster({"chief": ("h:1",)})).to_variables(), True),
    ],
)
def test_a_job_is_known_by_what_the_service_sets(variables: dict[str, str], in_job: bool) -> None:
    assert environment.current(variables).in_job is in_job
