"""Values that the service adds to a custom job: boot disks, replicas' names, web shells, its log.

Only those that it was seen to add: other defaults are not echoed.
Source: GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob;
GoogleCloudPlatform/vertex-ai-samples, notebooks/community/migration/UJ11, saved answer, of the
trials of a tuning job; GoogleCloudPlatform/vertex-ai-samples, history of
sdk_pytorch_torchrun_custom_container_training_imagenet.ipynb.
"""

import hashlib
from collections.abc import Iterator
from urllib.parse import quote

from vertex_jobs import catalog
from vertex_jobs.emulator import protos
from vertex_jobs.names import ResourceName, location_of

#: Digits before the location in the host of a web shell.
_SHELL_DIGITS = 16
_SHELL_HOST = "{}-dot-{}.aiplatform-training.googleusercontent.com"


def fill_boot_disks(spec: protos.Message) -> None:
    """Give each used pool of a CustomJobSpec the boot disk that it did not ask for."""
    for pool in spec.worker_pool_specs:
        if pool.WhichOneof("task") is None:
            continue
        disk = pool.disk_spec
        disk.boot_disk_type = disk.boot_disk_type or _disk_of(pool.machine_spec.machine_type)
        disk.boot_disk_size_gb = (
            disk.boot_disk_size_gb or catalog.load().limits.boot_disk_gb_default
        )


def _disk_of(machine_type: str) -> str:
    disks = catalog.load().boot_disks
    own = [name for name, disk in disks.items() if machine_type in disk.machines]
    return (own or [name for name, disk in disks.items() if disk.is_default])[0]


def web_access_uris(job: protos.Message) -> Iterator[tuple[str, str]]:
    """Yield replica and address of each web shell, in the order in which they become known.

    Nothing answers there: no host of that name is this machine's.
    """
    if not job.job_spec.enable_web_access:
        return
    location = location_of(job.name.partition("/customJobs/")[0])
    pools = list(enumerate(job.job_spec.worker_pool_specs))
    for number, pool in reversed(pools):
        for index in range(pool.replica_count):
            replica = f"workerpool{number}-{index}"
            digest = hashlib.sha256(f"{job.name}/{replica}".encode()).hexdigest()
            yield replica, _SHELL_HOST.format(digest[:_SHELL_DIGITS], location)


def replica_ids(spec: protos.Message) -> list[str]:
    """Return the name of each replica of a CustomJobSpec, the chief's first."""
    return [
        f"workerpool{number}-{index}"
        for number, pool in enumerate(spec.worker_pool_specs)
        for index in range(pool.replica_count)
    ]


def console_log(name: ResourceName) -> str:
    """Return the address of a custom job's log in the console, as errors name it.

    Source: log of a real job, February 2026, public text, source not named.
    """
    job_id = name.resource_id
    shown = quote(f'resource.type="ml_job"\nresource.labels.job_id="{job_id}"', safe="")
    return (
        f"https://console.cloud.google.com/logs/viewer?project={name.project}"
        f"&resource={quote(f'ml_job/job_id/{job_id}', safe='')}&advancedFilter={shown}"
    )
