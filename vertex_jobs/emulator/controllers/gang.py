"""The replicas of one job, ready to start: their programs, their places, their environments."""

import hashlib
import json
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.images import parse_image
from vertex_jobs.emulator.controllers.machinery import Machinery
from vertex_jobs.emulator.controllers.packages import Package
from vertex_jobs.emulator.controllers.tasks import PoolTask, pool_task
from vertex_jobs.emulator.launcher import ReplicaSpec
from vertex_jobs.names import ResourceName
from vertex_jobs.runtime.cluster import ROLES, Cluster
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment

__all__ = ["Trial", "build_gang", "drift_line"]

#: Variables that the service sets and a job cannot override.
_SERVICE_PREFIXES = ("AIP_", "CLOUD_ML_", "TF_CONFIG", "CLUSTER_SPEC")


@dataclass(frozen=True)
class Trial:
    """What a trial adds to its job.

    Attributes:
        trial_id: ``"1"``, ``"2"``, ….
        arguments: Appended to the job's own, ``--id=value``.
        metric_file: Where cloudml-hypertune writes.
    """

    trial_id: str
    arguments: tuple[str, ...]
    metric_file: Path


def build_gang(
    machinery: Machinery, job: protos.Message, trial: Trial | None, *, fresh: bool
) -> list[ReplicaSpec]:
    """The job's replicas, the primary first.

    Args:
        machinery: The server's parts.
        job: The CustomJob.
        trial: Set when the job is a trial.
        fresh: Whether no replica may start from a warm parent.
    """
    pools = list(job.job_spec.worker_pool_specs)
    addresses = _addresses(pools)
    specs = []
    for number, pool in enumerate(pools):
        if pool.WhichOneof("task") is None:
            continue
        task = pool_task(pool, f"worker_pool_specs[{number}]")
        packages = [machinery.packages.get(uri) for uri in task.package_uris]
        for index in range(pool.replica_count):
            cluster = Cluster(
                addresses,
                ROLES[number],
                index,
                job=protos.to_json(job.job_spec),
                cloud_id=_host_name(job, number, index),
            )
            environment = _environment(machinery, job, pool, cluster, trial)
            specs.append(
                _replica(machinery, job, (number, index), task, packages, environment, trial, fresh)
            )
    return specs


def _addresses(pools: list[protos.Message]) -> dict[str, tuple[str, ...]]:
    """A free loopback port for every replica; it is closed again, for the script to bind."""
    counts = {
        ROLES[number]: pool.replica_count
        for number, pool in enumerate(pools)
        if pool.WhichOneof("task") is not None
    }
    reserved = [socket.create_server(("127.0.0.1", 0)) for _ in range(sum(counts.values()))]
    ports = iter([one.getsockname()[1] for one in reserved])
    for one in reserved:
        one.close()
    return {
        role: tuple(f"127.0.0.1:{next(ports)}" for _ in range(count))
        for role, count in counts.items()
    }


def _host_name(job: protos.Message, pool: int, index: int) -> str:
    """The name that the service gives the replica's machine; equal digits in all pools."""
    digits = hashlib.sha256(job.name.encode()).hexdigest()[:10]
    return f"cmle-training-workerpool{pool}-{digits}-{index}"


def _environment(
    machinery: Machinery,
    job: protos.Message,
    pool: protos.Message,
    cluster: Cluster,
    trial: Trial | None,
) -> Environment:
    name = ResourceName.parse(job.name)
    base = job.job_spec.base_output_directory.output_uri_prefix
    return Environment(
        directories=Directories.under(base) if base else None,
        cluster=cluster,
        trial_id=trial.trial_id if trial else None,
        metric_file=str(trial.metric_file) if trial else None,
        project_number=name.project,
        region=name.location,
        job_id=name.resource_id,
        accelerator_count=pool.machine_spec.accelerator_count,
    )


