"""Worker pools: as written, and resolved to what each pool of the request needs.

For ``JobSpec`` and everything that asks which machines a job takes. Which machine takes which
accelerator is a rule of the catalog.

Source: WorkerPoolSpec; documentation page "Distributed training".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import model_validator

from vertex_jobs import catalog
from vertex_jobs.catalog.container_images import is_reduction_server
from vertex_jobs.catalog.machine_rules import MachineUse
from vertex_jobs.spec.accelerator_shorthand import Accelerator, expand
from vertex_jobs.spec.argument_forms import Arguments, tokens
from vertex_jobs.spec.attachments import LustreMount, NfsMount
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Count, Gigabytes, Items, OneOrMore, Text, TextMap
from vertex_jobs.spec.machine_fields import (
    DEFAULT_DISK_GB,
    DEFAULT_MACHINE,
    AcceleratorType,
    DiskSize,
    DiskType,
    ReservationAffinityType,
)

Role = Literal["chief", "workers", "parameter_servers", "evaluators"]
#: Pools in the order of the API. Source: documentation page "Distributed training".
ROLES: tuple[Role, ...] = ("chief", "workers", "parameter_servers", "evaluators")


@dataclass(frozen=True)
class WorkerPoolSpec:
    """One pool with nothing left open; accelerators and the disk's size are those of one replica.

    Attributes:
        role: The task of its replicas, which decides the pool's place in the request.
        runs_package: Whether the replicas run the job's script.
        python_package_gcs_uri: Packages in Cloud Storage that they run instead; with neither, the
            image's own command.
        command: Replaces the image's entry point; empty to keep it.
        args: Tokens after the command or the module.
        gpu_partition_size: Into which each accelerator is split; None for whole ones.
        reservation_affinity_key: Label key of a specific reservation.
        reservation_affinity_values: Full names of specific reservations.
    """

    role: Role
    machine_type: str
    accelerator_type: str | None
    accelerator_count: int
    replica_count: int
    boot_disk_type: str
    boot_disk_size_gb: int
    container_uri: str
    runs_package: bool
    command: tuple[str, ...]
    args: tuple[str, ...]
    environment_variables: Mapping[str, str]
    python_package_gcs_uri: tuple[str, ...] = ()
    python_module_name: str = ""
    gpu_partition_size: str | None = None
    tpu_topology: str | None = None
    reservation_affinity_type: ReservationAffinityType | None = None
    reservation_affinity_key: str | None = None
    reservation_affinity_values: tuple[str, ...] = ()
    nfs_mounts: tuple[NfsMount, ...] = ()
    lustre_mounts: tuple[LustreMount, ...] = ()

    @property
    def machine_use(self) -> MachineUse:
        """The machines, in the form in which they are checked and priced."""
        return MachineUse(
            machine_type=self.machine_type,
            replica_count=self.replica_count,
            accelerator_type=self.accelerator_type or "",
            accelerator_count=self.accelerator_count,
            tpu_topology=self.tpu_topology or "",
            boot_disk_type=self.boot_disk_type,
            boot_disk_size_gb=self.boot_disk_size_gb,
        )

    @property
    def index(self) -> int:
        """The place in the request's list, 0 for the chief."""
        return ROLES.index(self.role)


@dataclass(frozen=True)
class PoolDefaults:
    """The settings of a job for each pool that has none of its own."""

    has_script: bool
    python_package_gcs_uri: tuple[str, ...]
    python_module_name: str | None
    container_uri: str | None
    command: tuple[str, ...]
    args: tuple[str, ...]
    environment_variables: Mapping[str, str]
    nfs_mounts: tuple[NfsMount, ...]
    lustre_mounts: tuple[LustreMount, ...]


