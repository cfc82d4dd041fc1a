"""Worker pools: as written, and resolved to what each pool of the request needs.

For ``JobSpec`` and everything that asks what machines a job takes. Which machine takes which
accelerator is the catalog's business, in ``preflight``.

Source: WorkerPoolSpec; documentation page "Distributed training".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from vertex_jobs.spec.arguments import Arguments, tokens
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Count, Items, Text, TextMap, Whole

__all__ = [
    "AcceleratorType",
    "PoolDefaults",
    "Role",
    "WorkerPool",
    "WorkerPoolSpec",
    "WorkerPools",
]

Role = Literal["chief", "workers", "parameter_servers", "evaluators"]
#: Pools in the order of the API. Source: documentation page "Distributed training".
ROLES: tuple[Role, ...] = ("chief", "workers", "parameter_servers", "evaluators")

#: Source: AcceleratorType, without the unspecified value.
AcceleratorType = Literal[
    "NVIDIA_TESLA_K80",
    "NVIDIA_TESLA_P100",
    "NVIDIA_TESLA_V100",
    "NVIDIA_TESLA_P4",
    "NVIDIA_TESLA_T4",
    "NVIDIA_TESLA_A100",
    "NVIDIA_A100_80GB",
    "NVIDIA_L4",
    "NVIDIA_H100_80GB",
    "NVIDIA_H100_MEGA_80GB",
    "NVIDIA_H200_141GB",
    "NVIDIA_B200",
    "NVIDIA_GB200",
    "NVIDIA_RTX_PRO_6000",
    "TPU_V2",
    "TPU_V3",
    "TPU_V4_POD",
    "TPU_V5_LITEPOD",
]
DiskType = Literal["pd-ssd", "pd-standard", "hyperdisk-balanced"]

#: The SDK's defaults. Source: google-cloud-aiplatform, CustomJob.from_local_script.
DEFAULT_MACHINE = "n1-standard-4"
DEFAULT_DISK_GB = 100
#: Machines that take no pd-ssd. Source: documentation page "Configure compute resources".
HYPERDISK_MACHINES = ("a3-ultragpu-8g", "a4-highgpu-8g")
#: The newest prebuilt TensorFlow images. Source: documentation page "Prebuilt containers".
DEFAULT_CPU_IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
DEFAULT_GPU_IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-17.py310:latest"
#: Google's all-reduce server, which runs as it is. Source: documentation page "Distributed
#: training".
REDUCTION_SERVER = "vertex-ai-restricted/training/reductionserver"

DiskSize = Annotated[Whole, Ge(100), Le(64000)]


@dataclass(frozen=True)
class WorkerPoolSpec:
    """One pool with nothing left open.

    Attributes:
        role: What its replicas do; also says the pool's place in the request.
        machine_type: E.g. ``n1-standard-4``.
        accelerator_type: None without accelerators.
        accelerator_count: Per replica; 0 without accelerators.
        replica_count: Machines in the pool.
        boot_disk_type: E.g. ``pd-ssd``.
        boot_disk_size_gb: Per replica.
        container_uri: The image.
        runs_package: Whether the replicas run the job's script; else the image's own command.
        command: Replaces the image's entry point; empty to keep it.
        args: Tokens after the command or the module.
        environment_variables: Set in every replica.
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

    @property
    def index(self) -> int:
        """Place in the request's list, 0 for the chief."""
        return ROLES.index(self.role)


@dataclass(frozen=True)
class PoolDefaults:
    """What a job gives to each pool that does not say it itself."""

    has_script: bool
    container_uri: str | None
    command: tuple[str, ...]
    args: tuple[str, ...]
    environment_variables: Mapping[str, str]


class WorkerPool(Spec):
    """One pool of equal machines, as written.

    A pool runs the job's script with the job's image, arguments and variables, each of which it may
    replace. With a ``command``, or with the Reduction Server's image, it runs its image instead.
    """

    machine_type: Text = DEFAULT_MACHINE
    """Machine of each replica."""
    accelerator_type: AcceleratorType | None = None
    """Accelerator of each replica, with accelerator_count."""
    accelerator_count: Count | None = None
    """Accelerators per replica."""
    replica_count: Count = 1
    """Machines in the pool."""
    boot_disk_type: DiskType | None = None
    """Boot disk; by default the one that the machine takes."""
    boot_disk_size_gb: DiskSize = DEFAULT_DISK_GB
    """Size of the boot disk in GB."""
    container_uri: Text | None = None
    """Image; by default the job's."""
    command: Items[Text] = ()
    """Replaces the image's entry point, and the job's script."""
    args: Arguments | None = None
    """Arguments; by default the job's."""
    environment_variables: TextMap | None = None
    """Environment variables; by default the job's."""

    def resolved(self, role: Role, defaults: PoolDefaults) -> WorkerPoolSpec:
        """This pool with the job's defaults filled in."""
        image = self.container_uri or defaults.container_uri
        if image is None:
            image = DEFAULT_GPU_IMAGE if self.accelerator_type else DEFAULT_CPU_IMAGE
        own_program = bool(self.command) or REDUCTION_SERVER in image
        runs_package = defaults.has_script and not own_program
        inherits = not own_program
        disk = "hyperdisk-balanced" if self.machine_type in HYPERDISK_MACHINES else "pd-ssd"
        variables = self.environment_variables
        if variables is None:
            variables = defaults.environment_variables if inherits else {}
        args = tokens(self.args) if self.args is not None else None
        return WorkerPoolSpec(
            role=role,
            machine_type=self.machine_type,
            accelerator_type=self.accelerator_type,
            accelerator_count=self.accelerator_count or 0,
            replica_count=self.replica_count,
            boot_disk_type=self.boot_disk_type or disk,
            boot_disk_size_gb=self.boot_disk_size_gb,
            container_uri=image,
            runs_package=runs_package,
            command=tuple(self.command) or (defaults.command if inherits else ()),
            args=args if args is not None else (defaults.args if inherits else ()),
            environment_variables=variables,
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
        """The pools in use, in role order."""
        pools = ((role, getattr(self, role)) for role in ROLES)
        return tuple(pool.resolved(role, defaults) for role, pool in pools if pool is not None)
