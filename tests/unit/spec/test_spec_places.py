"""``accelerator: T4:2`` chooses the machine; a fallback changes what it names and nothing else."""

from typing import Any

import pytest

from vertex_jobs import catalog
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.preflight.offers import Filters, find_offers
from vertex_jobs.spec import CustomJob, Fallback, WorkerPool, attempts
from vertex_jobs.spec.accelerator_shorthand import short_name


def job(**fields: Any) -> CustomJob:
    return CustomJob(**{"display_name": "job", "container_uri": "image", **fields})


def fault_of(**fields: Any) -> str:
    with pytest.raises(InvalidJobError) as caught:
        job(**fields)
    return "\n".join(map(str, caught.value.faults))


@pytest.mark.parametrize(
    ("accelerator", "machine", "kind", "count"),
    [
        ("T4:2", "n1-standard-4", "NVIDIA_TESLA_T4", 2),
        ("t4", "n1-standard-4", "NVIDIA_TESLA_T4", 1),
        ("L4:1", "g2-standard-4", "NVIDIA_L4", 1),
        ("L4:2", "g2-standard-24", "NVIDIA_L4", 2),
        ("A100:1", "a2-highgpu-1g", "NVIDIA_TESLA_A100", 1),
        ("A100-80GB:4", "a2-ultragpu-4g", "NVIDIA_A100_80GB", 4),
        ("NVIDIA_H100_80GB:8", "a3-highgpu-8g", "NVIDIA_H100_80GB", 8),
    ],
)
def test_an_accelerator_is_the_same_as_its_three_fields(
    accelerator: str, machine: str, kind: str, count: int
) -> None:
    long = {"machine_type": machine, "accelerator_type": kind, "accelerator_count": count}
    assert job(accelerator=accelerator) == job(**long)
    assert WorkerPool(accelerator=accelerator) == WorkerPool(**long)


def test_every_gpu_of_the_catalog_has_a_machine() -> None:
    machines = catalog.load().machines
    offers = {
        (kind, count)
        for machine in machines.values()
        for kind, counts in machine.accelerators.items()
        for count in counts
    }
    for kind, count in offers:
        chosen = job(accelerator=f"{short_name(kind)}:{count}")
        assert count in machines[chosen.machine_type].accelerators[kind]


def test_a_machine_that_is_given_stays() -> None:
    assert job(accelerator="T4:2", machine_type="n1-highmem-8").machine_type == "n1-highmem-8"


def test_a_pools_accelerator_chooses_its_machine() -> None:
    pools = {"chief": {"accelerator": "L4:1"}, "evaluators": {}}
    machines = [pool.machine_type for pool in job(worker_pools=pools).worker_pools_resolved()]
    assert machines == ["g2-standard-4", "n1-standard-4"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"accelerator": "T4:3"}, "counts of 1, 2 or 4; write one of T4:1, T4:2, T4:4"),
        ({"accelerator": "A10"}, "is no GPU that a machine takes; did you mean 'A100'?"),
        ({"accelerator": "TPU_V3:8"}, "name a TPU by its generation and topology, as v5e:2x4"),
        ({"accelerator": "v5e:3x4"}, "is no TPU that a machine has; did you mean 'v5e:4x4'?"),
        ({"cpus": 9000}, "cpus = 9000: is more than the 4 vCPUs of n1-standard-4; name a larger"),
        ({"machine_type": "e2-standard-4", "memory_gb": 17}, "is more than the 16 GB of e2-"),
        ({"cpus": 2, "worker_pools": {"chief": {}}}, "cpus = 2: is the short form of what"),
        ({"accelerator": 4}, "must be an accelerator and a count; write for example T4:2"),
        (
            {"accelerator": "T4:2", "accelerator_type": "NVIDIA_L4", "accelerator_count": 1},
            "accelerator = 'T4:2': is the short form of what accelerator_type says",
        ),
        (
            {"accelerator": "T4:2", "worker_pools": {"chief": {}}},
            "accelerator = 'T4:2': is the short form of what worker_pools says",
        ),
        (
            {"worker_pools": {"chief": {"accelerator": "T4:5"}}},
            "worker_pools.chief.accelerator = 'T4:5': NVIDIA_TESLA_T4 comes in counts of",
        ),
        ({"fallback": [{"accelerator": "L4:3"}]}, "fallback.0.accelerator = 'L4:3': NVIDIA_L4 com"),
        ({"fallback": [{"max_wait_duration": 60}]}, "only scheduling_strategy flex_start waits"),
        (
            {
                "fallback": [{"location": "us-east1"}],
                "encryption_spec_key_name": (
                    "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"
                ),
            },
            "encryption_spec_key_name is in us-central1, and a job's resources are in its own",
        ),
        (
            {"fallback": [{"location": "us-east1"}], "persistent_resource_id": "held"},
            "persistent_resource_id names machines of one region; remove this fallback or",
        ),
    ],
)
def test_a_fault_of_a_place(fields: dict[str, Any], message: str) -> None:
    assert message in fault_of(**fields)