def _replica(
    machinery: Machinery,
    job: protos.Message,
    place: tuple[int, int],
    task: PoolTask,
    packages: list[Package],
    environment: Environment,
    trial: Trial | None,
    fresh: bool,
) -> ReplicaSpec:
    pool, index = place
    job_id = ResourceName.parse(job.name).resource_id
    folder = machinery.work_folder / job_id / f"workerpool{pool}-{index}"
    folder.mkdir(parents=True, exist_ok=True)
    image = parse_image(task.image)
    variables = machinery.variables() | _image_variables(task.image)
    variables |= {
        name: value for name, value in task.environment if not name.startswith(_SERVICE_PREFIXES)
    }
    variables |= environment.to_variables()
    variables["HOSTNAME"] = _host_name(job, pool, index)
    if image is not None and image.framework == "pytorch":
        variables |= _pytorch_variables(environment)
    return ReplicaSpec(
        replica_id=f"workerpool{pool}-{index}",
        interpreter=sys.executable,
        module=task.module,
        arguments=task.arguments + _trial_arguments(machinery, job_id, task, trial),
        search_path=tuple(str(package.root) for package in packages),
        environment=variables,
        working_directory=str(folder),
        preload=tuple(
            dict.fromkeys(name for package in packages for name in package.preload(task.module))
        ),
        warm=not fresh,
    )


def _trial_arguments(
    machinery: Machinery, job_id: str, task: PoolTask, trial: Trial | None
) -> tuple[str, ...]:
    """What the trial appends; said in the log when the program never sees it."""
    if trial is None or task.takes_trial_arguments:
        return trial.arguments if trial else ()
    machinery.service_line(
        job_id,
        f"The container's command does not pass its arguments on: {' '.join(trial.arguments)} "
        "never reach the script, on Vertex AI neither. Use a prebuilt image, or a command that "
        'ends in "$@".',
        "WARNING",
    )
    return ()


def _image_variables(image: str) -> dict[str, str]:
    """What stands for the image's own settings: Keras 2 for images of TensorFlow before 2.16."""
    prebuilt = parse_image(image)
    return {"TF_USE_LEGACY_KERAS": "1"} if prebuilt and prebuilt.has_legacy_keras else {}


def _pytorch_variables(environment: Environment) -> dict[str, str]:
    """What prebuilt PyTorch images set for torch.distributed."""
    cluster = environment.cluster
    assert cluster is not None
    hosts = [host for role in ROLES[:2] for host in cluster.addresses.get(role, ())]
    address, _, port = hosts[0].rpartition(":")
    offset = cluster.count("chief") if cluster.task_type == "worker" else 0
    return {
        "MASTER_ADDR": address,
        "MASTER_PORT": port,
        "RANK": str(offset + cluster.task_index),
        "WORLD_SIZE": str(len(hosts)),
    }


def drift_line(machinery: Machinery, job: protos.Message) -> str:
    """One line on how this machine differs from the job's first image; empty when unknown."""
    task = pool_task(job.job_spec.worker_pool_specs[0], "worker_pool_specs[0]")
    image = parse_image(task.image)
    here = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    parts = []
    if image is None:
        parts.append(f"image {task.image}: unknown to Local Vertex · here: {here}")
    else:
        version = ".".join(str(number) for number in image.version)
        framework = {"tf": "TensorFlow"}.get(image.framework, image.framework)
        there = ", ".join(
            part
            for part in (f"Python {image.python}" * bool(image.python), f"{framework} {version}")
            if part
        )
        parts.append(f"image: {there} · here: {here}{_framework_here(image.framework)}")
        if image.has_legacy_keras:
            parts.append("Keras 2, as TF_USE_LEGACY_KERAS=1 and tf_keras")
    drifted = [text for uri in task.package_uris for text in machinery.packages.get(uri).drift()]
    if drifted:
        parts.append(f"requirements: {json.dumps(drifted)[1:-1]}")
    return "; ".join(parts)


def _framework_here(framework: str) -> str:
    import importlib.metadata

    distribution = {"tf": "tensorflow", "pytorch": "torch", "sklearn": "scikit-learn"}.get(
        framework, framework
    )
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return f", no {distribution}"
    return f", {distribution} {version}"