class WorkerPool(Spec):
    """One pool of equal machines, as written.

    A pool runs the job's script with the job's image, arguments and variables, each of which it may
    replace. With a ``python_package_gcs_uri`` it runs that package, with a ``command`` or the
    Reduction Server's image it runs its image instead.
    """

    machine_type: Text = DEFAULT_MACHINE
    """Machine of each replica."""
    cpus: Count | None = None
    """The fewest vCPUs; with memory_gb they choose the cheapest machine if none is given."""
    memory_gb: Gigabytes | None = None
    """The least memory of that machine."""
    accelerator: Accelerator | None = None
    """Accelerator and count, as in T4:2, which chooses the machine if none is given."""
    accelerator_type: AcceleratorType | None = None
    """Accelerator of each replica, with accelerator_count."""
    accelerator_count: Count | None = None
    """Accelerators per replica."""
    gpu_partition_size: Text | None = None
    """Size of the parts of a split GPU, e.g. 1g.10gb."""
    tpu_topology: Text | None = None
    """Topology of TPUs from v5e on, e.g. 2x2."""
    reservation_affinity_type: ReservationAffinityType | None = None
    """Whether reserved machines are used."""
    reservation_affinity_key: Text | None = None
    """Label key of a specific reservation."""
    reservation_affinity_values: Items[Text] = ()
    """Full names of specific reservations."""
    replica_count: Count = 1
    """Machines in the pool."""
    boot_disk_type: DiskType | None = None
    """Boot disk; by default the one that the machine takes."""
    boot_disk_size_gb: DiskSize = DEFAULT_DISK_GB
    """Size of the boot disk in GB."""
    container_uri: Text | None = None
    """Image; by default the job's."""
    python_package_gcs_uri: OneOrMore[Text] = ()
    """Packages in Cloud Storage to run instead of the job's script."""
    python_module_name: Text | None = None
    """Module of those packages; by default the job's."""
    command: Items[Text] = ()
    """Replaces the image's entry point, and the job's script."""
    args: Arguments | None = None
    """Arguments; by default the job's."""
    environment_variables: TextMap | None = None
    """Environment variables; by default the job's."""
    nfs_mounts: Items[NfsMount] | None = None
    """File servers; by default the job's."""
    lustre_mounts: Items[LustreMount] | None = None
    """Lustre file systems; by default the job's."""

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, written: Any) -> Any:
        return expand(written)

    @property
    def _default_image(self) -> str:
        known = catalog.load().image_addresses
        if self.machine_type.startswith(known.tpu_machines):
            return known.default_tpu
        return known.default_gpu if self.accelerator_type else known.default_cpu

    def resolved(self, role: Role, defaults: PoolDefaults) -> WorkerPoolSpec:
        """Return this pool with the job's defaults filled in."""
        image = self.container_uri or defaults.container_uri
        if image is None:
            image = self._default_image
        inherits = not (self.command or is_reduction_server(image))
        packages = tuple(self.python_package_gcs_uri)
        if not packages and inherits:
            packages = defaults.python_package_gcs_uri
        disk = self.boot_disk_type or catalog.load().boot_disk_of(self.machine_type)
        variables = self.environment_variables
        if variables is None:
            variables = defaults.environment_variables if inherits else {}
        args = defaults.args if inherits else ()
        nfs, lustre = self.nfs_mounts, self.lustre_mounts
        return WorkerPoolSpec(
            role=role,
            machine_type=self.machine_type,
            accelerator_type=self.accelerator_type,
            accelerator_count=self.accelerator_count or 0,
            gpu_partition_size=self.gpu_partition_size,
            tpu_topology=self.tpu_topology,
            reservation_affinity_type=self.reservation_affinity_type,
            reservation_affinity_key=self.reservation_affinity_key,
            reservation_affinity_values=tuple(self.reservation_affinity_values),
            replica_count=self.replica_count,
            boot_disk_type=disk,
            boot_disk_size_gb=self.boot_disk_size_gb,
            container_uri=image,
            runs_package=defaults.has_script and inherits and not packages,
            python_package_gcs_uri=packages,
            python_module_name=self.python_module_name or defaults.python_module_name or "",
            command=tuple(self.command) or (defaults.command if inherits else ()),
            args=tokens(self.args) if self.args is not None else args,
            environment_variables=variables,
            nfs_mounts=tuple(nfs) if nfs is not None else defaults.nfs_mounts,
            lustre_mounts=tuple(lustre) if lustre is not None else defaults.lustre_mounts,
        )


class WorkerPools(Spec):
    """The long form: up to four pools, each with machines of its own."""

    chief: WorkerPool
    """The first replica; the job ends with it. Exactly one machine."""
    workers: WorkerPool | None = None
    """The other replicas that train."""
    parameter_servers: WorkerPool | None = None
    """Parameter servers, or the Reduction Server."""
    evaluators: WorkerPool | None = None
    """Replicas that evaluate checkpoints."""

    def resolved(self, defaults: PoolDefaults) -> tuple[WorkerPoolSpec, ...]:
        """Return the pools in use, in role order."""
        pools = ((role, getattr(self, role)) for role in ROLES)
        return tuple(pool.resolved(role, defaults) for role, pool in pools if pool is not None)
