"""The fields that every kind of job has.

For ``kinds`` and ``training``, which add those of one kind. Names and defaults are those of the
SDK's arguments. A spec does no I/O and knows no project.

Source: CustomJobSpec; the SDK's CustomJob.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Le
from pydantic import Field, model_validator

from vertex_jobs import catalog
from vertex_jobs.spec.accelerator_shorthand import Accelerator, expand
from vertex_jobs.spec.argument_forms import Arguments, tokens
from vertex_jobs.spec.attachments import LustreMount, NfsMount, PscInterfaceConfig
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fallback import Fallback
from vertex_jobs.spec.fields import (
    Count,
    Flag,
    Gigabytes,
    Items,
    Number,
    OneOrMore,
    PathText,
    Seconds,
    Text,
    TextMap,
    Whole,
)
from vertex_jobs.spec.inspection import Rule
from vertex_jobs.spec.local import LocalSettings
from vertex_jobs.spec.machine_fields import (
    DEFAULT_DISK_GB,
    DEFAULT_MACHINE,
    MACHINE_FIELDS,
    AcceleratorType,
    DiskSize,
    DiskType,
    ReservationAffinityType,
    SchedulingStrategy,
)
from vertex_jobs.spec.pools import PoolDefaults, WorkerPool, WorkerPools, WorkerPoolSpec
from vertex_jobs.spec.rules import COMMON_RULES

_LONGEST_NAME = catalog.load().limits.display_name_max_chars
DisplayName = Annotated[Text, Field(max_length=_LONGEST_NAME, examples=["digits-search"])]


class JobSpec(Spec):
    """The fields that the three kinds of job share."""

    rules: ClassVar[Sequence[Rule]] = COMMON_RULES

    kind: str
    display_name: DisplayName
    """Name for people, up to 128 characters."""

    script_path: PathText | None = None
    """Training script or notebook, or a package directory together with python_module_name."""
    python_module_name: Text | None = None
    """Module to run of a package, e.g. trainer.task."""
    python_package_gcs_uri: OneOrMore[Text] = ()
    """Packages that lie in Cloud Storage already, instead of script_path."""
    requirements: OneOrMore[Text] = ()
    """What pip installs before the script runs: NAME>=VERSION, the path of a private wheel, a
    requirements file, pyproject.toml[EXTRA] or uv.lock[EXTRA]."""
    data_files: Items[Text] = ()
    """Files that travel besides the code, as patterns below the script's folder."""
    exclude_files: Items[Text] = ()
    """Files that never travel, as in a .gitignore; what git ignores stays behind anyway."""
    args: Arguments = ()
    """Arguments of the program: a mapping, or a list of tokens."""
    environment_variables: TextMap = Field(default={})
    """Variables of the container, values in quotes."""
    container_uri: Text | None = None
    """Image; by default TensorFlow's on a CPU, and Python alone on GPUs and TPUs."""
    command: Items[Text] = ()
    """Replaces the image's entry point, in a job without a script."""

    machine_type: Text = DEFAULT_MACHINE
    """Machine of each replica."""
    cpus: Count | None = None
    """The fewest vCPUs; with memory_gb they choose the cheapest machine if none is given."""
    memory_gb: Gigabytes | None = None
    """The least memory of that machine."""
    accelerator: Annotated[Accelerator, Field(examples=["T4:2"])] | None = None
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
    """Machines, chief included; more than one adds workers."""
    boot_disk_type: DiskType | None = None
    """Boot disk; by default the one that the machine takes."""
    boot_disk_size_gb: DiskSize = DEFAULT_DISK_GB
    """Size of the boot disk in GB."""
    worker_pools: WorkerPools | None = None
    """Instead of the fields above, from machine_type on: each pool by itself."""
    nfs_mounts: Items[NfsMount] = ()
    """File servers that every replica mounts."""
    lustre_mounts: Items[LustreMount] = ()
    """Lustre file systems that every replica mounts."""

    staging_bucket: Text | None = None
    """gs:// place for packages and default outputs; optional on local."""
    base_output_dir: Text | None = None
    """gs:// directory of the outputs; by default one per submission in the staging bucket."""
    labels: TextMap = Field(default={})
    """Labels of the job, lower case."""
    encryption_spec_key_name: Text | None = None
    """Customer-managed key for everything that the job creates."""

    timeout: Annotated[Seconds, Field(gt=0)] | None = None
    """Longest running time in seconds; 7 days by default."""
    restart_job_on_worker_restart: Flag = False
    """Restart the whole job when one worker restarts."""
    disable_retries: Flag = False
    """No retries after internal errors."""
    scheduling_strategy: SchedulingStrategy | None = None
    """How machines are got; standard by default."""
    max_wait_duration: Seconds | None = None
    """Longest wait for machines in seconds, flex_start only; 0 waits without end."""

    service_account: Text | None = None
    """Account that the replicas run as."""
    network: Text | None = None
    """projects/NUMBER/global/networks/NAME to peer with."""
    reserved_ip_ranges: Items[Text] = ()
    """Names of reserved ranges in that network."""
    psc_interface_config: PscInterfaceConfig | None = None
    """Private Service Connect interface, instead of peering."""
    enable_web_access: Flag = False
    """Interactive shells in the replicas."""
    enable_dashboard_access: Flag = False
    """Access to dashboards in the replicas."""
    tensorboard: Text | None = None
    """Managed TensorBoard to upload logs to; needs service_account."""
    experiment: Text | None = None
    """Experiment to record the job in; needs service_account."""
    experiment_run: Text | None = None
    """Run of that experiment."""
    persistent_resource_id: Text | None = None
    """Held machines to run on."""
    protected_artifact_location_id: Text | None = None
    """Where protected artifacts of the job are kept."""

    fallback: Items[Fallback] = ()
    """Places tried in order when machines or quota are short."""
    max_resubmissions: Annotated[Whole, Ge(0), Le(20)] = 0
    """How often ``run`` submits it again after its machines were taken away, in the same folder."""
    max_cost_usd: Annotated[Number, Field(gt=0)] | None = None
    """Refuse to submit when the worst case costs more."""
    prices: Mapping[Text, Annotated[Number, Field(ge=0)]] = Field(
        default={}, examples=["{g2-standard-4: 0.71}"]
    )
    """Your own prices in USD: of machines and accelerators an hour, of disks a GB and month."""
    local: LocalSettings = LocalSettings()
    """Settings for Local Vertex only; no part of the request."""

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, written: Any) -> Any:
        return expand(written)

    def argument_tokens(self) -> tuple[str, ...]:
        """Return the arguments of the program, one token each."""
        return tokens(self.args)

    def worker_pools_resolved(self) -> tuple[WorkerPoolSpec, ...]:
        """Return the pools in use, chief first, whichever form was written."""
        defaults = PoolDefaults(
            has_script=self.script_path is not None,
            python_package_gcs_uri=tuple(self.python_package_gcs_uri),
            python_module_name=self.python_module_name,
            container_uri=self.container_uri,
            command=tuple(self.command),
            args=self.argument_tokens(),
            environment_variables=self.environment_variables,
            nfs_mounts=tuple(self.nfs_mounts),
            lustre_mounts=tuple(self.lustre_mounts),
        )
        if self.worker_pools is not None:
            return self.worker_pools.resolved(defaults)
        machine: dict[str, Any] = {name: getattr(self, name) for name in MACHINE_FIELDS}
        others = self.replica_count - 1
        workers = WorkerPool(**machine, replica_count=others) if others else None
        return WorkerPools(chief=WorkerPool(**machine), workers=workers).resolved(defaults)
