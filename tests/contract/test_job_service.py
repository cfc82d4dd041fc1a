"""Custom jobs and tuning jobs through the generated clients, over both transports."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import storage
from google.cloud.aiplatform_v1 import types

TERMINAL = (
    types.JobState.JOB_STATE_SUCCEEDED,
    types.JobState.JOB_STATE_FAILED,
    types.JobState.JOB_STATE_CANCELLED,
)
IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"


@pytest.fixture
def jobs(clients: Callable[[str], Any]) -> Any:
    return clients("JobServiceClient")


def pool(package_uri: str, *args: str, replicas: int = 1) -> dict[str, Any]:
    return {
        "machine_spec": {"machine_type": "n1-standard-4"},
        "replica_count": replicas,
        "python_package_spec": {
            "executor_image_uri": IMAGE,
            "package_uris": [package_uri],
            "python_module": "trainer.task",
            "args": list(args),
            "env": [{"name": "MY_SETTING", "value": "kept"}],
        },
    }


def custom_job(package_uri: str, *args: str, **fields: Any) -> dict[str, Any]:
    spec = {"worker_pool_specs": [pool(package_uri, *args)], **fields.pop("spec", {})}
    return {"display_name": "contract", "job_spec": spec, **fields}


def wait(get: Callable[[], Any], seconds: float = 60) -> Any:
    """Poll as any client must; bounded."""
    deadline = time.monotonic() + seconds
    job = get()
    while job.state not in TERMINAL:
        assert time.monotonic() < deadline, f"{job.name} is still {job.state!r}"
        time.sleep(0.02)
        job = get()
    return job


def run(jobs: Any, parent: str, job: dict[str, Any]) -> Any:
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    return wait(lambda: jobs.get_custom_job(name=created.name))


def test_created_job_is_echoed(jobs: Any, parent: str, package_uri: str) -> None:
    job = custom_job(package_uri, labels={"team": "vision"})
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    assert (created.display_name, dict(created.labels), created.job_spec) == (
        "contract",
        {"team": "vision"},
        types.CustomJobSpec(job["job_spec"]),
    )


def test_names_carry_the_project_number_and_a_numeric_id(
    jobs: Any, parent: str, package_uri: str
) -> None:
    created = jobs.create_custom_job(parent=parent, custom_job=custom_job(package_uri))
    project, location, job_id = created.name.split("/")[1::2]
    assert (project.isdigit(), location, job_id.isdigit()) == (True, "us-central1", True)


def test_exit_0_succeeds(jobs: Any, parent: str, package_uri: str) -> None:
    job = run(jobs, parent, custom_job(package_uri))
    assert (job.state.name, job.error.code) == ("JOB_STATE_SUCCEEDED", 0)


def test_times_are_in_order(jobs: Any, parent: str, package_uri: str) -> None:
    job = run(jobs, parent, custom_job(package_uri))
    assert job.create_time <= job.start_time <= job.end_time <= job.update_time


def test_exit_3_fails_with_the_services_text(jobs: Any, parent: str, package_uri: str) -> None:
    job = run(jobs, parent, custom_job(package_uri, "--exit=3"))
    assert (job.state.name, job.error.message) == (
        "JOB_STATE_FAILED",
        "The replica workerpool0-0 exited with a non-zero status of 3. Termination reason: Error.",
    )


def test_timeout_fails_the_job(jobs: Any, parent: str, package_uri: str) -> None:
    scheduling = {"scheduling": {"timeout": {"seconds": 1}}}
    job = run(jobs, parent, custom_job(package_uri, "--sleep=60", spec=scheduling))
    assert (job.state.name, job.error.code) == ("JOB_STATE_FAILED", 4)


def test_cancel(jobs: Any, parent: str, package_uri: str) -> None:
    created = jobs.create_custom_job(
        parent=parent, custom_job=custom_job(package_uri, "--sleep=60")
    )
    jobs.cancel_custom_job(name=created.name)
    job = wait(lambda: jobs.get_custom_job(name=created.name))
    assert (job.state.name, job.error.code) == ("JOB_STATE_CANCELLED", 1)


def test_delete(jobs: Any, parent: str, package_uri: str) -> None:
    job = run(jobs, parent, custom_job(package_uri))
    jobs.delete_custom_job(name=job.name).result()
    with pytest.raises(exceptions.NotFound):
        jobs.get_custom_job(name=job.name)


def test_a_running_job_is_not_deleted(jobs: Any, parent: str, package_uri: str) -> None:
    created = jobs.create_custom_job(
        parent=parent, custom_job=custom_job(package_uri, "--sleep=60")
    )
    with pytest.raises(exceptions.GoogleAPICallError, match="cancel it first"):
        jobs.delete_custom_job(name=created.name)
    jobs.cancel_custom_job(name=created.name)


def test_list_filters_and_pages(jobs: Any, parent: str, package_uri: str) -> None:
    marker = f"m{time.monotonic_ns()}"
    names = [
        jobs.create_custom_job(
            parent=parent, custom_job=custom_job(package_uri, labels={"marker": marker})
        ).name
        for _ in range(3)
    ]
    request = {"parent": parent, "filter": f'labels.marker="{marker}"', "page_size": 2}
    pages = [
        [job.name for job in page.custom_jobs] for page in jobs.list_custom_jobs(request).pages
    ]
    assert pages == [[names[2], names[1]], [names[0]]]


def test_every_fault_is_in_one_answer(jobs: Any, parent: str, package_uri: str) -> None:
    bad = custom_job(package_uri, display_name="x" * 200, labels={"Team": "A"})
    bad["job_spec"]["worker_pool_specs"][0]["machine_spec"] = {}
    with pytest.raises(exceptions.BadRequest) as refusal:
        jobs.create_custom_job(parent=parent, custom_job=bad)
    assert [f"{number}.Field: " in refusal.value.message for number in range(1, 6)] == [
        True,
        True,
        True,
        True,
        False,
    ]


def environment_of(bucket_logs: list[str]) -> dict[str, Any]:
    return json.loads(next(line for line in bucket_logs if line.startswith("{")))


def test_a_single_replica_sees_the_documented_environment(
    jobs: Any, parent: str, package_uri: str, local_vertex: Any
) -> None:
    base = {"base_output_directory": {"output_uri_prefix": "gs://contract-suite/out/"}}
    job = run(jobs, parent, custom_job(package_uri, "--environment", spec=base))
    handle = local_vertex.job(job.name)
    seen = environment_of([entry.text for entry in handle.logs()])
    spec = json.loads(seen.pop("CLUSTER_SPEC"))
    cluster = (list(spec["cluster"]), spec["environment"], spec["task"])
    assert (seen, cluster) == (
        {
            "AIP_MODEL_DIR": "gs://contract-suite/out/model/",
            "AIP_CHECKPOINT_DIR": "gs://contract-suite/out/checkpoints/",
            "AIP_TENSORBOARD_LOG_DIR": "gs://contract-suite/out/logs/",
            "CLOUD_ML_PROJECT_ID": job.name.split("/")[1],
            "CLOUD_ML_REGION": "us-central1",
            "CLOUD_ML_JOB_ID": job.name.rsplit("/", 1)[1],
            "MY_SETTING": "kept",
        },
        (["chief"], "cloud", {"type": "chief", "index": 0}),
    )


def tuning_job(package_uri: str, *args: str, **fields: Any) -> dict[str, Any]:
    parameters = [
        {"parameter_id": "x", "double_value_spec": {"min_value": 0, "max_value": 1}},
        {"parameter_id": "n", "integer_value_spec": {"min_value": 1, "max_value": 9}},
    ]
    study = {
        "metrics": [{"metric_id": "score", "goal": 1}],
        "parameters": parameters,
        "algorithm": 3,
        "measurement_selection_type": 2,
    }
    base = {"output_uri_prefix": "gs://contract-suite/study"}
    spec = {"worker_pool_specs": [pool(package_uri, *args)], "base_output_directory": base}
    return {
        "display_name": "contract",
        "study_spec": {**study, **fields.pop("study", {})},
        "max_trial_count": 4,
        "parallel_trial_count": 2,
        "trial_job_spec": spec,
        **fields,
    }


def tune(jobs: Any, parent: str, job: dict[str, Any]) -> Any:
    created = jobs.create_hyperparameter_tuning_job(parent=parent, hyperparameter_tuning_job=job)
    return wait(lambda: jobs.get_hyperparameter_tuning_job(name=created.name))


def test_a_study_runs_every_trial(jobs: Any, parent: str, package_uri: str) -> None:
    job = tune(jobs, parent, tuning_job(package_uri))
    assert (job.state.name, sorted(trial.id for trial in job.trials)) == (
        "JOB_STATE_SUCCEEDED",
        ["1", "2", "3", "4"],
    )


def test_the_best_measurement_is_final(jobs: Any, parent: str, package_uri: str) -> None:
    trial = tune(jobs, parent, tuning_job(package_uri)).trials[0]
    x = {parameter.parameter_id: parameter.value for parameter in trial.parameters}["x"]
    final = trial.final_measurement
    assert (final.step_count, final.metrics[0].value, len(trial.measurements)) == (2, 2 * x, 2)


def test_parameters_are_alphabetical_and_numbers(jobs: Any, parent: str, package_uri: str) -> None:
    trial = tune(jobs, parent, tuning_job(package_uri)).trials[0]
    assert [parameter.parameter_id for parameter in trial.parameters] == ["n", "x"]


def test_a_trial_names_its_custom_job(jobs: Any, parent: str, package_uri: str) -> None:
    trial = tune(jobs, parent, tuning_job(package_uri)).trials[0]
    custom = jobs.get_custom_job(name=trial.custom_job)
    prefix = custom.job_spec.base_output_directory.output_uri_prefix
    assert (custom.state.name, prefix) == (
        "JOB_STATE_SUCCEEDED",
        f"gs://contract-suite/study/{trial.id}",
    )


def test_a_first_trial_that_fails_ends_the_job(jobs: Any, parent: str, package_uri: str) -> None:
    job = tune(jobs, parent, tuning_job(package_uri, "--exit=1", parallel_trial_count=1))
    assert (job.state.name, [trial.state.name for trial in job.trials]) == (
        "JOB_STATE_FAILED",
        ["INFEASIBLE"],
    )


def test_a_missing_metric_makes_the_trial_infeasible(
    jobs: Any, parent: str, package_uri: str
) -> None:
    job = tune(jobs, parent, tuning_job(package_uri, "--metric=other", parallel_trial_count=1))
    assert job.trials[0].infeasible_reason.startswith(
        "The trial ended without a complete measurement of score; it reported"
    )


def test_grid_search_ends_when_the_grid_does(jobs: Any, parent: str, package_uri: str) -> None:
    grid = {
        "algorithm": 2,
        "parameters": [
            {"parameter_id": "n", "integer_value_spec": {"min_value": 1, "max_value": 2}},
            {"parameter_id": "x", "discrete_value_spec": {"values": [0.5]}},
        ],
    }
    job = tune(jobs, parent, tuning_job(package_uri, study=grid, max_trial_count=10))
    seen = sorted(trial.parameters[0].value for trial in job.trials)
    assert (job.state.name, seen) == ("JOB_STATE_SUCCEEDED", [1.0, 2.0])


def test_unknown_bucket_objects_are_a_clear_400(
    jobs: Any, parent: str, bucket: storage.Bucket
) -> None:
    with pytest.raises(exceptions.BadRequest, match="cannot be read"):
        jobs.create_custom_job(
            parent=parent, custom_job=custom_job(f"gs://{bucket.name}/missing.tar.gz")
        )
