"""Unmodified SDK code, every class, in process over REST and by environment variables alone.

One server, one process: the SDK is imported once, and each job's script is a few lines.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform, storage
from google.cloud.aiplatform import hyperparameter_tuning as hpt
from google.cloud.aiplatform_v1 import JobServiceClient, JobState
from sdk_scripts import EXIT, REPORT, SAVE

from vertex_jobs.endpoints import Endpoint

IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
ENDED = (JobState.JOB_STATE_SUCCEEDED, JobState.JOB_STATE_FAILED)
SERVING = "us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-15:latest"
OWN_IMAGE = "us-central1-docker.pkg.dev/my-project/images/trainer:1"


@pytest.fixture(params=["rest", "environment"])
def sdk(
    request: pytest.FixtureRequest,
    local_vertex: Endpoint,
    bucket: storage.Bucket,
    google_clients: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[str]:
    """The SDK initialised for the test, its global settings put back afterwards."""
    config = aiplatform.initializer.global_config
    before = dict(vars(config))
    monkeypatch.chdir(tmp_path)  # the SDK packages in the working directory
    if request.param == "rest":
        for name in google_clients:
            monkeypatch.delenv(name)
        url = local_vertex.connection.api_endpoint
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", url)
        aiplatform.init(api_endpoint=url, api_transport="rest", credentials=AnonymousCredentials())
    place = local_vertex.place
    aiplatform.init(
        project=place.project, location=place.location, staging_bucket=f"gs://{bucket.name}"
    )
    yield request.param
    vars(config).clear()
    vars(config).update(before)


@pytest.fixture
def script(tmp_path: Path) -> Any:
    """Writes a script and answers its path."""

    def write(text: str) -> str:
        path = tmp_path / "task.py"
        path.write_text(text)
        return str(path)

    return write


def worker_pools(package_uri: str, *args: str) -> list[dict[str, Any]]:
    return [
        {
            "machine_spec": {"machine_type": "n1-standard-4"},
            "replica_count": 1,
            "python_package_spec": {
                "executor_image_uri": IMAGE,
                "package_uris": [package_uri],
                "python_module": "trainer.task",
                "args": list(args),
            },
        }
    ]


def custom_job(package_uri: str, *args: str, name: str = "pools") -> aiplatform.CustomJob:
    return aiplatform.CustomJob(
        display_name=name,
        worker_pool_specs=worker_pools(package_uri, *args),
        labels={"team": "vision"},
    )


def wait_for_end(job: Any) -> str:
    """The last state of a pipeline, which has no public way to wait; every look is held."""
    state = job.state.name
    for _ in range(60):
        if state not in ("PIPELINE_STATE_RUNNING", "PIPELINE_STATE_CANCELLING"):
            break
        state = job.state.name
    return str(state)


class TestTrainingPipelines:
    def test_custom_training_job_returns_its_model(self, sdk: str, script: Any) -> None:
        job = aiplatform.CustomTrainingJob(
            display_name="training",
            script_path=script(SAVE),
            container_uri=IMAGE,
            model_serving_container_image_uri=SERVING,
        )
        model = job.run(model_display_name="digits", replica_count=2, machine_type="n1-standard-4")
        files = storage.Client(project="p").bucket(model.uri.split("/")[2]).list_blobs()
        assert (model.display_name, model.version_id, job.state.name) == (
            "digits",
            "1",
            "PIPELINE_STATE_SUCCEEDED",
        )
        assert any(f"gs://{file.bucket.name}/{file.name}".startswith(model.uri) for file in files)

    def test_custom_training_job_without_a_model(self, sdk: str, script: Any) -> None:
        job = aiplatform.CustomTrainingJob(
            display_name="training", script_path=script(EXIT), container_uri=IMAGE
        )
        assert (job.run(), job.has_failed, job.error.code) == (None, False, 0)

    def test_a_failing_script_is_raised(self, sdk: str, script: Any) -> None:
        job = aiplatform.CustomTrainingJob(
            display_name="training", script_path=script(EXIT), container_uri=IMAGE
        )
        with pytest.raises(RuntimeError, match="workerpool0-0 exited with a non-zero status of 3"):
            job.run(args=["3"])

    def test_submit_get_list_cancel_delete(self, sdk: str, script: Any) -> None:
        name = f"submitted-{sdk}"
        job = aiplatform.CustomTrainingJob(
            display_name=name, script_path=script(EXIT), container_uri=IMAGE
        )
        job.submit(args=["--forever"])
        again = aiplatform.CustomTrainingJob.get(job.resource_name)
        listed = aiplatform.CustomTrainingJob.list(filter=f'display_name="{name}"')
        assert ([one.resource_name for one in listed], again.display_name) == (
            [job.resource_name],
            name,
        )
        again.cancel()
        ended_as = wait_for_end(job)
        job.delete()
        left = aiplatform.CustomTrainingJob.list(filter=f'display_name="{name}"')
        assert (ended_as, left) == ("PIPELINE_STATE_CANCELLED", [])

    def test_custom_python_package_training_job(self, sdk: str, package_uri: str) -> None:
        job = aiplatform.CustomPythonPackageTrainingJob(
            display_name="package",
            python_package_gcs_uri=package_uri,
            python_module_name="trainer.task",
            container_uri=IMAGE,
        )
        job.run(args=["--exit=0"], environment_variables={"MY_SETTING": "1"})
        assert job.state.name == "PIPELINE_STATE_SUCCEEDED"

    def test_custom_container_training_job(self, sdk: str, package_uri: str) -> None:
        install = f"pip3 install -q --user {package_uri.replace('gs://', '/gcs/')}"
        job = aiplatform.CustomContainerTrainingJob(
            display_name="container",
            container_uri=OWN_IMAGE,
            command=["sh", "-c", f"{install} && python3 -m trainer.task --exit=0"],
        )
        job.run(replica_count=1)
        assert job.state.name == "PIPELINE_STATE_SUCCEEDED"


class TestCustomJob:
    def test_from_local_script(self, sdk: str, script: Any) -> None:
        job = aiplatform.CustomJob.from_local_script(
            display_name="script", script_path=script(EXIT), container_uri=IMAGE, args=["0"]
        )
        job.run(timeout=600, restart_job_on_worker_restart=True)
        assert (job.state.name, job.error.code) == ("JOB_STATE_SUCCEEDED", 0)
        assert job.create_time <= job.start_time <= job.end_time

    def test_from_local_script_in_an_own_image(self, sdk: str, script: Any) -> None:
        job = aiplatform.CustomJob.from_local_script(
            display_name="script", script_path=script(EXIT), container_uri=OWN_IMAGE, args=["0"]
        )
        job.run()
        assert job.state.name == "JOB_STATE_SUCCEEDED"

    def test_worker_pool_specs_run(self, sdk: str, package_uri: str) -> None:
        job = custom_job(package_uri)
        job.run()
        assert job.to_dict()["jobSpec"]["workerPoolSpecs"][0]["replicaCount"] == "1"

    def test_an_error_is_raised_and_kept(self, sdk: str, package_uri: str) -> None:
        job = custom_job(package_uri, "--exit=4")
        with pytest.raises(RuntimeError, match="exited with a non-zero status of 4"):
            job.run()
        assert (job.state.name, job.error.code) == ("JOB_STATE_FAILED", 3)

    def test_submit_wait_get_list_delete(self, sdk: str, package_uri: str) -> None:
        job = custom_job(package_uri, name=f"submitted-{sdk}")
        job.submit()
        job.wait_for_completion()
        listed = aiplatform.CustomJob.list(filter=f'display_name="submitted-{sdk}"')
        again = aiplatform.CustomJob.get(job.resource_name)
        assert ([one.name for one in listed], again.labels) == ([job.name], {"team": "vision"})
        job.delete()
        assert not aiplatform.CustomJob.list(filter=f'display_name="submitted-{sdk}"')

    def test_cancel(self, sdk: str, package_uri: str) -> None:
        job = custom_job(package_uri, "--sleep=600")
        job.submit()
        job.cancel()
        with pytest.raises(RuntimeError, match="CANCELED"):
            job.wait_for_completion()

    def test_run_in_the_background(self, sdk: str, package_uri: str) -> None:
        job = custom_job(package_uri)
        job.run(sync=False)
        job.wait()
        assert job.state.name == "JOB_STATE_SUCCEEDED"


class TestHyperparameterTuningJob:
    def job(self, package_uri: str, *args: str, **settings: Any) -> Any:
        return aiplatform.HyperparameterTuningJob(
            display_name="tuning",
            custom_job=custom_job(package_uri, *args),
            metric_spec={"score": "maximize"},
            parameter_spec={
                "x": hpt.DoubleParameterSpec(min=0.001, max=1, scale="log"),
                "n": hpt.DiscreteParameterSpec(values=[1, 2, 4], scale="linear"),
            },
            **{"max_trial_count": 8, "parallel_trial_count": 4, **settings},
        )

    def test_run_and_trials(self, sdk: str, package_uri: str) -> None:
        job = self.job(package_uri)
        job.run()
        trials = job.trials
        assert ({trial.id for trial in trials}, job.state.name) == (
            {str(number) for number in range(1, 9)},
            "JOB_STATE_SUCCEEDED",
        )
        assert all(
            trial.final_measurement.metrics[0].value == 2 * trial.parameters[1].value
            for trial in trials
        )

    def test_no_poll_is_answered_early_and_in_vain(
        self, sdk: str, package_uri: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The SDK sleeps 5 s after each answer that is not the last: so it must get few."""
        get, answers = JobServiceClient.get_hyperparameter_tuning_job, []

        def observed(*args: Any, **kwargs: Any) -> Any:
            before = time.monotonic()
            job = get(*args, **kwargs)
            answers.append((time.monotonic() - before, job.state in ENDED))
            return job

        monkeypatch.setattr(JobServiceClient, "get_hyperparameter_tuning_job", observed)
        self.job(package_uri).run()
        # An answer comes when the job has ended, or after the longest hold: never at once.
        assert [seconds for seconds, ended in answers if not ended and seconds < 1.9] == []

    def test_conditional_parameters(self, sdk: str, script: Any) -> None:
        child = hpt.DoubleParameterSpec(min=0.1, max=0.9, scale="linear")
        child.parent_values = ["b"]
        kind = hpt.CategoricalParameterSpec(["a", "b"], conditional_parameter_spec={"x": child})
        job = aiplatform.HyperparameterTuningJob(
            display_name="conditional",
            custom_job=aiplatform.CustomJob.from_local_script(
                display_name="trial", script_path=script(REPORT), container_uri=IMAGE
            ),
            metric_spec={"score": "minimize"},
            parameter_spec={"kind": kind},
            max_trial_count=4,
            parallel_trial_count=2,
            search_algorithm="random",
        )
        job.run()
        seen = {(trial.parameters[0].value, len(trial.parameters)) for trial in job.trials}
        assert seen <= {("a", 1), ("b", 2)}

    def test_get_list_delete(self, sdk: str, package_uri: str) -> None:
        job = self.job(package_uri, max_trial_count=1, parallel_trial_count=1)
        job.run(sync=False)
        job.wait()
        again = aiplatform.HyperparameterTuningJob.get(job.resource_name)
        listed = aiplatform.HyperparameterTuningJob.list(filter='display_name="tuning"')
        assert job.name in [one.name for one in listed]
        assert [trial.id for trial in again.trials] == ["1"]
        job.delete()
        listed = aiplatform.HyperparameterTuningJob.list(filter='display_name="tuning"')
        assert job.name not in [one.name for one in listed]

    def test_cancel(self, sdk: str, package_uri: str) -> None:
        job = self.job(package_uri, "--sleep=600")
        job.run(sync=False)
        job.wait_for_resource_creation()
        job.cancel()
        with pytest.raises(RuntimeError, match="CANCELED"):
            job.wait()

    def test_a_failing_first_trial(self, sdk: str, package_uri: str) -> None:
        job = self.job(package_uri, "--exit=1", parallel_trial_count=1)
        with pytest.raises(RuntimeError, match="Job failed"):
            job.run()
        assert [trial.state.name for trial in job.trials] == ["INFEASIBLE"]


def test_a_model_is_found_and_deleted(sdk: str, script: Any) -> None:
    job = aiplatform.CustomTrainingJob(
        display_name="training",
        script_path=script(SAVE),
        container_uri=IMAGE,
        model_serving_container_image_uri=SERVING,
    )
    model = job.run(model_display_name=f"found-{sdk}", base_output_dir=f"gs://models-{sdk}/out")
    listed = aiplatform.Model.list(filter=f'display_name="found-{sdk}"')
    same = aiplatform.Model(model.resource_name)
    assert ([one.name for one in listed], same.uri) == (
        [model.name],
        f"gs://models-{sdk}/out/model",
    )
    same.delete()
    assert not aiplatform.Model.list(filter=f'display_name="found-{sdk}"')
