"""The end of a job's log, after programs that write where they should not."""

import io
import time
from collections.abc import Callable
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1, storage
from machine_room import TENSORFLOW_IMAGE, trainer

from vertex_jobs.emulator.store.logbook import Logbook
from vertex_jobs.endpoints import Endpoint

TERMINAL = (4, 5, 7)
#: Writes as its arguments say; over plain HTTP, as google-cloud-storage and gcsfs do.
PROGRAM = """
import json, os, sys, time, urllib.request
def write(uri, text="x"):
    bucket, _, name = uri.removeprefix("gs://").partition("/")
    url = f"{os.environ['STORAGE_EMULATOR_HOST']}/upload/storage/v1/b/{bucket}/o"
    url += f"?uploadType=media&name={name}"
    urllib.request.urlopen(urllib.request.Request(url, text.encode(), method="POST")).read()
task = json.loads(os.environ["CLUSTER_SPEC"])["task"]
for argument in sys.argv[1:]:
    verb, _, value = argument.lstrip("-").partition("=")
    if verb == "model":
        write(os.environ["AIP_MODEL_DIR"] + value)
    elif verb == "replica":
        write(os.environ["AIP_MODEL_DIR"] + task["type"])
    elif verb == "object":
        write(value)
    elif verb == "file":
        os.makedirs(os.path.dirname(value) or ".", exist_ok=True)
        open(value, "w").write("lost")
    elif verb == "metric":
        import hypertune
        hypertune.HyperTune().report_hyperparameter_tuning_metric("score", 1.0, 1)
    elif verb == "meet":
        value += os.environ.get("CLOUD_ML_TRIAL_ID", "")
        write(f"gs://meeting/{value}/{task['type']}")
        read = os.environ["STORAGE_EMULATOR_HOST"] + f"/storage/v1/b/meeting/o?prefix={value}/"
        while urllib.request.urlopen(read).read().count(b'"name"') < 2:
            time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def client(local_vertex: Endpoint) -> storage.Client:
    return storage.Client(
        project=local_vertex.place.project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.storage_endpoint},
    )


@pytest.fixture(scope="module")
def package_uri(client: storage.Client) -> str:
    client.create_bucket("audit-out")
    client.create_bucket("meeting")
    bucket = client.create_bucket("audit-suite")
    bucket.blob("trainer-0.1.tar.gz").upload_from_file(io.BytesIO(trainer(PROGRAM)))
    return "gs://audit-suite/trainer-0.1.tar.gz"


@pytest.fixture(scope="module")
def jobs(local_vertex: Endpoint) -> Any:
    made = aiplatform_v1.JobServiceClient(
        transport="rest",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.api_endpoint},
    )
    yield made
    made.transport.close()


def pool(package_uri: str, *args: str) -> dict[str, Any]:
    return {
        "machine_spec": {"machine_type": "n1-standard-4"},
        "replica_count": 1,
        "python_package_spec": {
            "executor_image_uri": TENSORFLOW_IMAGE,
            "package_uris": [package_uri],
            "python_module": "trainer.task",
            "args": list(args),
        },
    }


def wait(get: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while (job := get()).state not in TERMINAL:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return job


def service_lines(local_vertex: Endpoint, name: str, trial: str = "") -> list[str]:
    logbook = Logbook(local_vertex.server.directory.logs)
    lines = logbook.read(name.rpartition("/")[2])
    return [line.text for line in lines if (line.task, line.trial) == ("service", trial)]


def audit_lines(local_vertex: Endpoint, name: str, trial: str = "") -> list[str]:
    lines = service_lines(local_vertex, name, trial)
    return lines[lines.index("Job is running.") + 1 : lines.index("Tearing down training program.")]


@pytest.fixture
def run(local_vertex: Endpoint, jobs: Any, package_uri: str) -> Callable[..., list[str]]:
    parent = f"projects/{local_vertex.place.project}/locations/{local_vertex.place.location}"

    def run_job(*args: str, replicas: int = 1, base: str = "gs://audit-out/run") -> list[str]:
        spec = {
            "worker_pool_specs": [pool(package_uri, *args)] * replicas,
            "base_output_directory": {"output_uri_prefix": base},
        }
        job = {"display_name": "audit", "job_spec": spec}
        name = jobs.create_custom_job(parent=parent, custom_job=job).name
        ended = wait(lambda: jobs.get_custom_job(name=name))
        assert ended.error.message == ""
        return audit_lines(local_vertex, name)

    return run_job


def test_a_tidy_run_is_told_what_it_wrote(run: Callable[..., list[str]]) -> None:
    lines = run("--model=model.bin", base="gs://audit-out/tidy")
    assert lines == ["Written under gs://audit-out/tidy/: 1 object, 1 bytes."]


def test_an_earlier_runs_objects_do_not_count(run: Callable[..., list[str]]) -> None:
    run("--model=model.bin", base="gs://audit-out/twice")
    (line,) = run(base="gs://audit-out/twice")
    assert line.startswith("Nothing was written under gs://audit-out/twice/")


def test_a_literal_folder_and_a_lost_file(run: Callable[..., list[str]]) -> None:
    lines = run("--model=m", "--file=gs:/audit-out/model.bin", "--file=notes.txt")
    assert [line.partition(")")[0] for line in lines[1:]] == [
        "workerpool0-0 wrote 1 file (gs:/audit-out/model.bin; 4 bytes",
        "workerpool0-0 left 1 file (notes.txt; 4 bytes",
    ]


def test_two_replicas_that_write_one_object(run: Callable[..., list[str]]) -> None:
    lines = run("--model=model.bin", "--meet=two", replicas=2, base="gs://audit-out/two")
    assert lines[1:] == [
        "workerpool0-0 and workerpool1-0 wrote the same object, "
        "gs://audit-out/two/model/model.bin; the last one won. Let the chief alone write it, and "
        "the others elsewhere."
    ]


def test_a_worker_that_writes_to_the_model_directory(run: Callable[..., list[str]]) -> None:
    lines = run("--replica", "--meet=workers", replicas=2, base="gs://audit-out/workers")
    assert lines[1:] == [
        "workerpool1-0 wrote to AIP_MODEL_DIR without being the chief: "
        "gs://audit-out/workers/model/workerpool1. Write there only if "
        "environment.current().is_chief of vertex_jobs.runtime; its write_to() gives the others a "
        "scratch folder."
    ]


def run_study(
    local_vertex: Endpoint, jobs: Any, package_uri: str, *args: str, replicas: int = 1
) -> Any:
    parent = f"projects/{local_vertex.place.project}/locations/{local_vertex.place.location}"
    job = {
        "display_name": "audit",
        "max_trial_count": 2,
        "parallel_trial_count": 1,
        "study_spec": {
            "metrics": [{"metric_id": "score", "goal": "MAXIMIZE"}],
            "parameters": [
                {"parameter_id": "x", "double_value_spec": {"min_value": 0, "max_value": 1}}
            ],
        },
        "trial_job_spec": {
            "worker_pool_specs": [pool(package_uri, *args)] * replicas,
            "base_output_directory": {"output_uri_prefix": "gs://audit-out/study"},
        },
    }
    name = jobs.create_hyperparameter_tuning_job(parent=parent, hyperparameter_tuning_job=job).name
    return wait(lambda: jobs.get_hyperparameter_tuning_job(name=name))


def test_a_trial_that_never_reports_its_metric(
    local_vertex: Endpoint, jobs: Any, package_uri: str
) -> None:
    ended = run_study(local_vertex, jobs, package_uri, "--model=m")
    trial = ended.trials[0]
    reason = "The trial ended without a complete measurement of score; it reported nothing."
    assert trial.infeasible_reason == reason
    assert reason in service_lines(local_vertex, ended.name, trial.id)


def test_a_trial_that_writes_into_anothers_folder(
    local_vertex: Endpoint, jobs: Any, package_uri: str
) -> None:
    args = ("--metric", "--model=m", "--object=gs://audit-out/study/1/model/theirs")
    ended = run_study(local_vertex, jobs, package_uri, *args)
    found = {
        trial.id: [
            line
            for line in audit_lines(local_vertex, ended.name, trial.id)
            if line.startswith("Trial ")
        ]
        for trial in ended.trials
    }
    assert found == {
        "1": [],
        "2": [
            "Trial 2 wrote gs://audit-out/study/1/model/theirs, which lies in the folder of trial "
            "1. Write under AIP_MODEL_DIR, which every trial has for itself."
        ],
    }


def test_a_worker_that_reports_is_named_once_in_each_trial(
    local_vertex: Endpoint, jobs: Any, package_uri: str
) -> None:
    args = ("--metric", "--meet=trial-")
    ended = run_study(local_vertex, jobs, package_uri, *args, replicas=2)
    found = [
        line
        for trial in ended.trials
        for line in service_lines(local_vertex, ended.name, trial.id)
        if "reported score" in line
    ]
    assert found == 2 * [
        "workerpool1-0 reported score, beside the chief (workerpool0-0). Let the chief alone "
        "report, as vertex_jobs.runtime.metrics does: which of several values for one step counts "
        "on Vertex AI is not documented. Here it is the chief's."
    ]


def test_a_bucket_that_nobody_created_is_named(run: Callable[..., list[str]]) -> None:
    lines = run("--model=model.bin", base="gs://made-on-the-way/out")
    assert lines[-1].startswith("The bucket gs://made-on-the-way did not exist and came into being")
