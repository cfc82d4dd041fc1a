"""Rules on container images, by their names alone: nothing is pulled."""

import difflib
from collections.abc import Iterator

from vertex_jobs.catalog import Image
from vertex_jobs.catalog.container_images import (
    can_be_pulled,
    listed_image,
    parse_image,
    public_image,
    short_name,
    why_gone,
)
from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import WorkerPoolSpec

_PREBUILT = 'documentation page "Prebuilt containers"'
_POLICY = 'documentation page "Framework support policy"'
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


@rule("error", source=_POLICY, needs=_NEEDS, cloud_only=True)
def image_available(subject: Subject) -> Iterator[Fault]:
    """A prebuilt image can still be pulled; on Local Vertex it runs all the same."""
    for pool in subject.pools:
        reason = why_gone(pool.container_uri, subject.today)
        if reason:
            name = short_name(pool.container_uri)
            yield Fault(_path(subject, pool), name, reason, _replacement(subject, pool))


@rule("warning", source=_POLICY, needs=_NEEDS, cloud_only=True)
def image_patched(subject: Subject) -> Iterator[Fault]:
    """A prebuilt image still gets fixes."""
    for pool in subject.pools:
        image = listed_image(pool.container_uri)
        ended = image is not None and image.end_of_patch < subject.today
        if image is not None and ended and not why_gone(pool.container_uri, subject.today):
            rule_text = f"gets no fixes since {image.end_of_patch}"
            yield Fault(_path(subject, pool), image.name, rule_text, _replacement(subject, pool))


@rule("warning", source="reports of users, see the catalog", needs=_NEEDS)
def image_without_fault(subject: Subject) -> Iterator[Fault]:
    """A public image has no fault that is known."""
    for pool in subject.pools:
        image = public_image(pool.container_uri)
        if image is not None and image.fault is not None:
            rule_text = f"is reported broken: {image.fault}"
            yield Fault(_path(subject, pool), image.name, rule_text, _replacement(subject, pool))


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
        public = public_image(pool.container_uri)
        made_for = public.hardware if public is not None else _hardware_in(name)
        hardware, path = hardware_of(subject, pool), _path(subject, pool)
        if made_for == "cpu" and hardware != "cpu":
            device = pool.accelerator_type or "TPU"
            rule_text = f"is for CPUs, and the {device} would be paid and idle"
            yield Fault(path, pool.container_uri, rule_text, _replacement(subject, pool))
        elif made_for == "gpu" and hardware == "cpu":
            yield Fault(
                path,
                pool.container_uri,
                "is for GPUs, and there is none",
                f"add an accelerator, or {_replacement(subject, pool)}",
            )


def hardware_of(subject: Subject, pool: WorkerPoolSpec) -> str:
    """Return what the pool's replicas compute on: ``cpu``, ``gpu`` or ``tpu``."""
    if pool.machine_type in subject.catalog.tpu_machines:
        return "tpu"
    return "gpu" if (pool.accelerator_type or "").startswith("NVIDIA") else "cpu"


def _hardware_in(name: str) -> str:
    """Return what a prebuilt image is made for; empty for any other."""
    return next((kind for kind in ("cpu", "gpu", "tpu") if f"-{kind}." in name), "")


def _newest(subject: Subject, framework: str, hardware: str) -> Image | None:
    """Return the newest prebuilt image that can still be pulled; None without one."""
    there = [
        image
        for image in subject.catalog.images.values()
        if image.framework == framework
        and _hardware_in(image.name) == hardware
        and image.end_of_availability >= subject.today
    ]
    return max(there, key=lambda image: image.version_numbers, default=None)


def _replacement(subject: Subject, pool: WorkerPoolSpec) -> str:
    """Return the words by which an image of the same framework replaces a pool's."""
    hardware = hardware_of(subject, pool)
    image = listed_image(pool.container_uri)
    framework = image.framework if image is not None else "tensorflow"
    newest = _newest(subject, framework, hardware) if image is not None else None
    if image is not None and newest is not None and newest.name != image.name:
        return f"write {newest.name}"
    known = subject.catalog.replacements.get((framework, hardware))
    if known is None:
        alone = subject.catalog.image_addresses.default_gpu
        named = parse_image(pool.container_uri)
        wanted = named.distribution if named is not None else framework
        return f"write {alone}, and add {wanted} to requirements"
    remedy = f"write {known.image}"
    if known.requirement is not None:
        remedy += f", and add {known.requirement} to requirements"
    if hardware == "gpu":
        remedy += "; `vertex-jobs image` makes one that starts faster"
    return f"{remedy} (never tried on a TPU)" if hardware == "tpu" else remedy


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
    image_available,
    image_patched,
    image_without_fault,
    image_tag,
    image_fits_machine,
)
