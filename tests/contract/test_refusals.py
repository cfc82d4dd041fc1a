"""Refusals in the service's words, over both transports, as its clients read them."""

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from job_forms import custom_job, pool
from wire import ask

from vertex_jobs.endpoints import Endpoint

#: Source: a refused persistent resource of July 2024, public text, source not named.
LABELS = (
    "There can be no more than 64 labels attached to a single resource. Label keys and values can "
    "only contain lowercase letters, numbers, dashes and underscores. Label keys must start with a "
    "letter or number, must be less than 64 characters in length, and must be less that 128 bytes "
    "in length when encoded in UTF-8. Label values must be less than 64 characters in length, and "
    "must be less that 128 bytes in length when encoded in UTF-8."
)
#: Source: the same.
PERSISTENT_RESOURCE_ID = (
    "persistent_resource_id can only contain numbers, lower case letters and hyphens. The first "
    "character must be a letter, and the last character must be a letter or number."
)


@pytest.mark.parametrize(
    ("client", "method", "collection", "kind"),
    [
        ("JobServiceClient", "get_custom_job", "customJobs", "CustomJob"),
        ("JobServiceClient", "cancel_custom_job", "customJobs", "CustomJob"),
        (
            "JobServiceClient",
            "get_hyperparameter_tuning_job",
            "hyperparameterTuningJobs",
            "HyperparameterTuningJob",
        ),
        (
            "PipelineServiceClient",
            "get_training_pipeline",
            "trainingPipelines",
            "TrainingPipeline",
        ),
        ("DatasetServiceClient", "get_dataset", "datasets", "Dataset"),
        ("TensorboardServiceClient", "get_tensorboard", "tensorboards", "Tensorboard"),
        ("VizierServiceClient", "get_trial", "studies/7/trials", "Trial"),
    ],
)
def test_a_name_whose_id_is_no_number(
    clients: Callable[[str], Any], parent: str, client: str, method: str, collection: str, kind: str
) -> None:
    """Source: GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob-minimal.

    Recorded of a custom job; the other kinds in their own words are our reading.
    """
    with pytest.raises(exceptions.BadRequest) as refusal:
        getattr(clients(client), method)(name=f"{parent}/{collection}/customjob-abc")
    text = f"List of found errors:\t1.Field: name; Message: Invalid {kind} resource name.\t"
    assert (refusal.value.message.partition(": ")[2], refusal.value.details) in [
        (text, []),
        (text.partition(": ")[2], []),  # over gRPC the client adds no method to the message
    ]


def refused(jobs: Any, parent: str, job: dict[str, Any]) -> exceptions.BadRequest:
    with pytest.raises(exceptions.BadRequest) as refusal:
        jobs.create_custom_job(parent=parent, custom_job=job)
    return refusal.value


def violations(error: exceptions.BadRequest) -> list[tuple[str, str]]:
    """What google.rpc.BadRequest says; over REST its clients give it as plain JSON."""
    (detail,) = error.details
    if isinstance(detail, dict):
        assert detail["@type"] == "type.googleapis.com/google.rpc.BadRequest"
        return [(one["field"], one["description"]) for one in detail["fieldViolations"]]
    return [(one.field, one.description) for one in detail.field_violations]


def test_labels_have_one_text(jobs: Any, parent: str, package_uri: str) -> None:
    job = custom_job(package_uri, labels={"_a": "1", "B": "2", "c": "$1.27"})
    text = f"List of found errors:\t1.Field: custom_job.labels; Message: {LABELS}\t"
    assert refused(jobs, parent, job).message.endswith(text)


def test_the_id_of_a_persistent_resource(jobs: Any, parent: str, package_uri: str) -> None:
    job = custom_job(package_uri, spec={"persistent_resource_id": "h4vcpu-w3x4vcpu1xt4_rag"})
    field = "custom_job.job_spec.persistent_resource_id"
    text = f"List of found errors:\t1.Field: {field}; Message: {PERSISTENT_RESOURCE_ID}\t"
    assert refused(jobs, parent, job).message.endswith(text)


def test_faults_are_details_too(jobs: Any, parent: str, package_uri: str) -> None:
    spec = {"persistent_resource_id": "A"}
    error = refused(jobs, parent, custom_job(package_uri, labels={"A": "b"}, spec=spec))
    assert violations(error) == [
        ("custom_job.labels", LABELS),
        ("custom_job.job_spec.persistent_resource_id", PERSISTENT_RESOURCE_ID),
    ]


def test_a_long_refusal_is_still_the_same_error(
    jobs: Any, parent: str, package_uri: str, transport: str
) -> None:
    uris = [f"http://é{number}" for number in range(90)]  # three bytes each letter, on the way
    job = custom_job(package_uri)
    job["job_spec"]["worker_pool_specs"][0]["python_package_spec"]["package_uris"] = uris
    error = refused(jobs, parent, job)
    whole = "\t90.Field: " in error.message
    assert (whole, "(cut; whole over REST)" in error.message) == (
        transport == "rest",
        transport == "grpc",
    )


def gpu_pool(package_uri: str, machine: str, accelerator: str) -> dict[str, Any]:
    one = pool(package_uri)
    one["machine_spec"] = {
        "machine_type": machine,
        "accelerator_type": accelerator,
        "accelerator_count": 1,
    }
    return one


def test_flex_start_has_rules_of_its_own(jobs: Any, parent: str, package_uri: str) -> None:
    """Source: documentation page "Schedule training jobs based on resource availability".

    What is refused is documented; the fields and the words are ours.
    """
    pools = [
        gpu_pool(package_uri, "g2-standard-4", "NVIDIA_L4"),
        gpu_pool(package_uri, "g2-standard-8", "NVIDIA_L4"),
        gpu_pool(package_uri, "n1-standard-4", "NVIDIA_TESLA_T4"),
    ]
    job_spec = {
        "worker_pool_specs": pools,
        "scheduling": {"strategy": "FLEX_START", "timeout": {"seconds": 8 * 86400}},
    }
    error = refused(jobs, parent, {"display_name": "flex", "job_spec": job_spec})
    machines = "custom_job.job_spec.worker_pool_specs[{}].machine_spec"
    assert [field for field, _ in violations(error)] == [
        machines.format(1),
        machines.format(2),
        "custom_job.job_spec.scheduling.timeout",
    ]


@pytest.mark.local_only
def test_enums_as_numbers(local_vertex: Endpoint, jobs: Any, parent: str, package_uri: str) -> None:
    """Source: GoogleCloudPlatform/k8s-config-connector, the query of its vertexaicustomjob log."""
    jobs.create_custom_job(parent=parent, custom_job=custom_job(package_uri))
    path = f"/v1beta1/{parent}/customJobs?%24alt=json%3Benum-encoding%3Dint&pageSize=1"
    request = f"GET {path} HTTP/1.1\nHost: localhost\nConnection: close\n\n"
    answer = ask(local_vertex.server.record.port, request)
    assert b'"state": ' in answer
    assert b"JOB_STATE" not in answer
