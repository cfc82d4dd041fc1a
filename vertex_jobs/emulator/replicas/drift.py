"""How this machine differs from a job's image, in one line of the job's log."""

import importlib.metadata
import json
import sys

from vertex_jobs.catalog.container_images import ImageName, parse_image
from vertex_jobs.emulator.replicas.packages import Packages
from vertex_jobs.emulator.replicas.tasks import ENGINES, PoolTask

__all__ = ["drift_line"]

_TITLES = {"tf": "TensorFlow"}


def drift_line(packages: Packages, task: PoolTask) -> str:
    """One line about the program of a job's first pool; empty when the image itself runs."""
    if task.place in ENGINES:
        return ""
    image = parse_image(task.image)
    there = f"image {task.image}: unknown to Local Vertex" if image is None else _brings(image)
    if task.place == "isolated":
        installed = (*(image.requirements if image else ()), *task.requirements)
        held = ", ".join((*installed, "the packages' own requirements"))
        return f"{there} · here: an isolated environment with {held}"
    here = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    parts = [f"{there} · here: {here}{_framework_here(image.distribution) if image else ''}"]
    if image is not None and image.has_legacy_keras:
        parts.append("Keras 2, as TF_USE_LEGACY_KERAS=1 and tf_keras")
    drifted = [text for uri in task.package_uris for text in packages.get(uri).drift()]
    if drifted:
        parts.append(f"requirements: {json.dumps(drifted)[1:-1]}")
    return "; ".join(parts)


def _brings(image: ImageName) -> str:
    python = (f"Python {image.python}",) if image.python else ()
    framework = f"{_TITLES.get(image.framework, image.framework)} {image.version_text}"
    return f"image: {', '.join((*python, framework))}"


def _framework_here(distribution: str) -> str:
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return f", no {distribution}"
    return f", {distribution} {version}"
