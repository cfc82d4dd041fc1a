"""The part that all kinds of job share: machines, programs, scheduling, outputs, identity.

For ``bodies``. Source: CustomJobSpec, WorkerPoolSpec, Scheduling.
"""

from collections.abc import Sequence
from typing import Any

from vertex_jobs.names import SUBMISSION_PLACEHOLDER, GcsUri, ResourceName
from vertex_jobs.requests.places import Place
from vertex_jobs.requests.programs import program
from vertex_jobs.spec import (
    DnsPeeringConfig,
    JobSpec,
    LustreMount,
    NfsMount,
    WorkerPoolSpec,
)

__all__ = ["job_spec", "set_fields"]


def set_fields(**fields: Any) -> dict[str, Any]:
    """The fields that are not at their default: in canonical JSON the others are absent."""
    return {name: value for name, value in fields.items() if value}


def job_spec(
    job: JobSpec, place: Place, package_uris: Sequence[str], module: str
) -> dict[str, Any]:
    """The CustomJobSpec of a job.

    Args:
        job: The job.
        place: Where it is submitted.
        package_uris: ``gs://`` addresses of its package and wheels; empty without one.
        module: The package's module; empty without one.
    """
    return set_fields(
        workerPoolSpecs=_pools(job, package_uris, module),
        scheduling=_scheduling(job),
        serviceAccount=job.service_account,
        network=job.network,
        reservedIpRanges=list(job.reserved_ip_ranges),
        pscInterfaceConfig=_private_connection(job),
        baseOutputDirectory={"outputUriPrefix": _base_output_dir(job, place)},
        tensorboard=job.tensorboard,
        enableWebAccess=job.enable_web_access,
        enableDashboardAccess=job.enable_dashboard_access,
        experiment=_context(place, job.experiment),
        experimentRun=_context(place, job.experiment, job.experiment_run),
        persistentResourceId=job.persistent_resource_id,
        protectedArtifactLocationId=job.protected_artifact_location_id,
    )


def _pools(job: JobSpec, package_uris: Sequence[str], module: str) -> list[dict[str, Any]]:
    """Pools at their role's place; a role that nobody has is an empty pool."""
    pools = job.worker_pools_resolved()
    specs: list[dict[str, Any]] = [{} for _ in range(pools[-1].index + 1)]
    for pool in pools:
        specs[pool.index] = _pool(pool) | program(pool, package_uris, module)
    return specs


def _pool(pool: WorkerPoolSpec) -> dict[str, Any]:
    return set_fields(
        machineSpec=set_fields(
            machineType=pool.machine_type,
            acceleratorType=pool.accelerator_type,
            acceleratorCount=pool.accelerator_count,
            gpuPartitionSize=pool.gpu_partition_size,
            tpuTopology=pool.tpu_topology,
            reservationAffinity=_reservation(pool),
        ),
        replicaCount=str(pool.replica_count),
        nfsMounts=[_message(mount) for mount in pool.nfs_mounts],
        lustreMounts=[_message(mount) for mount in pool.lustre_mounts],
        diskSpec={
            "bootDiskType": pool.boot_disk_type,
            "bootDiskSizeGb": pool.boot_disk_size_gb,
        },
    )


def _reservation(pool: WorkerPoolSpec) -> dict[str, Any] | None:
    if pool.reservation_affinity is None:
        return None
    kind, key, values = pool.reservation_affinity
    return set_fields(reservationAffinityType=kind, key=key, values=list(values))


def _private_connection(job: JobSpec) -> dict[str, Any] | None:
    psc = job.psc_interface_config
    if psc is None:
        return None
    return set_fields(
        networkAttachment=psc.network_attachment,
        dnsPeeringConfigs=[_message(peering) for peering in psc.dns_peering_configs],
    )


def _message(spec: NfsMount | LustreMount | DnsPeeringConfig) -> dict[str, Any]:
    """A message whose fields are texts, in the API's spelling."""
    return {_camel(name): value for name, value in spec}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _scheduling(job: JobSpec) -> dict[str, Any]:
    wait = job.max_wait_duration
    return set_fields(
        timeout=f"{job.timeout}s" if job.timeout is not None else None,
        restartJobOnWorkerRestart=job.restart_job_on_worker_restart,
        strategy=job.scheduling_strategy.upper() if job.scheduling_strategy else None,
        disableRetries=job.disable_retries,
        maxWaitDuration=f"{wait}s" if wait is not None else None,
    )


def _base_output_dir(job: JobSpec, place: Place) -> str:
    if job.base_output_dir is not None:
        return job.base_output_dir
    return str(GcsUri.parse(place.staging_bucket).join("vertex-jobs", SUBMISSION_PLACEHOLDER))


def _context(place: Place, *names: str | None) -> str | None:
    """Full name of an experiment, or of a run, which is named after its experiment."""
    present = [name for name in names if name is not None]
    if not present or len(present) < len(names):
        return None
    if "/" in present[-1]:
        return present[-1]
    return str(
        ResourceName(
            place.project,
            place.location,
            "metadataStores",
            "default",
            "contexts",
            "-".join(name.rpartition("/")[2] for name in present),
        )
    )
