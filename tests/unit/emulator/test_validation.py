import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import validation
from vertex_jobs.emulator.status import ApiError


def spec_of(form: dict[str, object]) -> protos.Message:
    return protos.from_json(form, protos.CustomJobSpec())


GOOD_POOL = {
    "machineSpec": {"machineType": "n1-standard-4"},
    "replicaCount": "1",
    "pythonPackageSpec": {
        "executorImageUri": "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
        "packageUris": ["gs://bucket/p.tar.gz"],
        "pythonModule": "trainer",
    },
}


def test_a_good_spec_has_no_fault() -> None:
    spec = spec_of({"workerPoolSpecs": [GOOD_POOL, {}, GOOD_POOL]})
    assert validation.check_custom_job_spec(spec, "job_spec") == []


def test_faults_are_aggregated_as_the_service_does() -> None:
    spec = spec_of({"workerPoolSpecs": [{**GOOD_POOL, "replicaCount": "2"}], "network": "n"})
    with pytest.raises(ApiError) as refusal:
        validation.refuse_faults(validation.check_custom_job_spec(spec, "job_spec"))
    assert refusal.value.message == (
        "List of found errors:"
        "\t1.Field: job_spec.network; "
        "Message: 'n': expected projects/PROJECT_NUMBER/global/networks/NETWORK."
        "\t2.Field: job_spec.worker_pool_specs[0].replica_count; "
        "Message: The first worker pool must have 1 replica.\t"
    )


@pytest.mark.parametrize(
    ("labels", "faults"),
    [
        ({"team": "vision_2"}, 0),
        ({"größe": "ä"}, 0),
        ({"My Key": "V", "a": "B"}, 1),
        ({"k": "x" * 63}, 0),
        ({"k": "x" * 64}, 1),
        ({"k": "ä" * 63}, 0),
        ({"k": "語" * 43}, 1),
        ({"_k": "x"}, 1),
        ({f"l{number}": "" for number in range(65)}, 1),
    ],
)
def test_labels(labels: dict[str, str], faults: int) -> None:
    job = protos.CustomJob(display_name="a", labels=labels)
    assert len(validation.check_labels(job, "custom_job")) == faults


def test_reduction_server_is_refused_by_name() -> None:
    image = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
    spec = spec_of({"workerPoolSpecs": [GOOD_POOL, {"containerSpec": {"imageUri": image}}]})
    with pytest.raises(ApiError, match=r"worker_pool_specs\[1\].container_spec.image_uri: Local"):
        validation.refuse_reduction_server(spec, "job_spec")


@pytest.mark.parametrize(
    ("form", "field"),
    [
        (
            {"baseOutputDirectory": {"outputUriPrefix": "/tmp/x"}},
            "base_output_directory.output_uri",
        ),
        ({"persistentResourceId": "My_Own"}, "persistent_resource_id"),
        ({"tensorboard": "t"}, "service_account"),
        ({"scheduling": {"timeout": "-5s"}}, "scheduling.timeout"),
    ],
)
def test_what_a_job_names_outside_of_itself(form: dict[str, object], field: str) -> None:
    ((path, _),) = validation.check_custom_job_spec(
        spec_of({"workerPoolSpecs": [GOOD_POOL], **form}), "spec"
    )
    assert path.startswith(f"spec.{field}")
