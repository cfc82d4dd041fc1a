"""Exact versions for a list of requirements, as uv or pip chooses them for an image's Python.

For the Dockerfile of a config, and for tests. It asks the user's package index, by the user's own
configuration; no address passes through this project.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from vertex_jobs.errors import PackagingError

#: Debian 12 has glibc 2.36; the images of today are no older.
_UV_PLATFORM = "x86_64-manylinux_2_36"
_PIP_PLATFORMS = ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux2014_x86_64")
_PATIENCE_SECONDS = 300
#: Extras that bring what only a GPU can use.
_GPU_EXTRAS = {"and-cuda", "cuda", "cuda11", "cuda12", "cuda13", "cuda12-local", "gpu"}


def resolve(requirements: Sequence[str], python: str) -> tuple[str, ...]:
    """Return ``name==version`` for everything that is installed for requirements, sorted.

    ``python`` is that of the image, e.g. ``3.11``.

    Raises:
        PackagingError: If they do not fit together, or the index cannot be reached; with the
            tool's last lines.
    """
    uv = _uv()
    return _by_uv(uv, requirements, python) if uv else _by_pip(requirements, python)


def for_cpus(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the requirements without what only GPUs or TPUs can use."""
    found = []
    for line in requirements:
        requirement = Requirement(line)
        if canonicalize_name(requirement.name) == "tensorflow-tpu":
            requirement.name = "tensorflow"
        requirement.extras -= _GPU_EXTRAS
        changed = str(requirement)
        found.append(line if changed == str(Requirement(line)) else changed)
    return tuple(found)


def _uv() -> tuple[str, ...]:
    path = shutil.which("uv")
    if path is not None:
        return (path,)
    return (sys.executable, "-m", "uv") if importlib.util.find_spec("uv") else ()


def _by_uv(uv: Sequence[str], requirements: Sequence[str], python: str) -> tuple[str, ...]:
    command = [
        *(*uv, "pip", "compile", "--quiet", "--no-header", "--no-annotate"),
        *("--python-version", python, "--python-platform", _UV_PLATFORM, "-"),
    ]
    written = _run(command, "\n".join(requirements))
    return tuple(sorted(line for line in written.splitlines() if line and line[0] not in "#-"))


def _by_pip(requirements: Sequence[str], python: str) -> tuple[str, ...]:
    platforms = [word for name in _PIP_PLATFORMS for word in ("--platform", name)]
    command = [
        *(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed"),
        *("--report", "-", "--only-binary=:all:", "--target", "unused"),
        *("--python-version", python, *platforms, *requirements),
    ]
    report = json.loads(_run(command, ""))
    chosen = (one["metadata"] for one in report["install"])
    return tuple(sorted(f"{canonicalize_name(one['name'])}=={one['version']}" for one in chosen))


def _run(command: Sequence[str], given: str) -> str:
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PackagingError(
            f"no answer from the package index within {_PATIENCE_SECONDS} s; try again"
        ) from error
    if done.returncode:
        last = "\n".join(f"  | {line}" for line in done.stderr.strip().splitlines()[-12:])
        raise PackagingError(f"the requirements cannot be resolved; correct them:\n{last}")
    return done.stdout
