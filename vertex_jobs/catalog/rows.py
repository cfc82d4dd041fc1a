"""The rows of the catalog, typed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Limits:
    """Limits and defaults of the service.

    The names are those of the file, which gives the source and the confidence of each.
    """

    display_name_max_chars: int
    label_max_chars: int
    label_max_bytes: int
    labels_max: int
    env_vars_max: int
    package_uris_max: int
    args_total_chars_max: int
    discrete_values_max: int
    boot_disk_gb_min: int
    boot_disk_gb_max: int
    boot_disk_gb_default: int
    worker_pools_max: int
    worker_pool_0_replicas: int
    tpu_worker_pools: int
    tpu_replicas: int
    hpt_supports_tpu: bool
    max_trial_count: int
    default_timeout_seconds: int
    flex_start_default_max_wait_seconds: int
    flex_start_max_timeout_seconds: int
    flex_start_accelerators: tuple[str, ...]
    region_default: str


@dataclass(frozen=True)
class BootDisk:
    """A type of boot disk.

    Attributes:
        machines: Those that boot from it alone; empty for a disk of all others.
        is_default: Whether all other machines get it unasked.
    """

    machines: tuple[str, ...]
    is_default: bool
    usd_per_gb_month: float | None
    confidence: str | None
    basis: str | None


@dataclass(frozen=True)
class ImageAddresses:
    """The addresses of container images, and those that a job gets by default.

    Attributes:
        hosts: Prefixes of the prebuilt training images, the one to name first.
        sdk_substrings: With one of them in its address the SDK takes an image for prebuilt.
        registries: Ends of the hosts that training can pull from.
        reduction_server: Part of the Reduction Server's address.
        keras_3_since: The first TensorFlow whose images have Keras 3.
        numpy_2_since: The first TensorFlow whose images have NumPy 2.
        tpu_machines: How the names of machines with TPUs begin.
        default_gpu: Python alone, as for TPUs: TensorFlow comes with the job's requirements.
    """

    hosts: tuple[str, ...]
    sdk_substrings: tuple[str, ...]
    registries: tuple[str, ...]
    reduction_server: str
    keras_3_since: tuple[int, ...]
    numpy_2_since: tuple[int, ...]
    tpu_machines: tuple[str, ...]
    default_cpu: str
    default_gpu: str
    default_tpu: str
    default_serving: str


@dataclass(frozen=True)
class Price:
    """A price in US dollars per hour, and how far to trust it.

    Attributes:
        confidence: ``high``, ``medium`` or ``low``.
        date: When it was checked; None if it never was.
        basis: ``checked``, ``computed`` or ``recalled``: a list price of the catalog's region;
            ``own``: what the user said.
    """

    usd_per_hour: float
    confidence: str
    date: date | None
    basis: str


@dataclass(frozen=True)
class Accelerator:
    """An accelerator type.

    Attributes:
        name: As in the API, e.g. ``NVIDIA_TESLA_T4``.
        status: ``ga``, ``recommended_reservation_or_spot``, ``reservation_required``, ``retired``
            or ``enum_only``.
        bundled: Whether its price is part of the machine's.
        price: Per accelerator; None when bundled or unknown.
        quota: Last part of its quota metric; None when unknown.
    """

    name: str
    status: str
    bundled: bool
    price: Price | None
    quota: str | None
    note: str

    @property
    def is_retired(self) -> bool:
        """True if Google has switched it off."""
        return self.status == "retired"

    @property
    def is_scarce(self) -> bool:
        """True if Google advises to reserve it or to take it as spot."""
        return self.status == "recommended_reservation_or_spot"

    @property
    def needs_reservation(self) -> bool:
        """True if it is given to reservations only."""
        return self.status == "reservation_required"


@dataclass(frozen=True)
class Machine:
    """A machine type.

    Attributes:
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
    """A machine with TPUs; its CPUs and memory are those of one virtual machine.

    Attributes:
        generation: ``v5e``, ``v6e`` or ``7x``; empty for ``cloud-tpu``, which has several.
        accelerators: Accelerator types, for ``cloud-tpu``, which needs one.
        board_cores: Cores of one board of these accelerators; 0 for all others.
        slice_cores: Cores of the smallest slice of a pod, of which there may be several.
        topologies: For all others, which need one of them instead.
        virtual_machines: How many each topology has.
        prices: By accelerator, per board.
    """

    name: str
    generation: str
    vcpus: int | None
    memory_gb: float | None
    accelerators: tuple[str, ...]
    board_cores: int
    slice_cores: int
    topologies: tuple[str, ...]
    virtual_machines: Mapping[str, int]
    prices: Mapping[str, Price]


@dataclass(frozen=True)
class Image:
    """A prebuilt training image; ``name`` is its short name, e.g. ``tf-cpu.2-17.py310``.

    Attributes:
        framework: ``tensorflow``, ``pytorch``, ``sklearn``, ``xgboost`` or ``ray``.
        python: Version or versions.
        end_of_patch: From then on it gets no fixes.
        end_of_availability: From then on it may be gone.
    """

    name: str
    framework: str
    version: str
    python: str
    end_of_patch: date
    end_of_availability: date

    @property
    def version_numbers(self) -> tuple[int, ...]:
        """The version, to compare it with another."""
        return tuple(map(int, self.version.split(".")))


@dataclass(frozen=True)
class PublicImage:
    """An image on Docker Hub that runs no package by itself; ``name`` has its tag.

    Attributes:
        framework: ``tf``; empty for Python and pip alone.
        version: The framework's, or Python's.
        python: None when unknown.
        hardware: ``cpu``, ``gpu``, or ``any`` when it depends on what is installed.
        digest: None when unknown.
        fault: A known fault; None without one.
    """

    name: str
    framework: str
    version: str
    python: str | None
    hardware: str
    digest: str | None
    fault: str | None


@dataclass(frozen=True)
class Dropped:
    """What a distribution brings no more; ``since`` is the first release without it."""

    since: str
    names: Sequence[str]


@dataclass(frozen=True)
class DistributionNames:
    """What is known of distributions without installing them; names as pip compares them.

    Attributes:
        import_names: Distribution by module, where the two differ.
        variants: By name the one that has the same modules, e.g. ``tensorflow`` by
            ``tensorflow-cpu``, and by its own.
        brings: What else is installed with one.
        dropped: What else was, up to a release.
        follow: By distribution those with a release for each of its own.
    """

    import_names: Mapping[str, str]
    variants: Mapping[str, str]
    brings: Mapping[str, Sequence[str]]
    dropped: Mapping[str, Dropped]
    follow: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Replacement:
    """The image to run on in place of one that is gone.

    Attributes:
        requirement: What to add to the requirements; None when the image has the framework.
    """

    image: str
    requirement: str | None


@dataclass(frozen=True)
class RegionReport:
    """Regions in which users got an accelerator or did not; Google's own table is not known."""

    available: tuple[str, ...]
    refused: tuple[str, ...]
