"""The table of fields against the API's own descriptors, and what admission makes of it."""

from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.fields import TABLE, Fate, clear_outputs, key_of, stored_fields
from vertex_jobs.emulator.status import ApiError

ROOTS = (
    protos.CustomJob,
    protos.HyperparameterTuningJob,
    protos.TrainingPipeline,
    protos.StudySpec,
)


PACKAGE = "google.cloud.aiplatform.v1."


def reachable(descriptor: Any, found: set[str]) -> set[str]:
    """Keys of all fields, down to those that are settled as a whole or never set."""
    for field in descriptor.fields:
        key, kind = key_of(field), field.message_type
        if key in found:
            continue
        found.add(key)
        row = TABLE.get(key)
        settled = row is not None and (
            Fate.ACTED not in (row.fate, row.vizier) or row.note.startswith("never set")
        )
        ours = kind is not None and kind.full_name.startswith(PACKAGE)
        if ours and not settled and not kind.GetOptions().map_entry:
            reachable(kind, found)
    return found


def every_field() -> set[str]:
    found: set[str] = set()
    for root in ROOTS:
        reachable(root.DESCRIPTOR, found)
    return found


def test_every_field_of_the_api_is_in_the_table() -> None:
    assert sorted(every_field() - TABLE.keys()) == []


def test_every_row_of_the_table_is_a_field_of_the_api() -> None:
    assert sorted(TABLE.keys() - every_field()) == []


def test_every_row_says_what_it_does_and_where_that_is_from() -> None:
    assert [row.path for row in TABLE.values() if not (row.note and row.source)] == []


def job(**spec: Any) -> protos.Message:
    return protos.CustomJob(display_name="x", job_spec=protos.CustomJobSpec(**spec))


def test_stored_fields_are_named_in_one_warning() -> None:
    stored = job(network="n", service_account="s")
    assert stored_fields(stored, "custom_job") == (
        "Stored, without effect on this machine: custom_job.job_spec.service_account (the identity "
        "of the replicas; here they are yours); custom_job.job_spec.network (peering; replicas use "
        "this machine's network)."
    )


def test_a_plain_job_has_no_warning() -> None:
    plain = protos.from_json({"scheduling": {"strategy": "STANDARD"}}, protos.CustomJobSpec())
    assert stored_fields(plain, "job_spec") == ""


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ({"models": ["m"]}, "job_spec.models:"),
        (
            {"workerPoolSpecs": [{}, {"nfsMounts": [{"server": "s"}]}]},
            r"job_spec.worker_pool_specs\[1\].nfs_mounts:",
        ),
    ],
)
def test_a_field_with_an_effect_is_refused_by_name(form: dict[str, Any], path: str) -> None:
    with pytest.raises(ApiError, match=path) as refusal:
        stored_fields(protos.from_json(form, protos.CustomJobSpec()), "job_spec")
    assert refusal.value.status == "UNIMPLEMENTED"


@pytest.mark.parametrize("vizier", [False, True])
@pytest.mark.parametrize(
    "rule",
    ["medianAutomatedStoppingSpec", "decayCurveStoppingSpec", "convexAutomatedStoppingSpec"],
)
def test_stopping_rules_are_acted_on(rule: str, vizier: bool) -> None:
    spec = protos.from_json({rule: {}}, protos.StudySpec())
    assert stored_fields(spec, "study_spec", vizier=vizier) == ""


def test_what_the_service_sets_is_dropped_from_a_request() -> None:
    sent = protos.from_json(
        {"name": "n", "displayName": "d", "state": 4, "error": {"code": 3}}, protos.CustomJob()
    )
    clear_outputs(sent)
    assert sent == protos.CustomJob(display_name="d")
