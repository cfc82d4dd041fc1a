"""Which machine takes which accelerator, disk and topology: every rule broken once."""

import pytest

from vertex_jobs.catalog.machine_rules import Broken, MachineUse, violations

TPU = {"machine_type": "ct5lp-hightpu-1t", "tpu_topology": "1x1"}


def broken(pool_count: int = 1, tuned: bool = False, **use: object) -> list[str]:
    found = violations(MachineUse(**use), pool_count=pool_count, tuned=tuned)  # type: ignore[arg-type]
    return [one.rule for one in found]


@pytest.mark.parametrize(
    ("rule", "use"),
    [
        ("machine_known", {"machine_type": "banana-1"}),
        ("accelerator_missing", {"machine_type": "a2-highgpu-1g"}),
        (
            "accelerator_taken",
            {
                "machine_type": "e2-standard-4",
                "accelerator_type": "NVIDIA_L4",
                "accelerator_count": 1,
            },
        ),
        (
            "accelerator_count",
            {
                "machine_type": "n1-standard-4",
                "accelerator_type": "NVIDIA_TESLA_T4",
                "accelerator_count": 3,
            },
        ),
        (
            "accelerator_retired",
            {
                "machine_type": "n1-standard-4",
                "accelerator_type": "NVIDIA_TESLA_K80",
                "accelerator_count": 1,
            },
        ),
        (
            "tpu_is_its_accelerator",
            {**TPU, "accelerator_type": "TPU_V2", "accelerator_count": 8},
        ),
        ("tpu_accelerator", {"machine_type": "cloud-tpu"}),
        (
            "tpu_cores",
            {"machine_type": "cloud-tpu", "accelerator_type": "TPU_V2", "accelerator_count": 40},
        ),
        ("tpu_topology", {**TPU, "tpu_topology": "2x2"}),
        ("tpu_alone", {**TPU, "replica_count": 2}),
        ("disk_known", {"machine_type": "n1-standard-4", "boot_disk_type": "floppy"}),
        (
            "disk_of_machine",
            {
                "machine_type": "a4-highgpu-8g",
                "accelerator_type": "NVIDIA_B200",
                "accelerator_count": 8,
                "boot_disk_type": "pd-ssd",
            },
        ),
        ("disk_size", {"machine_type": "n1-standard-4", "boot_disk_size_gb": 64001}),
    ],
)
def test_a_broken_rule_is_told_alone(rule: Broken, use: dict[str, object]) -> None:
    assert broken(**use) == [rule]


def test_a_tpu_job_has_one_pool() -> None:
    assert broken(pool_count=2, **TPU) == ["tpu_alone"]


def test_a_tuning_job_runs_on_no_tpus() -> None:
    assert broken(tuned=True, **TPU) == ["tpu_not_tuned"]


@pytest.mark.parametrize(
    ("machine", "rules"),
    [
        ("n1-standard-96", ["accelerator_retired"]),
        ("e2-standard-4", ["accelerator_retired", "accelerator_taken"]),
    ],
)
def test_a_retired_accelerator_was_once_attached_by_choice(machine: str, rules: list[str]) -> None:
    use = {"accelerator_type": "NVIDIA_TESLA_P100", "accelerator_count": 1}
    assert broken(machine_type=machine, **use) == rules
