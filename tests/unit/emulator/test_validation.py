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
    spec = spec_of({"workerPoolSpecs": [{**GOOD_POOL, "replicaCount": "2", "machineSpec": {}}]})
    with pytest.raises(ApiError) as refusal:
        validation.refuse_faults(validation.check_custom_job_spec(spec, "job_spec"))
    assert refusal.value.message == (
        "List of found errors:"
        "\t 1.Field: job_spec.worker_pool_specs[0].replica_count; "
        "Message: The first worker pool must have 1 replica."
        "\t 2.Field: job_spec.worker_pool_specs[0].machine_spec.machine_type; "
        "Message: The machine type is required."
    )


@pytest.mark.parametrize(
    ("labels", "faults"),
    [({"team": "vision_2"}, 0), ({"größe": "ä"}, 0), ({"My Key": "V"}, 2), ({"k": "x" * 65}, 1)],
)
def test_labels(labels: dict[str, str], faults: int) -> None:
    job = protos.CustomJob(display_name="a", labels=labels)
    assert len(validation.check_labels(job, "custom_job")) == faults


def tuning_job(parameter: dict[str, object], **fields: object) -> protos.Message:
    form = {
        "displayName": "a",
        "maxTrialCount": 4,
        "parallelTrialCount": 2,
        "studySpec": {
            "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
            "parameters": [{"parameterId": "x", **parameter}],
            **fields,
        },
    }
    return protos.from_json(form, protos.HyperparameterTuningJob())


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (
            {"doubleValueSpec": {"minValue": 2, "maxValue": 1}},
            "min_value 2.0 exceeds max_value 1.0.",
        ),
        (
            {"doubleValueSpec": {"maxValue": 1}, "scaleType": "UNIT_LOG_SCALE"},
            "A logarithmic scale needs a strictly positive range.",
        ),
        ({"categoricalValueSpec": {}}, "At least one value is required."),
        (
            {"discreteValueSpec": {"values": [2, 1]}},
            "1 to 1000 values in increasing order, at least 1e-10 apart.",
        ),
        ({}, "One of the value specs must be set."),
    ],
)
def test_bad_parameters(parameter: dict[str, object], message: str) -> None:
    faults = validation.check_study(tuning_job(parameter))
    assert faults == [("study_spec.parameters[x]", message)]


def test_grid_search_takes_no_doubles() -> None:
    job = tuning_job({"doubleValueSpec": {"maxValue": 1}}, algorithm="GRID_SEARCH")
    assert "Grid search needs" in validation.check_study(job)[0][1]


def test_file_servers_are_refused_by_name() -> None:
    mount = {"server": "10.0.0.2", "path": "/x", "mountPoint": "x"}
    spec = spec_of({"workerPoolSpecs": [{**GOOD_POOL, "nfsMounts": [mount]}]})
    with pytest.raises(ApiError, match=r"worker_pool_specs\[0\].nfs_mounts") as refusal:
        validation.refuse_unemulated(spec)
    assert refusal.value.status == "UNIMPLEMENTED"
