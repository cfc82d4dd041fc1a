"""The part that all kinds of job share: machines, programs, scheduling, outputs, identity.

For ``bodies``. Source: CustomJobSpec, WorkerPoolSpec, ContainerSpec, PythonPackageSpec, Scheduling.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.catalog.container_images import is_prebuilt
from vertex_jobs.requests.codecs import (
    INT64,
    ITEMS,
    RECORD,
    RECORDS,
    SECONDS,
    Codec,
    enum,
)
from vertex_jobs.requests.mapping import (
    Message,
    MessageTable,
    choice,
    field,
    inner,
    pairs,
    special,
)
from vertex_jobs.spec import WorkerPoolSpec
from vertex_jobs.spec.argument_forms import read_tokens
from vertex_jobs.spec.machine_fields import DEFAULT_DISK_GB
from vertex_jobs.spec.pools import ROLES

ENVIRONMENT = MessageTable("EnvVar", field("name", "_name"), field("value", "_value", absent=""))
_ARGS = field("args", "args", Codec(encode=list, decode=read_tokens))
_ENV = pairs("env", "environment_variables", ENVIRONMENT)

_PYTHON_PACKAGE_SPEC = MessageTable(
    "PythonPackageSpec",
    field("executorImageUri", "container_uri"),
    field("packageUris", "python_package_gcs_uri", ITEMS),
    field("pythonModule", "python_module_name"),
    _ARGS,
    _ENV,
)
_CONTAINER_SPEC = MessageTable(
    "ContainerSpec",
    field("imageUri", "container_uri"),
    field("command", "command", ITEMS),
    _ARGS,
    _ENV,
)
_RESERVATION_AFFINITY = MessageTable(
    "ReservationAffinity",
    field("reservationAffinityType", "reservation_affinity_type"),
    field("key", "reservation_affinity_key"),
    field("values", "reservation_affinity_values", ITEMS),
)
_MACHINE_SPEC = MessageTable(
    "MachineSpec",
    field("machineType", "machine_type"),
    field("acceleratorType", "accelerator_type"),
    field("acceleratorCount", "accelerator_count"),
    field("gpuPartitionSize", "gpu_partition_size"),
    field("tpuTopology", "tpu_topology"),
    inner("reservationAffinity", _RESERVATION_AFFINITY),
)
_DISK_SPEC = MessageTable(
    "DiskSpec",
    field("bootDiskType", "boot_disk_type"),
    field("bootDiskSizeGb", "boot_disk_size_gb"),
)
_WORKER_POOL_SPEC = MessageTable(
    "WorkerPoolSpec",
    inner("machineSpec", _MACHINE_SPEC),
    field("replicaCount", "replica_count", INT64),
    field("nfsMounts", "nfs_mounts", RECORDS),
    field("lustreMounts", "lustre_mounts", RECORDS),
    inner("diskSpec", _DISK_SPEC),
    choice(
        ("python_package_gcs_uri", inner("pythonPackageSpec", _PYTHON_PACKAGE_SPEC)),
        ("", inner("containerSpec", _CONTAINER_SPEC)),
    ),
)


def sent_pools(
    pools: Sequence[WorkerPoolSpec], package_uris: Sequence[str], module: str
) -> list[dict[str, Any]]:
    """Return the pools' keys at their role's place; a role that nobody has is an empty pool.

    The pools come in role order. One that runs the job's script runs its package instead. A package
    runs in a prebuilt image as such, in any other by a command: executors are prebuilt images.
    Without a package there are no URIs, the private wheels' among them, and no module.

    Source: PythonPackageSpec, ``executorImageUri``.
    """
    sent: list[dict[str, Any]] = [{} for _ in range(pools[-1].index + 1)]
    for pool in pools:
        uris, name = pool.python_package_gcs_uri, pool.python_module_name
        if pool.runs_package:
            uris, name = tuple(package_uris), module
        program: dict[str, Any] = {"python_package_gcs_uri": uris, "python_module_name": name}
        if uris and not is_prebuilt(pool.container_uri):
            program = {"command": container_command(uris, name), "python_package_gcs_uri": ()}
        sent[pool.index] = {**vars(pool), **program}
    return sent


def container_command(package_uris: Sequence[str], module: str) -> list[str]:
    """Return the command by which an image of the user's installs the package and runs its module.

    The bucket is mounted under ``/gcs`` in every job. The arguments, and those that a trial adds,
    follow as ``args`` and reach the module through ``"$@"``, so the shell reads no character of
    them; the SDK joins them into the command, which splits them at white space and loses a trial's.
    ``exec`` lets the module receive the container's signals. The variable permits pip to install
    into an image whose Python is marked as externally managed; older pips ignore it.
    """
    archives = shlex.join(uri.replace("gs://", "/gcs/", 1) for uri in package_uris)
    install = f"PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --quiet {archives}"
    return ["sh", "-c", f'{install} && exec python3 -m {shlex.quote(module)} "$@"', module]


def _write_pools(pools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_WORKER_POOL_SPEC.encode(pool) if pool else {} for pool in pools]


def _read_pools(messages: Sequence[Message]) -> dict[str, Any]:
    """Return one pool, or two alike, in the short form; else each by itself."""
    pools = {
        role: _read_pool(message)
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


def _read_pool(message: Message) -> dict[str, Any]:
    """Return the keys of a pool, without the disk that its machine has anyway."""
    pool = _WORKER_POOL_SPEC.decode(message)
    usual = catalog.load().boot_disk_of(pool.get("machine_type", ""))
    disk = {"boot_disk_type": usual, "boot_disk_size_gb": DEFAULT_DISK_GB}
    return {key: value for key, value in pool.items() if key not in disk or value != disk[key]}


_SCHEDULING = MessageTable(
    "Scheduling",
    field("timeout", "timeout", SECONDS),
    field("restartJobOnWorkerRestart", "restart_job_on_worker_restart"),
    field("strategy", "scheduling_strategy", enum()),
    field("disableRetries", "disable_retries"),
    field("maxWaitDuration", "max_wait_duration", SECONDS),
)
GCS_DESTINATION = MessageTable("GcsDestination", field("outputUriPrefix", "base_output_dir"))
CUSTOM_JOB_SPEC = MessageTable(
    "CustomJobSpec",
    special("workerPoolSpecs", "worker_pools", _write_pools, _read_pools, {_WORKER_POOL_SPEC: ""}),
    inner("scheduling", _SCHEDULING),
    field("serviceAccount", "service_account"),
    field("network", "network"),
    field("reservedIpRanges", "reserved_ip_ranges", ITEMS),
    field("pscInterfaceConfig", "psc_interface_config", RECORD),
    inner("baseOutputDirectory", GCS_DESTINATION),
    field("tensorboard", "tensorboard"),
    field("enableWebAccess", "enable_web_access"),
    field("enableDashboardAccess", "enable_dashboard_access"),
    field("experiment", "experiment"),
    field("experimentRun", "experiment_run"),
    field("persistentResourceId", "persistent_resource_id"),
    field("protectedArtifactLocationId", "protected_artifact_location_id"),
)
