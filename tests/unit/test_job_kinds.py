"""The three kinds of job, and where each keeps its job's spec."""

import pytest

from vertex_jobs.job_kinds import (
    CUSTOM_JOB,
    CUSTOM_TRAINING_JOB,
    JOB_KINDS,
    TUNING_JOB,
    JobKind,
    camel_case,
    kind_of_name,
)

SPEC = {"workerPoolSpecs": [{"replicaCount": "1", "containerSpec": {"imageUri": "an_image"}}]}


@pytest.mark.parametrize("kind", JOB_KINDS, ids=lambda kind: kind.name)
def test_a_kind_is_found_by_the_name_of_its_job(kind: JobKind) -> None:
    assert kind_of_name(f"projects/p/locations/l/{kind.collection}/1") is kind


def test_another_collection_holds_no_jobs() -> None:
    with pytest.raises(ValueError, match="'models' holds no jobs; the collections are customJobs"):
        kind_of_name("projects/p/locations/l/models/1")


@pytest.mark.parametrize("kind", JOB_KINDS, ids=lambda kind: kind.name)
def test_each_kind_knows_where_its_spec_is(kind: JobKind) -> None:
    assert kind.job_spec({kind.spec_field: SPEC}) == SPEC


def test_a_pipeline_of_another_client_may_spell_its_inputs_as_the_proto_does() -> None:
    pool = {"replica_count": "1", "container_spec": {"image_uri": "an_image"}}
    inputs = {"worker_pool_specs": [pool]}
    assert CUSTOM_TRAINING_JOB.job_spec({"trainingTaskInputs": inputs}) == SPEC


def test_a_pipeline_may_hold_a_study() -> None:
    inputs = {"trial_job_spec": SPEC, "study_spec": {}}
    assert CUSTOM_TRAINING_JOB.job_spec({"trainingTaskInputs": inputs}) == SPEC


def test_a_resource_without_a_spec_has_an_empty_one() -> None:
    assert CUSTOM_JOB.job_spec({}) == {}
    assert TUNING_JOB.job_spec({"trialJobSpec": None}) == {}


def test_only_keys_change_their_case() -> None:
    assert camel_case({"env": [{"name": "MY_NAME", "value": "a_b"}]}) == {
        "env": [{"name": "MY_NAME", "value": "a_b"}]
    }
