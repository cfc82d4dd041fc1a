"""The YAML that gcloud takes, read as a config.

For ``loading``, which knows such a file by its keys: a CustomJobSpec, as in ``gcloud ai custom-jobs
create --config``, or a HyperparameterTuningJob, as in ``gcloud ai hp-tuning-jobs create --config``.
What gcloud is told by flags, ``--set`` tells here. Nothing is dropped: a key that no config can say
is a fault.

Source: CustomJob, CustomJobSpec, HyperparameterTuningJob, StudySpec.
"""

from collections.abc import Mapping
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.job_kinds import CUSTOM_JOB, TUNING_JOB
from vertex_jobs.names import CONTENT_LABEL, SUBMISSION_LABEL
from vertex_jobs.spec.arguments import read_tokens
from vertex_jobs.spec.gcloud_studies import read_study_spec
from vertex_jobs.spec.machines import DEFAULT_DISK_GB
from vertex_jobs.spec.messages import Message, lower, pair, seconds, snake, snakes, whole
from vertex_jobs.spec.pools import ROLES

__all__ = ["is_gcloud_form", "read_gcloud_form"]

_KEYS = ("workerPoolSpecs", "jobSpec", "trialJobSpec", "studySpec")


def is_gcloud_form(written: Mapping[str, Any]) -> bool:
    """Whether a mapping is in the API's form and not a config."""
    return "kind" not in written and any(key in written for key in _KEYS)


def read_gcloud_form(written: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """The keys of a config, and the faults of what none can say."""
    top = Message(written, "", [])
    config: dict[str, Any] = {}
    if "trialJobSpec" in written or "studySpec" in written:
        config["kind"] = TUNING_JOB.name
    else:
        config["kind"] = CUSTOM_JOB.name
    config |= top.named("displayName", "display_name")
    labels = top.take("labels") or {}
    if isinstance(labels, Mapping):
        labels = {k: v for k, v in labels.items() if k not in (SUBMISSION_LABEL, CONTENT_LABEL)}
    config |= {"labels": labels} if labels else {}
    config |= _renamed(top.message("encryptionSpec"), kmsKeyName="encryption_spec_key_name")
    if config["kind"] == TUNING_JOB.name:
        config |= _job_spec(top.message("trialJobSpec"))
        config |= read_study_spec(top.message("studySpec"))
        # gcloud's own default for both.
        config |= {"max_trial_count": 1, "parallel_trial_count": 1}
        for name in ("maxTrialCount", "parallelTrialCount", "maxFailedTrialCount"):
            config |= top.named(name, snake(name))
    else:
        config |= _job_spec(top if "jobSpec" not in written else top.message("jobSpec"))
    top.close()
    return config, top.faults


def _renamed(message: Message, **names: str) -> dict[str, Any]:
    """Fields of a message, all of them, under a config's keys."""
    found: dict[str, Any] = {}
    for name, key in names.items():
        found |= message.named(name, key)
    message.close()
    return found


def _job_spec(spec: Message) -> dict[str, Any]:
    config = _pools(spec)
    scheduling = spec.message("scheduling")
    config |= scheduling.named("timeout", "timeout", seconds)
    config |= scheduling.named("strategy", "scheduling_strategy", lower)
    config |= scheduling.named("maxWaitDuration", "max_wait_duration", seconds)
    for name in ("restartJobOnWorkerRestart", "disableRetries"):
        config |= scheduling.named(name, snake(name))
    scheduling.close()
    config |= _renamed(spec.message("baseOutputDirectory"), outputUriPrefix="base_output_dir")
    if "pscInterfaceConfig" in spec.fields:
        config["psc_interface_config"] = snakes(spec.take("pscInterfaceConfig"))
    for name in (
        "serviceAccount",
        "network",
        "reservedIpRanges",
        "tensorboard",
        "enableWebAccess",
        "enableDashboardAccess",
        "experiment",
        "experimentRun",
        "persistentResourceId",
        "protectedArtifactLocationId",
    ):
        config |= spec.named(name, snake(name))
    if spec.path:
        spec.close()
    return config


def _pools(spec: Message) -> dict[str, Any]:
    """One pool, or two alike, in the short form; else each by itself."""
    messages = spec.messages("workerPoolSpecs")
    pools = {
        role: _pool(message)
        for role, message in zip(ROLES, messages, strict=False)
        if message.fields
    }
    for message in messages[len(ROLES) :]:
        message.close()
    counts = {role: pool.pop("replica_count", 1) for role, pool in pools.items()}
    chief, workers = pools.get("chief"), pools.get("workers")
    alike = chief is not None and pools.keys() <= {"chief", "workers"} and workers in (None, chief)
    if chief is not None and alike and counts["chief"] == 1:
        replicas = sum(counts.values()) if all(isinstance(n, int) for n in counts.values()) else 1
        return chief | ({"replica_count": replicas} if replicas != 1 else {})
    return {
        "worker_pools": {
            role: pool | ({"replica_count": counts[role]} if counts[role] != 1 else {})
            for role, pool in pools.items()
        }
    }


def _pool(message: Message) -> dict[str, Any]:
    machine = message.message("machineSpec")
    pool: dict[str, Any] = {}
    for name in (
        "machineType",
        "acceleratorType",
        "acceleratorCount",
        "gpuPartitionSize",
        "tpuTopology",
    ):
        pool |= machine.named(name, snake(name))
    pool |= _renamed(
        machine.message("reservationAffinity"),
        reservationAffinityType="reservation_affinity_type",
        key="reservation_affinity_key",
        values="reservation_affinity_values",
    )
    machine.close()
    pool |= message.named("replicaCount", "replica_count", whole)
    pool |= _program(message)
    disk = _renamed(
        message.message("diskSpec"),
        bootDiskType="boot_disk_type",
        bootDiskSizeGb="boot_disk_size_gb",
    )
    usual = catalog.load().boot_disk_of(pool.get("machine_type", ""))
    defaults = {"boot_disk_type": usual, "boot_disk_size_gb": DEFAULT_DISK_GB}
    pool |= {key: value for key, value in disk.items() if value != defaults[key]}
    for name in ("nfsMounts", "lustreMounts"):
        pool |= message.named(name, snake(name), snakes)
    message.close()
    return pool


def _program(message: Message) -> dict[str, Any]:
    program: dict[str, Any] = {}
    for field, names in (
        (
            "pythonPackageSpec",
            {
                "executorImageUri": "container_uri",
                "packageUris": "python_package_gcs_uri",
                "pythonModule": "python_module_name",
            },
        ),
        ("containerSpec", {"imageUri": "container_uri", "command": "command"}),
    ):
        spec = message.message(field)
        for name, key in names.items():
            program |= spec.named(name, key)
        program |= spec.named("args", "args", read_tokens)
        variables = dict(
            pair(variable, "name", "value", lambda value: value or "")
            for variable in spec.messages("env")
        )
        program |= {"environment_variables": variables} if variables else {}
        spec.close()
    return program