def test_attempts_begin_with_the_job_itself() -> None:
    places = [{"location": "europe-west4"}, {"location": "us-east1", "scheduling_strategy": "spot"}]
    found = attempts(job(fallback=places, timeout=60))
    assert [(one.location, one.job) for one in found] == [
        (None, job(timeout=60)),
        ("europe-west4", job(timeout=60)),
        ("us-east1", job(timeout=60, scheduling_strategy="spot")),
    ]


def test_a_strategy_brings_its_own_wait() -> None:
    waiting = job(
        scheduling_strategy="flex_start",
        max_wait_duration=60,
        fallback=[{"scheduling_strategy": "standard"}],
    )
    assert attempts(waiting)[1].job == job(scheduling_strategy="standard")


def test_another_accelerator_is_for_the_pools_that_have_one() -> None:
    pools = {
        "chief": {"accelerator": "T4:1"},
        "parameter_servers": {"machine_type": "n2-highmem-8"},
    }
    changed = attempts(job(worker_pools=pools, fallback=[{"accelerator": "L4:1"}]))[1].job
    assert [pool.machine_type for pool in changed.worker_pools_resolved()] == [
        "g2-standard-4",
        "n2-highmem-8",
    ]


def test_parts_and_topology_belong_to_the_accelerator_that_goes() -> None:
    split = job(
        accelerator="A100:1", gpu_partition_size="1g.5gb", fallback=[Fallback(accelerator="L4:2")]
    )
    assert attempts(split)[1].job == job(accelerator="L4:2")


@pytest.mark.parametrize(
    ("asked", "machine"),
    [
        ({"cpus": 8, "memory_gb": 30}, "e2-standard-8"),
        ({"memory_gb": 30}, "e2-highmem-4"),
        ({"cpus": 1}, "e2-highmem-2"),
        ({"cpus": 8, "accelerator": "T4:1"}, "n1-standard-8"),
        ({"cpus": 8, "accelerator_type": "NVIDIA_L4", "accelerator_count": 1}, "g2-standard-8"),
        ({"cpus": 8, "machine_type": "n1-standard-16"}, "n1-standard-16"),
    ],
)
def test_a_size_chooses_the_cheapest_machine(asked: dict[str, Any], machine: str) -> None:
    assert job(**asked).machine_type == machine
    assert WorkerPool(**asked).machine_type == machine


def test_the_chosen_machine_is_the_cheapest_in_the_list_of_offers() -> None:
    offers = find_offers(catalog.load(), Filters(cpus=8, memory_gb=30))
    assert job(cpus=8, memory_gb=30).machine_type == offers[0].machine_type


@pytest.mark.parametrize(
    ("accelerator", "machine"), [("v5e:2x4", "ct5lp-hightpu-8t"), ("V6E:4x4", "ct6e-standard-4t")]
)
def test_a_tpu_is_named_by_generation_and_topology(accelerator: str, machine: str) -> None:
    chosen = job(accelerator=accelerator)
    assert (chosen.machine_type, chosen.accelerator_type) == (machine, None)
    assert chosen.tpu_topology == accelerator.partition(":")[2]
