"""A job's resource back as the keys of a config: what ``bodies`` writes, read.

For what is made of a job that ran: its winner trained again, its study gone on with. The JSON may
come from either endpoint. Labels and output directory of the submission are not the job's own, so
they are left out.

Source: CustomJob, CustomJobSpec, WorkerPoolSpec, Scheduling, HyperparameterTuningJob.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs.names import CONTENT_LABEL, SUBMISSION_LABEL
from vertex_jobs.requests.reading_studies import read_study_spec
from vertex_jobs.spec.arguments import tokens
from vertex_jobs.spec.machines import DEFAULT_DISK_GB, HYPERDISK_MACHINES
from vertex_jobs.spec.pools import ROLES

__all__ = ["read_arguments", "read_job"]

_TOKEN = re.compile(r"--(?P<key>[^\s=-][^\s=]*)=(?P<value>.*)", re.DOTALL)


def read_job(resource: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a CustomJob or HyperparameterTuningJob in the API's JSON.

    A package stays where it lies: the config names its ``python_package_gcs_uri``.
    """
    own = {SUBMISSION_LABEL, CONTENT_LABEL}
    labels = {key: value for key, value in resource.get("labels", {}).items() if key not in own}
    config: dict[str, Any] = {"display_name": resource.get("displayName")}
    study = resource.get("studySpec")
    if study is None:
        config = {"kind": "custom_job", **config, **_job_spec(resource.get("jobSpec", {}))}
    else:
        config = {
            "kind": "hyperparameter_tuning_job",
            **config,
            **_job_spec(resource.get("trialJobSpec", {})),
            **read_study_spec(study),
            "max_trial_count": resource.get("maxTrialCount"),
            "parallel_trial_count": resource.get("parallelTrialCount"),
            "max_failed_trial_count": resource.get("maxFailedTrialCount"),
        }
    config["labels"] = labels
    config["encryption_spec_key_name"] = resource.get("encryptionSpec", {}).get("kmsKeyName")
    return _present(config)


def read_arguments(given: Sequence[str]) -> dict[str, Any] | list[str]:
    """Tokens as the mapping that gives them, or as they are where no mapping does."""
    import yaml

    found: dict[str, Any] = {}
    for token in given:
        match = _TOKEN.fullmatch(token)
        if match is None or match["key"] in found:
            return list(given)
        text = match["value"]
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            value = text
        # A number or truth value only if it gives the same text again: not for 007 or True.
        plain = isinstance(value, (bool, int, float)) and tokens([value]) == (text,)
        found[match["key"]] = value if plain else text
    return found


def _job_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    scheduling = spec.get("scheduling", {})
    strategy = scheduling.get("strategy")
    config = {
        **_pools(spec.get("workerPoolSpecs", ())),
        "timeout": _seconds(scheduling.get("timeout")),
        "restart_job_on_worker_restart": scheduling.get("restartJobOnWorkerRestart"),
        "disable_retries": scheduling.get("disableRetries"),
        "scheduling_strategy": strategy.lower() if isinstance(strategy, str) else None,
        "max_wait_duration": _seconds(scheduling.get("maxWaitDuration")),
        "service_account": spec.get("serviceAccount"),
        "network": spec.get("network"),
        "reserved_ip_ranges": spec.get("reservedIpRanges"),
        "psc_interface_config": _snake(spec.get("pscInterfaceConfig")),
        "enable_web_access": spec.get("enableWebAccess"),
        "enable_dashboard_access": spec.get("enableDashboardAccess"),
        "tensorboard": spec.get("tensorboard"),
        "experiment": spec.get("experiment"),
        "experiment_run": spec.get("experimentRun"),
        "persistent_resource_id": spec.get("persistentResourceId"),
        "protected_artifact_location_id": spec.get("protectedArtifactLocationId"),
    }
    return _present(config)


def _pools(specs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The short form where the workers are as the chief, else each pool by itself."""
    pools = [_pool(spec) if spec else {} for spec in specs]
    counts = [pool.pop("replica_count", 1) for pool in pools]
    if len(pools) == 1 or (len(pools) == 2 and pools[0] == pools[1]):
        return {**pools[0], "replica_count": sum(counts) if len(pools) == 2 else None}
    written = zip(ROLES, pools, counts, strict=False)
    return {
        "worker_pools": {role: {**pool, "replica_count": n} for role, pool, n in written if pool}
    }


def _pool(spec: Mapping[str, Any]) -> dict[str, Any]:
    machine, disk = spec.get("machineSpec", {}), spec.get("diskSpec", {})
    reservation = machine.get("reservationAffinity", {})
    default_disk = (
        "hyperdisk-balanced" if machine.get("machineType") in HYPERDISK_MACHINES else "pd-ssd"
    )
    disk_type, size = disk.get("bootDiskType"), int(disk.get("bootDiskSizeGb", DEFAULT_DISK_GB))
    package, container = spec.get("pythonPackageSpec", {}), spec.get("containerSpec", {})
    program = package or container
    config = {
        "container_uri": package.get("executorImageUri") or container.get("imageUri"),
        "python_package_gcs_uri": package.get("packageUris"),
        "python_module_name": package.get("pythonModule"),
        "command": container.get("command"),
        "args": read_arguments(program.get("args", ())),
        "environment_variables": {
            one["name"]: one.get("value", "") for one in program.get("env", ())
        },
        "machine_type": machine.get("machineType"),
        "accelerator_type": machine.get("acceleratorType"),
        "accelerator_count": machine.get("acceleratorCount"),
        "gpu_partition_size": machine.get("gpuPartitionSize"),
        "tpu_topology": machine.get("tpuTopology"),
        "reservation_affinity_type": reservation.get("reservationAffinityType"),
        "reservation_affinity_key": reservation.get("key"),
        "reservation_affinity_values": reservation.get("values"),
        "boot_disk_type": None if disk_type == default_disk else disk_type,
        "boot_disk_size_gb": None if size == DEFAULT_DISK_GB else size,
        "nfs_mounts": _snake(spec.get("nfsMounts")),
        "lustre_mounts": _snake(spec.get("lustreMounts")),
        "replica_count": int(spec.get("replicaCount", 1)),
    }
    return _present(config)


def _seconds(text: str | None) -> int | None:
    return None if text is None else int(float(text.removesuffix("s")))


def _present(config: Mapping[str, Any]) -> dict[str, Any]:
    """Without what says nothing; a wait of 0 seconds says something."""
    return {
        key: value
        for key, value in config.items()
        if value not in (None, "", [], (), {}, False) or (key == "max_wait_duration" and value == 0)
    }


def _snake(value: Any) -> Any:
    """Keys in the spelling of configs, all the way down."""
    if isinstance(value, Mapping):
        return {
            re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", key): _snake(one)
            for key, one in value.items()
        }
    return [_snake(one) for one in value] if isinstance(value, (list, tuple)) else value
