"""The quota metrics of machines. Source: metrics in public 429 answers and quota listings."""

import pytest

from vertex_jobs.catalog.quota_metrics import quota_metrics


@pytest.mark.parametrize(
    ("machine", "accelerator", "strategy", "metrics"),
    [
        ("n1-standard-4", None, None, ["custom_model_training_cpus"]),
        ("e2-standard-4", None, "standard", ["custom_model_training_cpus"]),
        ("n2-highmem-16", None, None, ["custom_model_training_n2_cpus"]),
        (
            "n1-standard-4",
            "NVIDIA_TESLA_T4",
            "spot",
            [
                "custom_model_training_preemptible_cpus",
                "custom_model_training_preemptible_nvidia_t4_gpus",
            ],
        ),
        (
            "a3-highgpu-8g",
            "NVIDIA_H100_80GB",
            "flex_start",
            [
                "custom_model_training_preemptible_a3_cpus",
                "custom_model_training_preemptible_nvidia_h100_gpus",
            ],
        ),
        ("a4-highgpu-8g", "NVIDIA_B200", None, ["custom_model_training_a4_cpus"]),
    ],
)
def test_what_a_machine_counts_against(
    machine: str, accelerator: str | None, strategy: str | None, metrics: list[str]
) -> None:
    assert list(quota_metrics(machine, accelerator, strategy)) == metrics
