"""The fields of a machine: accelerators, disks and reservations, their words and their defaults.

For the pools and the rules of this package. Which machine takes which accelerator is a rule of the
catalog.

Source: MachineSpec, DiskSpec, ReservationAffinity.
"""

from typing import Annotated, Literal

from annotated_types import Ge, Le

from vertex_jobs import catalog
from vertex_jobs.spec.fields import Whole

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
#: Source: ReservationAffinity.Type, without the unspecified value; the SDK takes these words.
ReservationAffinityType = Literal["NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION"]

#: Source: Scheduling.Strategy, without the unspecified and the deprecated values.
SchedulingStrategy = Literal["standard", "spot", "flex_start"]

_LIMITS = catalog.load().limits

#: The SDK's default. Source: google-cloud-aiplatform, CustomJob.from_local_script.
DEFAULT_MACHINE = "n1-standard-4"
DEFAULT_DISK_GB = _LIMITS.boot_disk_gb_default

DiskSize = Annotated[Whole, Ge(_LIMITS.boot_disk_gb_min), Le(_LIMITS.boot_disk_gb_max)]

#: The fields that say what one machine is, the same in a job's short form and in a pool.
MACHINE_FIELDS = (
    "machine_type",
    "accelerator_type",
    "accelerator_count",
    "gpu_partition_size",
    "tpu_topology",
    "reservation_affinity_type",
    "reservation_affinity_key",
    "reservation_affinity_values",
    "boot_disk_type",
    "boot_disk_size_gb",
)
