"""Training pipelines and the models that they leave, over both transports."""

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import storage
from job_forms import base, pool, spec, training_pipeline

SERVING = "us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-15:latest"
RunPipeline = Callable[[dict[str, Any]], Any]


@pytest.fixture
def pipelines(clients: Callable[[str], Any]) -> Any:
    return clients("PipelineServiceClient")


@pytest.fixture
def run_pipeline(pipelines: Any, parent: str, wait: Callable[..., Any]) -> RunPipeline:
    def to_the_end(form: dict[str, Any]) -> Any:
        created = pipelines.create_training_pipeline(parent=parent, training_pipeline=form)
        return wait(lambda: pipelines.get_training_pipeline(name=created.name))

    return to_the_end


@pytest.fixture
def out(bucket: storage.Bucket, marker: str) -> str:
    return f"gs://{bucket.name}/{marker}"


def upload(name: str) -> dict[str, Any]:
    return {"model_to_upload": {"display_name": name, "container_spec": {"image_uri": SERVING}}}


def test_without_a_model(run_pipeline: RunPipeline, package_uri: str) -> None:
    pipeline = run_pipeline(training_pipeline(spec(pool(package_uri))))
    assert (pipeline.state.name, pipeline.error.code, pipeline.model_to_upload.name) == (
        "PIPELINE_STATE_SUCCEEDED",
        0,
        "",
    )


def test_inputs_come_back_in_the_apis_spelling(run_pipeline: RunPipeline, package_uri: str) -> None:
    pipeline = run_pipeline(training_pipeline(spec(pool(package_uri))))
    assert {"workerPoolSpecs", "scheduling"} <= set(pipeline.training_task_inputs)


def test_the_backing_job_is_named_and_readable(
    run_pipeline: RunPipeline, jobs: Any, package_uri: str
) -> None:
    pipeline = run_pipeline(training_pipeline(spec(pool(package_uri))))
    job = jobs.get_custom_job(name=pipeline.training_task_metadata["backingCustomJob"])
    assert (job.state.name, job.job_spec.worker_pool_specs[0].replica_count) == (
        "JOB_STATE_SUCCEEDED",
        1,
    )


def test_with_a_model(run_pipeline: RunPipeline, clients: Any, package_uri: str, out: str) -> None:
    inputs = spec(pool(package_uri, "--model"), **base(out))
    pipeline = run_pipeline(training_pipeline(inputs, **upload("kept")))
    models = clients("ModelServiceClient")
    model = models.get_model(name=pipeline.model_to_upload.name)
    assert (pipeline.state.name, model.display_name, model.version_id) == (
        "PIPELINE_STATE_SUCCEEDED",
        "kept",
        "1",
    )
    assert model.training_pipeline == pipeline.name
    models.delete_model(name=model.name).result()
    with pytest.raises(exceptions.NotFound):
        models.get_model(name=model.name)


def test_with_a_model_that_was_never_written(
    run_pipeline: RunPipeline, package_uri: str, out: str
) -> None:
    inputs = spec(pool(package_uri), **base(out))
    pipeline = run_pipeline(training_pipeline(inputs, **upload("missing")))
    assert (pipeline.state.name, "no files under" in pipeline.error.message) == (
        "PIPELINE_STATE_FAILED",
        True,
    )


def test_a_failing_script_fails_the_pipeline(run_pipeline: RunPipeline, package_uri: str) -> None:
    pipeline = run_pipeline(training_pipeline(spec(pool(package_uri, "--exit=5"))))
    assert (pipeline.state.name, "non-zero status of 5" in pipeline.error.message) == (
        "PIPELINE_STATE_FAILED",
        True,
    )


def test_cancel_list_and_delete(
    pipelines: Any, parent: str, package_uri: str, wait: Any, marker: str
) -> None:
    form = training_pipeline(spec(pool(package_uri, "--sleep=60")), labels={"marker": marker})
    created = pipelines.create_training_pipeline(parent=parent, training_pipeline=form)
    pipelines.cancel_training_pipeline(name=created.name)
    ended = wait(lambda: pipelines.get_training_pipeline(name=created.name))
    request = {"parent": parent, "filter": f'labels.marker="{marker}"'}
    listed = [one.name for one in pipelines.list_training_pipelines(request)]
    pipelines.delete_training_pipeline(name=created.name).result()
    left = list(pipelines.list_training_pipelines(request))
    assert (ended.state.name, listed, left) == ("PIPELINE_STATE_CANCELLED", [created.name], [])
