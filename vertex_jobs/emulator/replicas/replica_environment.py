"""The environment of one replica: what the service sets, what the image sets, what the job sets.

The same for the replicas of a job and for the one that ``run --debug`` starts in a terminal. Where
the service has a value of its own, it wins over the job's, and the job's log says so; where it has
none, the job's stands. Which variables there are is decided by ``vertex_jobs.runtime``, which reads
them with the same class.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vertex_jobs.catalog.container_images import ImageContents, parse_image
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.replicas.accelerators import variables_for
from vertex_jobs.emulator.replicas.tasks import PoolTask
from vertex_jobs.names import ResourceName
from vertex_jobs.runtime.cluster import ROLES, Cluster
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment

_LOOPBACK = "127.0.0.1"
#: Of the threads within an operation alone: operations that wait for another process each hold a
#: thread of the other pool, and one too few of these is a deadlock.
_THREADS = "TF_NUM_INTRAOP_THREADS"


@dataclass(frozen=True)
class Trial:
    """The part of a replica's environment that a trial adds to its job's.

    Attributes:
        arguments: Appended to the job's own, ``--id=value``.
        metric_folder: Above the folder of each replica's metric file.
        parallel: Trials of the study that run at once, this one included.
    """

    trial_id: str
    arguments: tuple[str, ...]
    metric_folder: Path
    parallel: int

    def metric_file(self, replica_id: str) -> Path:
        """Return the file in which one replica reports, alone in its folder.

        On Vertex AI each has it on its own disk, at the same path.
        """
        return self.metric_folder / replica_id / "output.metrics"


@dataclass(frozen=True)
class JobEnvironment:
    """The environment of one job's replicas.

    Attributes:
        name: Of the job that was created: of a trial, its tuning job.
        addresses: ``host:port`` of every replica by role.
        surroundings: What every replica on this machine gets, and a job may change.
        data: Lead to the dataset that a pipeline exported for the job.
        has_accelerators: Whether this machine has GPUs; where it has none their count is announced.
    """

    name: ResourceName
    spec: protos.Message
    trial: Trial | None
    addresses: Mapping[str, tuple[str, ...]]
    surroundings: Mapping[str, str]
    has_accelerators: bool
    data: Mapping[str, str] = field(default_factory=dict)

    def arguments(self, task: PoolTask) -> tuple[str, ...]:
        """Return the arguments of a pool's program, a trial's included."""
        more = self.trial.arguments if self.trial and task.takes_trial_arguments else ()
        return task.arguments + more

    def variables(
        self,
        task: PoolTask,
        number: int,
        index: int,
        *,
        host_name: str,
        place: Mapping[str, str],
        devices: Sequence[str],
    ) -> dict[str, str]:
        """Return all variables of a replica, the one at ``index`` of pool ``number``.

        ``place`` holds what the place where it runs needs, e.g. PATH of an isolated environment.
        Exactly the ``devices`` are visible, and perhaps none.
        """
        service = self._service(number, index, host_name)
        return {
            **self.surroundings,
            **_threads(sum(map(len, self.addresses.values())) * self._parallel),
            **place,
            **_of_image(parse_image(task.image), service),
            **dict(task.environment),
            **(variables_for(devices) if self.has_accelerators else {}),
            **self._of_service(service, host_name),
        }

    def overridden(self, task: PoolTask, number: int) -> list[str]:
        """Return those variables of a pool's job that lose against values of the service's."""
        service = self._of_service(self._service(number, 0, ""), "")
        return [name for name in dict(task.environment) if name in service]

    def _of_service(self, service: Environment, host_name: str) -> dict[str, str]:
        return {**self.data, **service.to_variables(), "HOSTNAME": host_name}

    @property
    def _parallel(self) -> int:
        return self.trial.parallel if self.trial else 1

    def _program(self, number: int) -> str:
        pool = self.spec.worker_pool_specs[number]
        if pool.WhichOneof("task") != "python_package_spec":
            return program_text("", (), ())
        package, more = pool.python_package_spec, self.trial.arguments if self.trial else ()
        return program_text(package.python_module, package.package_uris, (*package.args, *more))

    def _service(self, number: int, index: int, host_name: str) -> Environment:
        base = self.spec.base_output_directory.output_uri_prefix
        count = self.spec.worker_pool_specs[number].machine_spec.accelerator_count
        replica_id = f"workerpool{number}-{index}"
        return Environment(
            directories=Directories.under(base) if base else None,
            cluster=Cluster(
                self.addresses, ROLES[number], index, self._program(number), cloud_id=host_name
            ),
            trial_id=self.trial.trial_id if self.trial else None,
            metric_file=str(self.trial.metric_file(replica_id)) if self.trial else None,
            project_number=self.name.project,
            region=self.name.location,
            job_id=self.name.resource_id,
            accelerator_count=0 if self.has_accelerators else count,
        )


def program_text(module: str, package_uris: Sequence[str], arguments: Sequence[str]) -> str:
    """Return a package's program as the service's runner spells it; a container's is all empty.

    Source: google-cloud-aiplatform, test_cloud_profiler.py; published log of a job, February 2026.
    """
    described = {
        "python_module": module,
        "package_uris": list(package_uris),
        "job_args": list(arguments),
    }
    return json.dumps(described, separators=(",", ":")).replace("=", "\\u003d")


def loopback_addresses(
    counts: Mapping[str, int], ports: Iterable[int]
) -> dict[str, tuple[str, ...]]:
    """Return an address for every replica's own server, by role."""
    left = iter(ports)
    return {
        role: tuple(f"{_LOOPBACK}:{next(left)}" for _ in range(count))
        for role, count in counts.items()
    }


def _threads(processes: int) -> dict[str, str]:
    """Return how many threads TensorFlow may use in each of the processes that share this machine.

    On Vertex AI each replica has a machine of its own; here two that each take every core only wait
    for each other. What a job's ``env`` or the script itself sets wins.
    """
    if processes == 1:
        return {}
    cores = len(os.sched_getaffinity(0))
    return {_THREADS: str(max(1, cores // processes))}


def _of_image(image: ImageContents | None, service: Environment) -> dict[str, str]:
    if image is None:
        return {}
    if image.has_legacy_keras:
        return {"TF_USE_LEGACY_KERAS": "1"}
    return _of_pytorch(service) if image.framework == "pytorch" else {}


def _of_pytorch(service: Environment) -> dict[str, str]:
    """Return what prebuilt PyTorch images set for torch.distributed: chief first, then workers.

    Parameter servers and evaluators are no part of the process group and get none of them.
    """
    cluster = service.cluster
    assert cluster is not None
    if cluster.task_type not in ROLES[:2]:
        return {}
    hosts = [host for role in ROLES[:2] for host in cluster.addresses.get(role, ())]
    address, _, port = hosts[0].rpartition(":")
    offset = cluster.count("chief") if cluster.task_type == "worker" else 0
    return {
        "MASTER_ADDR": address,
        "MASTER_PORT": port,
        "RANK": str(offset + cluster.task_index),
        "WORLD_SIZE": str(len(hosts)),
    }
