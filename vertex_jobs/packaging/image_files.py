"""The files from which an image for a config is built: a Dockerfile, pinned requirements, wheels.

The image holds the libraries, so that a job starts without installing them; the script still
travels with each submission. A config with GPUs or TPUs has a twin for CPUs beside it.
"""

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from vertex_jobs.catalog.container_images import (
    ImageContents,
    parse_image,
    public_image,
    why_gone,
)
from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.brought_modules import brought_by
from vertex_jobs.packaging.distribution import Package
from vertex_jobs.packaging.resolution import for_cpus, resolve
from vertex_jobs.packaging.runtime_wheel import write_runtime_wheel

if TYPE_CHECKING:
    from vertex_jobs.spec import JobSpec

_DOCKERFILE = """\
# The libraries of {name}, written by: vertex-jobs image
FROM {base}
COPY {requirements} *.whl /tmp/vertex-jobs/
RUN PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore python3 -m pip install --no-cache-dir \\
        --requirement /tmp/vertex-jobs/{requirements} /tmp/vertex-jobs/*.whl \\
    && rm -r /tmp/vertex-jobs
"""
_TAG_CHARACTERS = 12


@dataclass(frozen=True)
class ImageFiles:
    """The files of one image, in their folder.

    Attributes:
        tag: A hash of all of them: equal files, equal tag.
        twin: The Dockerfile for CPUs; None where the first one is for CPUs.
        unpinned: Why versions are not exact; empty when they are.
    """

    folder: Path
    tag: str
    twin: Path | None
    unpinned: str


def write_image(job: "JobSpec", package: Package, folder: Path, today: date) -> ImageFiles:
    """Write the files into a folder, which is created.

    Raises:
        PackagingError: If the config's own image cannot be pulled any more.
    """
    base = job.worker_pools_resolved()[0].container_uri
    if reason := why_gone(base, today):
        raise PackagingError(
            f"{base}: {reason}; vertex-jobs check names another container_uri for its machine"
        )
    folder.mkdir(parents=True, exist_ok=True)
    wheels = [write_runtime_wheel(folder)]
    for wheel in package.wheels:
        wheels.append(folder / wheel.file_name)
        wheels[-1].write_bytes(wheel.content)
    contents, unpinned = parse_image(base), ""
    written = []
    for suffix, wanted in (("", package.requirements), ("cpu", for_cpus(package.requirements))):
        if suffix and wanted == package.requirements:
            continue
        try:
            lines = _pinned(wanted, contents)
        except PackagingError as error:
            lines, unpinned = wanted, str(error)
        written.append(_write(folder, job.display_name, _pulled(base), lines, suffix))
    digest = hashlib.sha256()
    for path in [*wheels, *(one for pair in written for one in pair)]:
        digest.update(path.read_bytes())
    twin = written[1][0] if len(written) > 1 else None
    return ImageFiles(folder, digest.hexdigest()[:_TAG_CHARACTERS], twin, unpinned)


def _pulled(base: str) -> str:
    """Return the base by its digest, where that is known."""
    known = public_image(base)
    pinned = known is not None and known.digest is not None and "@" not in base
    return f"{base}@{known.digest}" if known is not None and pinned else base


def _pinned(requirements: tuple[str, ...], image: ImageContents | None) -> tuple[str, ...]:
    """Return exact versions of all that is to be installed; what the image has stays as it is."""
    if image is None or not image.python:
        return requirements
    chosen = resolve((*image.requirements, *requirements), image.python)
    asked = {canonicalize_name(Requirement(line).name) for line in requirements}
    kept = brought_by(image.requirements).names - asked
    return tuple(line for line in chosen if canonicalize_name(Requirement(line).name) not in kept)


def _write(
    folder: Path, name: str, base: str, lines: tuple[str, ...], suffix: str
) -> tuple[Path, Path]:
    requirements = folder / f"requirements{'-' + suffix if suffix else ''}.txt"
    requirements.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    dockerfile = folder / f"Dockerfile{'.' + suffix if suffix else ''}"
    text = _DOCKERFILE.format(name=name, base=base, requirements=requirements.name)
    dockerfile.write_text(text, encoding="utf-8")
    return dockerfile, requirements
