"""Lines of a job's log before its program starts: how this machine differs, what is run.

A prebuilt image's runner writes some before it hands over to the program. Only those that are true
here: nothing is copied with gsutil, and where pip has installed a package its own lines stand.
Source: log of a real job, February 2026.
"""

import importlib.metadata
import json
import sys
from collections.abc import Iterator, Mapping, Sequence

from vertex_jobs.catalog.container_images import ImageContents, parse_image
from vertex_jobs.emulator.replicas.replica_environment import program_text
from vertex_jobs.emulator.replicas.tasks import ENGINES, PoolTask

_TITLES = {"tf": "TensorFlow"}


def drift_line(task: PoolTask, drifted: Sequence[str]) -> str:
    """Return one line about the program of a job's first pool; empty when the image itself runs.

    ``drifted`` are requirements of its packages that another version here stands for.
    """
    if task.place in ENGINES:
        return ""
    image = parse_image(task.image)
    there = f"image {task.image}: unknown to Local Vertex" if image is None else _brings(image)
    if task.place == "isolated":
        installed = (*(image.requirements if image else ()), *task.requirements)
        held = ", ".join((*installed, "the packages' own requirements"))
        return f"{there} · here: an isolated environment with {held}"
    here = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    framework = _framework_here(image.distribution) if image is not None else ""
    parts = [f"{there} · here: {here}{framework}"]
    if image is not None and image.has_legacy_keras:
        parts.append("Keras 2, as TF_USE_LEGACY_KERAS=1 and tf_keras")
    if drifted:
        parts.append(f"requirements: {json.dumps(list(drifted))[1:-1]}")
    return "; ".join(parts)


def _brings(image: ImageContents) -> str:
    python = (f"Python {image.python}",) if image.python else ()
    title = _TITLES.get(image.framework, image.framework)
    framework = (f"{title} {image.version_text}",) if title else ()
    return f"image: {', '.join((*python, *framework))}"


def _framework_here(distribution: str) -> str:
    if not distribution:
        return ""
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return f", no {distribution}"
    return f", {distribution} {version}"


def runner_lines(
    task: PoolTask, arguments: Sequence[str], variables: Mapping[str, str]
) -> Iterator[str]:
    """Yield the runner's lines of one replica; none for a container's own command."""
    if not task.module:
        return
    if "MASTER_ADDR" in variables:
        yield f"Updating master address to local address {variables['MASTER_ADDR']}"
    spec = json.loads(variables["CLUSTER_SPEC"])
    job = program_text(task.module, task.package_uris, arguments)
    yield (
        f"Running task with arguments: --cluster={json.dumps(spec['cluster'])} "
        f"--task={json.dumps(spec['task'])} --job={job}"
    )
    yield f"Running module {task.module}."
    yield f"Running command: {' '.join(['python3', '-m', task.module, *arguments])}"
