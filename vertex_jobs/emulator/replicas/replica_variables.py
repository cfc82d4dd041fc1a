"""The variables of one replica: what the service sets, what the image sets, what the job sets.

The service's own always win; a job that tries to set one is told so in its log. Which variables
there are is decided by ``vertex_jobs.runtime``, which reads them with the same class.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vertex_jobs.catalog.container_images import ImageName
from vertex_jobs.runtime.cluster import ROLES
from vertex_jobs.runtime.environment import Environment

__all__ = ["Variables", "overridden"]

#: Names that the service sets; a job cannot override them, not even those that are unset here.
_SERVICE_PREFIXES = ("AIP_", "CLOUD_ML_")
_SERVICE_NAMES = ("CLUSTER_SPEC", "HOSTNAME", "TF_CONFIG")


@dataclass(frozen=True)
class Variables:
    """Layers of a replica's environment, the last one winning.

    Attributes:
        surroundings: What all replicas of this server share.
        image: The prebuilt image, if it is one.
        job: The pool's ``env``.
        place: What the place where it runs needs, e.g. PATH of an isolated environment.
        devices: What shows it its accelerators.
        service: What the service tells it.
        host_name: The name of its machine.
    """

    surroundings: Mapping[str, str]
    image: ImageName | None
    job: Mapping[str, str]
    place: Mapping[str, str]
    devices: Mapping[str, str]
    service: Environment
    host_name: str

    def render(self) -> dict[str, str]:
        """All of them."""
        own = {name: text for name, text in self.job.items() if not _is_services(name)}
        rendered = {**self.surroundings, **self.place, **_of_image(self.image, self.service)}
        return {
            **rendered,
            **own,
            **self.devices,
            **self.service.to_variables(),
            "HOSTNAME": self.host_name,
        }


def overridden(names: Iterable[str]) -> list[str]:
    """Those variables of a job that lose against the service's."""
    return [name for name in names if _is_services(name)]


def _is_services(name: str) -> bool:
    return name.startswith(_SERVICE_PREFIXES) or name in _SERVICE_NAMES


def _of_image(image: ImageName | None, service: Environment) -> dict[str, str]:
    """What stands for the image's own settings."""
    if image is None:
        return {}
    if image.has_legacy_keras:
        return {"TF_USE_LEGACY_KERAS": "1"}
    return _of_pytorch(service) if image.framework == "pytorch" else {}


def _of_pytorch(service: Environment) -> dict[str, str]:
    """What prebuilt PyTorch images set for torch.distributed: chief first, then the workers.

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
