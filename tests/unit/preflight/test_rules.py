"""Every rule: a config that breaks it and no other, and what is said."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from configs_to_check import CUSTOM, SOUND, STUDY

from vertex_jobs.preflight import RULES, Report
from vertex_jobs.spec.kinds import KINDS

Checked = Callable[..., Report]

GPU = {"accelerator_type": "NVIDIA_TESLA_T4", "accelerator_count": 1}
PREBUILT = "us-docker.pkg.dev/vertex-ai/training"
SCARCE = {
    "machine_type": "a3-megagpu-8g",
    "accelerator_type": "NVIDIA_H100_MEGA_80GB",
    "accelerator_count": 8,
}
RESERVED = {
    "machine_type": "a4x-highgpu-4g",
    "accelerator_type": "NVIDIA_GB200",
    "accelerator_count": 4,
}
A100 = {
    "machine_type": "a2-highgpu-1g",
    "accelerator_type": "NVIDIA_TESLA_A100",
    "accelerator_count": 1,
}
TRAINING = {**CUSTOM, "kind": "custom_training_job"}
TPU = {"machine_type": "cloud-tpu", "accelerator_type": "TPU_V3", "accelerator_count": 8}

#: Rule: config, where it is submitted, path of the fault, words of it.
CASES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "machine-known": (
        {**CUSTOM, "machine_type": "n1-standart-4"},
        "us-central1",
        "machine_type",
        "did you mean 'n1-standard-4'?",
    ),
    "accelerator-fits": (
        {**CUSTOM, **GPU, "machine_type": "e2-standard-8"},
        "us-central1",
        "accelerator_type",
        "e2-standard-8 takes none; use one of n1-standard-4",
    ),
    "accelerator-count-allowed": (
        {**CUSTOM, **GPU, "accelerator_count": 3},
        "us-central1",
        "accelerator_count",
        "takes 1 or 2 or 4 of NVIDIA_TESLA_T4",
    ),
    "accelerator-retired": (
        {**CUSTOM, **GPU, "accelerator_type": "NVIDIA_TESLA_K80"},
        "us-central1",
        "accelerator_type",
        "is retired",
    ),
    "accelerator-in-region": (
        {**CUSTOM, **A100},
        "us-east4",
        "accelerator_type",
        "is reported to be refused in us-east4",
    ),
    "location-known": (CUSTOM, "us-centrall1", "--location", "did you mean 'us-central1'?"),
    "disk-fits-machine": (
        {
            **CUSTOM,
            "machine_type": "a4-highgpu-8g",
            "accelerator_type": "NVIDIA_B200",
            "accelerator_count": 8,
            "scheduling_strategy": "spot",
            "boot_disk_type": "pd-ssd",
        },
        "us-central1",
        "boot_disk_type",
        "boots from hyperdisk-balanced",
    ),
    "small-machine-with-gpu": (
        {**CUSTOM, **GPU, "machine_type": "n1-highmem-2"},
        "us-central1",
        "machine_type",
        "the logs may stop",
    ),
    "tpu-alone": (
        {**CUSTOM, **TPU, "replica_count": 2},
        "us-central1",
        "machine_type",
        "a TPU job has one pool with one replica",
    ),
    "tpu-not-tuned": ({**STUDY, **TPU}, "us-central1", "machine_type", "runs on no TPUs"),
    "tpu-accelerator": (
        {**CUSTOM, **TPU, "accelerator_count": 12},
        "us-central1",
        "accelerator_count",
        "TPUs come by 8, or by multiples of 32",
    ),
    "tpu-topology": (
        {**CUSTOM, "machine_type": "ct5lp-hightpu-4t", "tpu_topology": "2x3"},
        "us-central1",
        "tpu_topology",
        "ct5lp-hightpu-4t has 2x2, 2x4",
    ),
    "tpu-slice-not-spot": (
        {**CUSTOM, **TPU, "accelerator_count": 32, "scheduling_strategy": "spot"},
        "us-central1",
        "scheduling_strategy",
        "a slice of TPUs is not to be had as spot",
    ),
    "image-known": (
        {**CUSTOM, "container_uri": f"{PREBUILT}/tf-cpu.2-10.py310:latest"},
        "us-central1",
        "container_uri",
        "is no prebuilt training image; did you mean tf-cpu.2-1",
    ),
    "image-newer-than-list": (
        {**CUSTOM, "container_uri": f"{PREBUILT}/tf-cpu.2-19.py312:latest"},
        "us-central1",
        "container_uri",
        "is newer than our list, of 2026-11-22",
    ),
    "image-host": (
        {**CUSTOM, "container_uri": "us-docker.pkg.dev/vertex/training/tf-cpu.2-17.py310:latest"},
        "us-central1",
        "container_uri",
        f"did you mean {PREBUILT}/tf-cpu.2-17.py310:latest?",
    ),
    "image-registry": (
        {**CUSTOM, "container_uri": "quay.io/me/x"},
        "us-central1",
        "container_uri",
        "training pulls from Artifact Registry and Docker Hub only",
    ),
    "image-available": (
        {**CUSTOM, "container_uri": f"{PREBUILT}/tf-cpu.2-15.py310:latest"},
        "us-central1",
        "container_uri",
        "its availability ended on 2025-11-14, and such images are "
        '"no longer available for download"; write tf-cpu.2-17.py310',
    ),
    "image-patched": (
        {**CUSTOM, "container_uri": f"{PREBUILT}/ray-cpu.2-42.py311:latest"},
        "us-central1",
        "container_uri",
        "gets no fixes since 2026-03-01; write ray-cpu.2-47.py311",
    ),
    "image-without-fault": (
        {**CUSTOM, **GPU, "container_uri": "docker.io/tensorflow/tensorflow:2.21.0-gpu"},
        "us-central1",
        "container_uri",
        "is reported broken: TensorFlow finds no GPU in it: its CUDA and cuDNN do not fit; "
        "write docker.io/python:3.11-slim, and add tensorflow[and-cuda]==2.21.*",
    ),
    "image-tag": (
        {**CUSTOM, "container_uri": f"{PREBUILT}/ray-cpu.2-47.py311:v1"},
        "us-central1",
        "container_uri",
        "write ray-cpu.2-47.py311:latest",
    ),
    "image-fits-machine": (
        {**CUSTOM, **GPU, "container_uri": f"{PREBUILT}/ray-cpu.2-47.py311:latest"},
        "us-central1",
        "container_uri",
        "would be paid and idle; write ray-gpu.2-47.py311",
    ),
    "timeout-long-enough": (
        {**CUSTOM, "timeout": 60},
        "us-central1",
        "timeout",
        "installing the package takes about 65 s of it",
    ),
    "timeout-chosen": (
        {**CUSTOM, "timeout": None},
        "us-central1",
        "timeout",
        "a job that hangs is paid for 7 days",
    ),
    "wait-ends": (
        {**CUSTOM, **A100, "scheduling_strategy": "flex_start", "max_wait_duration": 0},
        "us-central1",
        "max_wait_duration",
        "0 waits for machines without end",
    ),
    "flex-start-fits": (
        {**CUSTOM, **GPU, "fallback": [{"scheduling_strategy": "flex_start"}]},
        "us-central1",
        "fallback.0.accelerator_type",
        "flex_start waits for L4, A100, H100, H200 and B200 only",
    ),
    "flex-start-expires": (
        {**CUSTOM, **A100, "scheduling_strategy": "flex_start"},
        "us-central1",
        "scheduling_strategy",
        "JOB_STATE_EXPIRED, which Google's pipeline components take for running",
    ),
    "scarce-accelerator": (
        {**CUSTOM, **SCARCE},
        "us-central1",
        "accelerator_type",
        "is hard to get without a reservation",
    ),
    "reserved-accelerator": (
        {**CUSTOM, **RESERVED},
        "us-central1",
        "accelerator_type",
        "is given to reservations only",
    ),
    "spot-comes-back": (
        {**CUSTOM, "scheduling_strategy": "spot", "disable_retries": True},
        "us-central1",
        "disable_retries",
        "on spot machines the job ends when one is taken away",
    ),
    "trials-within-limit": (
        {**STUDY, "max_trial_count": 5000, "search_algorithm": "random"},
        "us-central1",
        "max_trial_count",
        "more than 1000 trials",
    ),
    "search-can-learn": (
        {**STUDY, "parallel_trial_count": 4},
        "us-central1",
        "parallel_trial_count",
        "none learns from another",
    ),
    "space-fits-trials": (
        {**STUDY, "search_algorithm": "grid", "max_trial_count": 3},
        "us-central1",
        "max_trial_count",
        "the grid has 4 points, and the others are never tried",
    ),
    "staging-bucket-said": (
        {**CUSTOM, "staging_bucket": None},
        "us-central1",
        "staging_bucket",
        "Vertex AI reads the package from Cloud Storage",
    ),
    "same-region": (
        {
            **CUSTOM,
            "service_account": "a@b.iam.gserviceaccount.com",
            "tensorboard": "projects/p/locations/us-east1/tensorboards/1",
        },
        "us-central1",
        "tensorboard",
        "is in us-east1, and the job in us-central1",
    ),
    "local-settings-dropped": (
        {**CUSTOM, "local": {"seed": 1}},
        "us-central1",
        "local",
        "holds on Local Vertex only",
    ),
    "own-prices": (
        {**CUSTOM, "prices": {"n1-standard-44": 1}},
        "us-central1",
        "prices.n1-standard-44",
        "is no machine type, accelerator or boot disk",
    ),
    "cost-ceiling": (
        {**CUSTOM, "max_cost_usd": 0.1},
        "us-central1",
        "max_cost_usd",
        "the worst case costs 0.237 to 0.253 USD",
    ),
}


def test_every_rule_has_a_case_here_or_among_the_scripts() -> None:
    modules = ("scripts", "libraries")
    elsewhere = {rule.name for rule in RULES if rule.find.__module__.endswith(modules)}
    assert {rule.name for rule in RULES} - set(CASES) - elsewhere == {
        "emulated-here",
        "image-stands-here",
    }


@pytest.mark.parametrize("name", CASES)
def test_a_rule_and_no_other_speaks(name: str, checked: Checked) -> None:
    config, location, path, words = CASES[name]
    sound = {key: value for key, value in {**SOUND, **config}.items() if value is not None}
    (rule,) = [rule for rule in RULES if rule.name == name]
    (fault,) = checked(sound, location=location).faults
    assert (fault.path, fault.severity) == (path, rule.severity)
    assert words in f"{fault.rule}; {fault.remedy}"


@pytest.mark.parametrize(
    "name", [rule.name for rule in RULES if rule.cloud_only and rule.name in CASES]
)
def test_what_matters_in_the_cloud_alone_is_no_error_here(name: str, checked: Checked) -> None:
    config, location, _, _ = CASES[name]
    sound = {key: value for key, value in {**SOUND, **config}.items() if value is not None}
    assert checked(sound, location=location, on="local").errors == ()


TPU_V5E = {"machine_type": "ct5lp-hightpu-4t", "tpu_topology": "2x2"}


@pytest.mark.parametrize(
    ("image", "machine", "remedy"),
    [
        ("tf-cpu.2-17.py310", {}, "write docker.io/tensorflow/tensorflow:2.21.0"),
        (
            "tf-gpu.2-17.py310",
            GPU,
            "write docker.io/python:3.11-slim, and add tensorflow[and-cuda]==2.21.* to "
            "requirements; `vertex-jobs image` makes one that starts faster",
        ),
        (
            "tf-tpu.2-15.cp310",
            TPU_V5E,
            "write docker.io/python:3.11-slim, and add tensorflow-tpu==2.20.* to requirements "
            "(never tried on a TPU)",
        ),
        (
            "sklearn-cpu.1-6",
            {},
            "write docker.io/python:3.11-slim, and add scikit-learn to requirements",
        ),
    ],
)
def test_the_remedy_for_an_image_that_is_gone_is_for_its_machine(
    image: str, machine: dict[str, Any], remedy: str, checked: Checked
) -> None:
    config = {**CUSTOM, **SOUND, **machine, "container_uri": f"{PREBUILT}/{image}:latest"}
    (fault,) = checked(config, today=date(2026, 11, 22)).errors
    assert (fault.value, fault.remedy) == (image, remedy)


SOME = {"type": "discrete", "values": [16, 32]}


@pytest.mark.parametrize(
    ("config", "rules"),
    [
        ({"max_trial_count": 5}, ["the space has 4 points, and the study ends with them"]),
        ({"max_trial_count": 3}, []),
        ({"max_trial_count": 5, "search_algorithm": "random"}, []),
        (
            {"max_trial_count": 5, "search_algorithm": "grid"},
            ["the grid has 4 points, and the study ends with them"],
        ),
        ({"max_trial_count": 9, "parameter_spec": {"a": SOME, "b": SOME, "c": SOME}}, ["8"]),
        (
            {"max_trial_count": 9, "parameter_spec": {"a": {"type": "double", "min": 0, "max": 1}}},
            [],
        ),
    ],
)
def test_more_trials_than_points_are_told(
    config: dict[str, Any], rules: list[str], checked: Checked
) -> None:
    faults = checked({**STUDY, **SOUND, **config}).faults
    assert [fault.path for fault in faults] == ["max_trial_count"] * len(rules)
    assert all(words in fault.rule for words, fault in zip(rules, faults, strict=True))


def test_a_range_upside_down_has_no_points_to_count(checked: Checked) -> None:
    upside_down = {"units": {"type": "integer", "min": 4, "max": 1}}
    (fault,) = checked({**STUDY, **SOUND, "parameter_spec": upside_down}).faults
    assert fault.path == "parameter_spec.units.min"


def test_the_reduction_server_is_not_emulated(checked: Checked) -> None:
    image = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
    pools = {
        "chief": {},
        "parameter_servers": {"container_uri": image, "machine_type": "n1-highcpu-16"},
    }
    (fault,) = checked({**CUSTOM, "worker_pools": pools}, on="local").errors
    assert fault.path == "worker_pools.parameter_servers.container_uri"


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"timeout": 8 * 86400}, "timeout"),
        ({"worker_pools": {"chief": A100, "workers": {**A100, "replica_count": 2}}}, ""),
        (
            {"worker_pools": {"chief": A100, "workers": {**A100, "accelerator_count": 2}}},
            "worker_pools.workers.machine_type",
        ),
        ({"accelerator_type": "NVIDIA_TESLA_V100", "machine_type": "n1-standard-8"}, None),
    ],
)
def test_flex_start_asks_for_equal_machines_and_a_week_at_most(
    config: dict[str, Any], path: str | None, checked: Checked
) -> None:
    """Source: documentation page "Schedule training jobs based on resource availability"."""
    own = {} if "worker_pools" in config else A100
    job = {**CUSTOM, **own, **SOUND, **config, "scheduling_strategy": "flex_start"}
    told = [one.path for one in checked(job).errors if "flex_start" in one.rule]
    assert told == {"": [], None: ["accelerator_type"]}.get(path, [path])


CONTAINER = {
    "kind": "custom_job",
    "display_name": "c",
    "container_uri": "alpine:3",
    "command": ["sh", "-c", "echo hello world"],
}


@pytest.mark.parametrize(
    ("local", "warned"),
    [
        ({}, True),
        ({"images": {"alpine:3": {"requirements": ["numpy"]}}}, True),
        ({"images": {"alpine:3": {"command": ["echo"]}}}, False),
        ({"images": {"alpine:3": {"environment": "podman"}}}, False),
        ({"environment": "docker"}, False),
    ],
)
def test_a_container_that_nothing_stands_for_here(
    local: dict[str, Any], warned: bool, checked: Checked
) -> None:
    faults = checked({**CONTAINER, "local": local}, on="local").faults
    rule = "no image is pulled on Local Vertex, so the job fails at its start there"
    assert (rule in [fault.rule for fault in faults], {one.severity for one in faults}) == (
        warned,
        {"warning"} if faults else set(),
    )


DATA = {"dataset": "7"}
FILTERS = {f"{part}_filter_split": "labels.x=y" for part in ("training", "validation", "test")}


@pytest.mark.parametrize(
    ("config", "paths"),
    [
        (
            {
                **STUDY,
                "automated_stopping_spec": {"type": "convex", "update_all_stopped_trials": True},
            },
            ["automated_stopping_spec.update_all_stopped_trials"],
        ),
        ({**TRAINING, **DATA, "annotations_filter": "x"}, ["annotations_filter"]),
        ({**TRAINING, **DATA, "saved_query_id": "x"}, ["saved_query_id"]),
        (
            {**TRAINING, **DATA, "saved_query_id": "x", "persist_ml_use_assignment": True},
            ["saved_query_id", "persist_ml_use_assignment"],
        ),
        ({**TRAINING, **DATA, **FILTERS}, list(FILTERS)),
        ({**TRAINING, **DATA, "bigquery_destination": "bq://p"}, ["bigquery_destination"]),
    ],
)
def test_what_local_vertex_refuses_is_told_there_alone(
    config: dict[str, Any], paths: list[str], checked: Checked
) -> None:
    assert [fault.path for fault in checked({**SOUND, **config}, on="local").errors] == paths
    assert checked({**SOUND, **config}).faults == ()


def test_rules_hold_for_fallbacks_too(checked: Checked) -> None:
    config = {**CUSTOM, **SOUND, **GPU, "fallback": [{"machine_type": "e2-standard-4"}]}
    (fault,) = checked(config).faults
    assert fault.path == "fallback.0.accelerator_type"


def test_pools_are_named_in_the_long_form(checked: Checked) -> None:
    pools = {"chief": {}, "workers": {"machine_type": "banana-1"}}
    (fault,) = checked({**CUSTOM, **SOUND, "worker_pools": pools}).faults
    assert fault.path == "worker_pools.workers.machine_type"


def test_equal_pools_of_the_short_form_are_told_once(checked: Checked) -> None:
    report = checked({**CUSTOM, **SOUND, "machine_type": "banana-1", "replica_count": 3})
    assert [fault.path for fault in report.faults] == ["machine_type"]


def test_faults_of_the_config_and_of_the_rules_come_together(checked: Checked) -> None:
    config = {**CUSTOM, **SOUND, "timeout": "soon", "machine_type": "banana-1", "labels": {"A": ""}}
    assert [fault.path for fault in checked(config).errors] == [
        "timeout",
        "labels.A",
        "machine_type",
    ]


def test_a_rule_waits_for_what_could_not_be_read(checked: Checked) -> None:
    report = checked({**CUSTOM, **SOUND, "machine_type": 7, "accelerator_count": 3})
    assert [fault.path for fault in report.faults] == ["machine_type", "accelerator_count"]
    assert report.cost is None


def test_a_ceiling_that_cannot_be_kept_refuses(checked: Checked) -> None:
    config = {**CUSTOM, **SOUND, **SCARCE, "scheduling_strategy": "spot", "max_cost_usd": 1000}
    (fault,) = checked(config).errors
    assert fault.rule == "it cannot be kept: the price of a3-megagpu-8g is not known"


def test_a_reservation_ends_the_search_for_scarce_accelerators(checked: Checked) -> None:
    held = {"reservation_affinity_type": "ANY_RESERVATION"}
    assert checked({**CUSTOM, **SOUND, **RESERVED, **held}).faults == ()


@pytest.mark.parametrize("junk", [None, 7, "text", [], {}, [{"a": 1}], -1])
@pytest.mark.parametrize("config", [CUSTOM, STUDY], ids=["custom_job", "study"])
def test_nothing_that_is_written_stops_the_check(
    config: dict[str, Any], junk: Any, checked: Checked
) -> None:
    model = KINDS[config["kind"]]
    for field in model.model_fields:
        report = checked({**config, **SOUND, field: junk})
        assert all(fault.path for fault in report.faults), field
