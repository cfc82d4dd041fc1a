"""A replica's environment, and the line about how this machine differs from its image."""

import sys
from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.replicas.first_lines import drift_line
from vertex_jobs.emulator.replicas.replica_environment import JobEnvironment
from vertex_jobs.emulator.replicas.tasks import PoolTask
from vertex_jobs.names import ResourceName

PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
TF_17 = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
TF_15 = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-15.py310:latest"


def job_environment(**fields: Any) -> JobEnvironment:
    """The environment of a job with one replica and no base directory."""
    defaults: dict[str, Any] = {"surroundings": {}, "has_accelerators": False}
    return JobEnvironment(
        name=ResourceName("1", "us-central1", "customJobs", "7"),
        spec=protos.CustomJobSpec(worker_pool_specs=[{}]),
        trial=None,
        addresses={"chief": ("127.0.0.1:1",)},
        **{**defaults, **fields},
    )


def rendered(image: str = "", job: Any = (), place: Any = (), **fields: Any) -> dict[str, str]:
    """A replica's variables, but for those that name the job and its cluster."""
    devices = fields.pop("devices", ())
    environment = job_environment(has_accelerators=bool(devices), **fields)
    task = PoolTask(image, (), "m", (), tuple(dict(job).items()))
    variables = environment.variables(
        task, 0, 0, host_name="host", place=dict(place), devices=devices
    )
    named = ("CLUSTER_SPEC", "CLOUD_ML_PROJECT_ID", "CLOUD_ML_REGION", "CLOUD_ML_JOB_ID")
    return {name: text for name, text in variables.items() if name not in named}


def test_the_job_wins_over_surroundings_place_and_image() -> None:
    assert rendered(
        surroundings={"A": "server", "PATH": "/bin"},
        place={"PATH": "/env/bin:/bin"},
        image=TF_15,
        job={"A": "job", "TF_USE_LEGACY_KERAS": "0"},
    ) == {
        "A": "job",
        "PATH": "/env/bin:/bin",
        "TF_USE_LEGACY_KERAS": "0",
        "HOSTNAME": "host",
    }


def test_devices_win_over_the_job() -> None:
    variables = rendered(job={"CUDA_VISIBLE_DEVICES": "0,1"}, devices=["1"])
    assert variables["CUDA_VISIBLE_DEVICES"] == "1"


def test_a_job_keeps_what_the_service_does_not_set() -> None:
    job = {"TF_CONFIG": "{}", "AIP_MODEL_DIR": "gs://mine", "AIP_TRAINING_DATA_URI": "gs://d"}
    assert rendered(job=job) == {**job, "HOSTNAME": "host"}


def test_the_services_values_win_where_it_has_some() -> None:
    job = {"HOSTNAME": "mine", "AIP_TRAINING_DATA_URI": "gs://mine", "MINE": "1"}
    data = {"AIP_TRAINING_DATA_URI": "gs://exported"}
    assert rendered(job=job, data=data) == {**data, "HOSTNAME": "host", "MINE": "1"}


def test_the_variables_that_lose_are_named() -> None:
    job = {"HOSTNAME": "a", "AIP_DATA_FORMAT": "b", "AIP_MODEL_DIR": "c", "CLOUD_ML_JOB_ID": "d"}
    environment = job_environment(data={"AIP_DATA_FORMAT": "csv"})
    lost = environment.overridden(PoolTask("", (), "m", (), tuple(job.items())), 0)
    assert lost == ["HOSTNAME", "AIP_DATA_FORMAT", "CLOUD_ML_JOB_ID"]


def line(image: str, *drifted: str, **fields: Any) -> str:
    return drift_line(PoolTask(image, ("gs://b/p",), "m", (), (), **fields), drifted)


def test_an_unknown_image() -> None:
    assert line("mine:1") == f"image mine:1: unknown to Local Vertex · here: {PYTHON}"


def test_another_version_of_a_requirement() -> None:
    drift = line("mine:1", "pydantic<1 (here 2.0)")
    assert drift.endswith('; requirements: "pydantic<1 (here 2.0)"')


def test_images_with_keras_2() -> None:
    assert "; Keras 2, as TF_USE_LEGACY_KERAS=1 and tf_keras" in line(TF_15)


def test_an_isolated_environment() -> None:
    assert line(TF_17, place="isolated") == (
        "image: Python 3.10, TensorFlow 2.17 · here: an isolated environment with "
        "tensorflow==2.17.*, cloudml-hypertune, the packages' own requirements"
    )


@pytest.mark.parametrize("place", ["docker", "podman"])
def test_an_image_that_runs_itself_does_not_drift(place: str) -> None:
    assert line(TF_17, place=place) == ""
