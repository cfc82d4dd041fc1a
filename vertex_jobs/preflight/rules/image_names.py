"""Rules on container images, by their names alone: nothing is pulled."""

import difflib
from collections.abc import Iterator

from vertex_jobs.catalog.container_images import can_be_pulled, short_name
from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import WorkerPoolSpec

_PREBUILT = 'documentation page "Prebuilt containers"'
_NEEDS = (*MACHINE_FIELDS, "container_uri")


@rule("error", source=_PREBUILT, needs=_NEEDS)
def image_known(subject: Subject) -> Iterator[Fault]:
    """A prebuilt image is one of those in the list."""
    for path, _, name in _prebuilt(subject):
        if name not in subject.catalog.images and not _is_newer(subject, name):
            near = difflib.get_close_matches(name, subject.catalog.images, n=1)
            remedy = f"did you mean {near[0]}?" if near else "see the page Prebuilt containers"
            yield Fault(path, name, "is no prebuilt training image", remedy)


@rule("warning", source=_PREBUILT, needs=_NEEDS)
def image_newer_than_list(subject: Subject) -> Iterator[Fault]:
    """A prebuilt image is not newer than the list that it is looked up in."""
    for path, _, name in _prebuilt(subject):
        if name not in subject.catalog.images and _is_newer(subject, name):
            as_of = subject.catalog.as_of
            yield Fault(path, name, f"is newer than our list, of {as_of}", "make sure it exists")


@rule("error", source="google-cloud-aiplatform: the SDK makes a container job of it", needs=_NEEDS)
def image_host(subject: Subject) -> Iterator[Fault]:
    """What is named like a prebuilt image is at the address of the prebuilt images."""
    for path, uri in _images(subject):
        name = uri.rpartition("/")[2].partition(":")[0]
        if short_name(uri) is None and name in subject.catalog.images:
            right = f"{subject.catalog.image_addresses.hosts[0]}{name}:latest"
            rule_text = "is no prebuilt image's address, so it is taken for an image of your own"
            yield Fault(path, uri, rule_text, f"did you mean {right}?")


@rule("error", source='documentation page "Configure container settings"', needs=_NEEDS)
def image_registry(subject: Subject) -> Iterator[Fault]:
    """An image is in Artifact Registry or on Docker Hub."""
    for path, uri in _images(subject):
        if not can_be_pulled(uri):
            rule_text = "training pulls from Artifact Registry and Docker Hub only"
            yield Fault(path, uri, rule_text, "copy the image to a pkg.dev repository")


@rule("warning", source=_PREBUILT, needs=_NEEDS, cloud_only=True)
def image_supported(subject: Subject) -> Iterator[Fault]:
    """A prebuilt image still gets fixes, and is still sure to be there."""
    for path, _, name in _prebuilt(subject):
        image = subject.catalog.images.get(name)
        if image is None:
            continue
        if image.end_of_availability < subject.today:
            rule_text = f"may be gone: its availability ended on {image.end_of_availability}"
        elif image.end_of_patch < subject.today:
            rule_text = f"gets no fixes since {image.end_of_patch}"
        else:
            continue
        newest = subject.catalog.newest_image(image.framework).version
        remedy = f"the newest of its kind is {newest}" if newest != image.version else ""
        yield Fault(path, name, rule_text, remedy or "there is no newer one; use your own image")


@rule("warning", source=_PREBUILT, needs=_NEEDS, cloud_only=True)
def image_tag(subject: Subject) -> Iterator[Fault]:
    """A prebuilt image has the tag latest."""
    for path, uri, name in _prebuilt(subject):
        tag = uri.rpartition("/")[2].partition(":")[2]
        if tag not in ("", "latest"):
            yield Fault(path, uri, "only the tag latest is supported", f"write {name}:latest")


@rule("warning", source=_PREBUILT, needs=_NEEDS, cloud_only=True)
def image_fits_machine(subject: Subject) -> Iterator[Fault]:
    """A GPU image runs on GPUs, and GPUs are not paid for a CPU image."""
    for pool in subject.pools:
        name = short_name(pool.container_uri) or ""
        gpu = bool(pool.accelerator_type and pool.accelerator_type.startswith("NVIDIA"))
        path = _path(subject, pool)
        if "-cpu." in name and gpu:
            rule_text = f"is for CPUs, and the {pool.accelerator_type} would be paid and idle"
            yield Fault(path, name, rule_text, f"write {name.replace('-cpu.', '-gpu.')}")
        elif "-gpu." in name and not pool.accelerator_type:
            yield Fault(
                path,
                name,
                "is for GPUs, and there is none",
                f"add an accelerator, or write {name.replace('-gpu.', '-cpu.')}",
            )


def _path(subject: Subject, pool: WorkerPoolSpec) -> str:
    own = getattr(subject.job.worker_pools, pool.role, None)
    if own is not None and own.container_uri is not None:
        return f"worker_pools.{pool.role}.container_uri"
    return "container_uri"


def _images(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield every image with its path, each once."""
    yield from dict.fromkeys((_path(subject, pool), pool.container_uri) for pool in subject.pools)


def _prebuilt(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """Yield path, URI and short name of every image at a prebuilt image's address."""
    for path, uri in _images(subject):
        name = short_name(uri)
        if name is not None:
            yield path, uri, name


def _is_newer(subject: Subject, name: str) -> bool:
    """Return whether an image has a later version than any listed for its framework."""
    head, _, tail = name.partition(".")
    listed = [
        image.version_numbers
        for image in subject.catalog.images.values()
        if image.name.partition(".")[0] == head
    ]
    numbers = tail.partition(".")[0].split("-")
    return bool(listed) and tuple(int(one) for one in numbers if one.isdigit()) > max(listed)


IMAGE_RULES = (
    image_known,
    image_newer_than_list,
    image_host,
    image_registry,
    image_supported,
    image_tag,
    image_fits_machine,
)
