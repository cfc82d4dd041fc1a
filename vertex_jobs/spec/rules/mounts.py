"""Rules on file servers and on private connections.

For the table in ``rules``. Whether a server answers is not checked.

Source: NfsMount, LustreMount, DnsPeeringConfig.
"""

import re
from collections.abc import Iterator, Sequence

from vertex_jobs.errors import Fault
from vertex_jobs.spec.attachments import LustreMount, NfsMount, PscInterfaceConfig
from vertex_jobs.spec.pools import ROLES, WorkerPools

_ATTACHMENT = re.compile(r"projects/[^/]+/regions/[^/]+/networkAttachments/[^/]+|[a-z0-9-]+")


def _mounts(
    nfs_mounts: Sequence[NfsMount],
    lustre_mounts: Sequence[LustreMount],
    worker_pools: WorkerPools | None,
) -> Iterator[Fault]:
    yield from _mount_faults("", nfs_mounts, lustre_mounts)
    for role in ROLES:
        pool = getattr(worker_pools, role, None)
        if pool is not None:
            prefix = f"worker_pools.{role}."
            yield from _mount_faults(prefix, pool.nfs_mounts or (), pool.lustre_mounts or ())


def _mount_faults(
    prefix: str, nfs_mounts: Sequence[NfsMount], lustre_mounts: Sequence[LustreMount]
) -> Iterator[Fault]:
    for number, mount in enumerate(nfs_mounts):
        if not mount.path.startswith("/"):
            path = f"{prefix}nfs_mounts.{number}.path"
            yield Fault(path, mount.path, "starts at the server's root", f"write /{mount.path}")
    for field, root, mounts in (
        ("nfs_mounts", "/mnt/nfs/", nfs_mounts),
        ("lustre_mounts", "/mnt/lustre/", lustre_mounts),
    ):
        seen: list[str] = []
        for number, point in enumerate(mount.mount_point for mount in mounts):
            path = f"{prefix}{field}.{number}.mount_point"
            if point.startswith("/"):
                name = point.removeprefix(root).strip("/") or "data"
                yield Fault(path, point, f"is a name below {root}", f"write {name}")
            if point in seen:
                yield Fault(path, point, "is taken by another mount", "choose another name")
            seen.append(point)


def _private_connection(
    psc_interface_config: PscInterfaceConfig | None, network: str | None
) -> Iterator[Fault]:
    psc = psc_interface_config
    if psc is None:
        return
    path = "psc_interface_config"
    if network is not None:
        rule = "is another way to the network than peering"
        yield Fault("network", network, f"{rule} by {path}", "remove network or " + path)
    if not _ATTACHMENT.fullmatch(psc.network_attachment):
        remedy = "write projects/PROJECT/regions/REGION/networkAttachments/NAME, or the name"
        rule = "must name a network attachment"
        yield Fault(f"{path}.network_attachment", psc.network_attachment, rule, remedy)
    for number, peering in enumerate(psc.dns_peering_configs):
        if not peering.domain.endswith("."):
            where = f"{path}.dns_peering_configs.{number}.domain"
            yield Fault(where, peering.domain, "ends in a dot", f"write {peering.domain}.")


ATTACHMENT_RULES = (_mounts, _private_connection)
