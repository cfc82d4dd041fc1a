"""The rows of the catalog, typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

__all__ = [
    "Accelerator",
    "BootDisk",
    "Catalog",
    "Image",
    "Limit",
    "Machine",
    "Price",
    "RegionReport",
    "TpuMachine",
]

#: The status of hardware that Google has switched off.
_RETIRED = "retired"


@dataclass(frozen=True)
class Price:
    """A price in US dollars per hour, and how far to trust it.

    Attributes:
        usd_per_hour: In the catalog's price region.
        confidence: ``high``, ``medium`` or ``low``.
        date: When it was checked; None if it never was.
        basis: ``checked``, ``computed`` or ``recalled``.
    """

    usd_per_hour: float
    confidence: str
    date: date | None
    basis: str


@dataclass(frozen=True)
class Limit:
    """A limit of the service; None when it is not known."""

    value: float | bool | None
    source: str | None
    confidence: str | None


@dataclass(frozen=True)
class BootDisk:
    """A type of boot disk.

    Attributes:
        default_for: Machines that get it unasked.
        is_default: Whether all other machines do.
        usd_per_gb_month: None when unknown.
        confidence: Of the price.
    """

    default_for: tuple[str, ...]
    is_default: bool
    usd_per_gb_month: float | None
    confidence: str | None


@dataclass(frozen=True)
class Accelerator:
    """An accelerator type.

    Attributes:
        name: As in the API, e.g. ``NVIDIA_TESLA_T4``.
        enum: Its number in AcceleratorType.
        status: ``ga``, ``recommended_reservation_or_spot``, ``reservation_required``, ``retired``
            or ``enum_only``.
        bundled: Whether its price is part of the machine's.
        price: Per accelerator; None when bundled or unknown.
        quota: Last part of its quota metric; None when unknown.
        note: What else is known.
    """

    name: str
    enum: int
    status: str
    bundled: bool
    price: Price | None
    quota: str | None
    note: str

    @property
    def is_retired(self) -> bool:
        """Whether no machine has it any more."""
        return self.status == _RETIRED


@dataclass(frozen=True)
class Machine:
    """A machine type.

    Attributes:
        name: E.g. ``n1-standard-4``.
        vcpus: Virtual processors.
        memory_gb: In gigabytes.
        accelerators: Allowed counts by accelerator.
        accelerator_required: Whether it is only valid with one.
        price: Without N1 accelerators, with bundled ones; None when unknown.
    """

    name: str
    vcpus: int
    memory_gb: float
    accelerators: Mapping[str, tuple[int, ...]]
    accelerator_required: bool
    price: Price | None


@dataclass(frozen=True)
class TpuMachine:
    """A machine with TPUs.

    Attributes:
        name: E.g. ``ct5lp-hightpu-4t``.
        vcpus: Per virtual machine; None when the page does not say, as with memory.
        memory_gb: Per virtual machine, in gigabytes.
        accelerators: Accelerator types, for ``cloud-tpu``, which needs one.
        topologies: For all others, which need one of them instead.
        virtual_machines: How many each topology has.
        prices: By accelerator, per 8 cores.
    """

    name: str
    vcpus: int | None
    memory_gb: float | None
    accelerators: tuple[str, ...]
    topologies: tuple[str, ...]
    virtual_machines: Mapping[str, int]
    prices: Mapping[str, Price]


@dataclass(frozen=True)
class Image:
    """A prebuilt training image.

    Attributes:
        name: Short name, e.g. ``tf-cpu.2-17.py310``.
        framework: ``tensorflow``, ``pytorch``, ``sklearn``, ``xgboost`` or ``ray``.
        version: Of the framework, e.g. ``2.17``.
        python: Version or versions.
        cuda: None when the page does not say.
        end_of_patch: From then on it gets no fixes.
        end_of_availability: From then on it may be gone.
    """

    name: str
    framework: str
    version: str
    python: str
    cuda: str | None
    end_of_patch: date
    end_of_availability: date


@dataclass(frozen=True)
class RegionReport:
    """Where people got an accelerator and where not; no table of Google's.

    Attributes:
        available: Regions in which it was reported to work.
        refused: Regions in which it was reported to be refused.
    """

    available: tuple[str, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True)
class Catalog:
    """The whole table.

    Attributes:
        as_of: Date of this state of knowledge.
        price_region: Where the prices hold.
        spot_max_discount: Largest share by which a spot machine is cheaper.
        limits: By name.
        boot_disks: By type.
        accelerators: By name.
        machines: By name, without TPU machines.
        tpu_machines: By name.
        default_region: The SDK's default.
        regions: Those that the SDK accepts.
        region_reports: By accelerator; the table of Google's documentation was not obtained.
        image_hosts: Prefixes of prebuilt training images.
        images: By short name.
    """

    as_of: date
    price_region: str
    spot_max_discount: float
    limits: Mapping[str, Limit]
    boot_disks: Mapping[str, BootDisk]
    accelerators: Mapping[str, Accelerator]
    machines: Mapping[str, Machine]
    tpu_machines: Mapping[str, TpuMachine]
    default_region: str
    regions: tuple[str, ...]
    region_reports: Mapping[str, RegionReport]
    image_hosts: tuple[str, ...]
    images: Mapping[str, Image]

    def image(self, uri: str) -> Image | None:
        """The prebuilt image of that URI; None for any other."""
        for host in self.image_hosts:
            if uri.startswith(host):
                return self.images.get(uri.removeprefix(host).partition(":")[0])
        return None
