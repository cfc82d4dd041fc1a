"""Machines, accelerators and images of a job against the catalog."""

from datetime import date
from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.machine_checks import check_machines, machine_warnings
from vertex_jobs.emulator.resources.validation import refuse_faults
from vertex_jobs.emulator.status import ApiError

IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"


def spec_of(machine: dict[str, Any], **pool: Any) -> protos.Message:
    package = {"executorImageUri": IMAGE, "packageUris": ["gs://b/p"], "pythonModule": "m"}
    form = {"machineSpec": machine, "replicaCount": 1, "pythonPackageSpec": package, **pool}
    return protos.from_json({"workerPoolSpecs": [form]}, protos.CustomJobSpec())


def refusal(machine: dict[str, Any], **pool: Any) -> str:
    with pytest.raises(ApiError) as refused:
        refuse_faults(check_machines(spec_of(machine, **pool), "spec"))
    return refused.value.message


def accelerated(machine: str, accelerator: str, count: int = 1) -> dict[str, Any]:
    return {
        "machineType": machine,
        "acceleratorType": accelerator,
        "acceleratorCount": count,
    }


def test_an_unknown_machine_is_refused_with_the_services_text() -> None:
    assert refusal({"machineType": "banana-1"}) == 'Machine type "banana-1" is not supported.'


def test_an_unknown_pair_is_refused_with_the_services_text() -> None:
    assert refusal(accelerated("e2-standard-4", "NVIDIA_TESLA_K80")) == (
        'Accelerator "NVIDIA_TESLA_K80" is not supported for machine type "e2-standard-4"'
    )


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        ({}, "The machine type is required."),
        (accelerated("n1-standard-4", "NVIDIA_TESLA_T4", 3), "allowed: 1, 2, 4."),
        ({"machineType": "n1-standard-4", "acceleratorCount": 1}, "must be set together"),
        ({"machineType": "a2-highgpu-1g"}, "requires an accelerator: NVIDIA_TESLA_A100."),
        ({"machineType": "ct5lp-hightpu-4t"}, "'' is not one of 2x2, 2x4"),
        ({"machineType": "cloud-tpu"}, "requires TPU_V2 or TPU_V3."),
        (accelerated("ct5lp-hightpu-1t", "TPU_V2"), "is not supported for machine type"),
        (accelerated("cloud-tpu", "TPU_V2", 12), "allowed: 8, 32 and its multiples."),
    ],
)
def test_bad_machines(machine: dict[str, Any], message: str) -> None:
    assert message in refusal(machine)


@pytest.mark.parametrize(
    ("disk", "message"),
    [
        ({"bootDiskType": "floppy"}, "'floppy' is not one of pd-ssd, pd-standard"),
        ({"bootDiskSizeGb": 10}, "10 is not in [100, 64000]."),
    ],
)
def test_bad_disks(disk: dict[str, Any], message: str) -> None:
    assert message in refusal({"machineType": "n1-standard-4"}, diskSpec=disk)


def test_a_tpu_job_has_one_replica() -> None:
    tpu = {"machineType": "ct5lp-hightpu-1t", "tpuTopology": "1x1"}
    assert "one worker pool with one replica" in refusal(tpu, replicaCount=2)


@pytest.mark.parametrize("accelerator", ["NVIDIA_TESLA_K80", "NVIDIA_TESLA_P100"])
def test_retired_accelerators_are_rehearsed_with_a_warning(accelerator: str) -> None:
    spec = spec_of(accelerated("n1-standard-4", accelerator))
    (warning,) = machine_warnings(spec, date(2026, 1, 1))
    assert (check_machines(spec, "spec"), accelerator in warning) == ([], True)


@pytest.mark.parametrize(("today", "count"), [(date(2026, 7, 11), 0), (date(2026, 7, 12), 1)])
def test_images_past_their_date_are_named(today: date, count: int) -> None:
    spec = spec_of({"machineType": "n1-standard-4"})
    assert len(machine_warnings(spec, today)) == count


def test_a_tuning_job_runs_on_no_tpus() -> None:
    spec = spec_of({"machineType": "ct5lp-hightpu-1t", "tpuTopology": "1x1"})
    assert check_machines(spec, "spec", tuned=True) == [
        ("spec.worker_pool_specs[0].machine_spec", "Tuning jobs cannot use TPUs.")
    ]
