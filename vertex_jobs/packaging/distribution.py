"""One job's code as a package: its files, its names and its archive.

The archive holds one top-level package. Its folder is first on ``sys.path`` while the script
runs, so siblings import as they do under ``python script.py``; the runtime lies beside them as
``vertex_jobs``, visible to this script alone. The names come from a hash of the content, so equal
code has equal names on every machine and with every zlib.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.catalog.container_images import parse_image
from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.requirement_sources import expand
from vertex_jobs.packaging.requirements import declare_requirements
from vertex_jobs.packaging.runtime_files import runtime_files
from vertex_jobs.packaging.sdist import write_sdist
from vertex_jobs.packaging.sources import Selection, Sources, collect_package, collect_script
from vertex_jobs.packaging.wheels import Wheel, is_wheel_file, read_wheels

if TYPE_CHECKING:
    from vertex_jobs.spec import JobSpec

_VERSION = "0.1.0"
_HASH_CHARACTERS = 12

_MAIN = '''\
"""Run the training code as ``python`` would, with this folder first on ``sys.path``."""

import os
import runpy
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
'''
_RUN_SCRIPT = """\
runpy.run_path(os.path.join(FOLDER, {entry!a}), run_name="__main__")
"""
_RUN_MODULE = """\
runpy.run_module({entry!a}, run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class PackageFile:
    """One file of a package, with its bytes as they were hashed.

    The path is relative to the package's folder, with forward slashes.
    """

    path: str
    content: bytes


@dataclass(frozen=True)
class Package:
    """A job's package: its names and its content.

    Attributes:
        module_name: The module that ``python -m`` runs, the archive's only top-level package.
        content_hash: First 12 hexadecimal digits of the SHA-256 of files, requirements and wheels.
        files: Sorted by path.
        requirements: The libraries that pip installs beside it, sorted.
        wheels: Private ones, installed before it, in the order of the requirements.
        entry: Path of the file that runs.
        left_out: Files that do not travel, by the name that the user knows, to the reason.
    """

    module_name: str
    content_hash: str
    file_name: str
    files: tuple[PackageFile, ...]
    requirements: tuple[str, ...]
    wheels: tuple[Wheel, ...] = ()
    entry: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict, compare=False)


def describe(job: "JobSpec") -> Package:
    """Read and hash a job's code; nothing is written.

    Raises:
        PackagingError: If the job has no code of its own, or its code cannot travel; the message
            says which file and why.
    """
    if job.script_path is None:
        raise PackagingError(
            "the job has no script_path, so there is nothing to package; its container holds "
            "the code"
        )
    sources = _collect(Path(job.script_path), job)
    contents = {**sources.contents, **_starter(sources, job.python_module_name), **runtime_files()}
    files = tuple(PackageFile(path, contents[path]) for path in sorted(contents))
    image = job.worker_pools_resolved()[0].container_uri
    known = parse_image(image)
    listed = expand(job.requirements, known.python if known is not None else "")
    requirements = declare_requirements(line for line in listed if not is_wheel_file(line))
    wheels = read_wheels(listed, image)
    content_hash = _content_hash(files, requirements, wheels)
    module_name = f"vertex_jobs_task_{content_hash}"
    return Package(
        module_name=module_name,
        content_hash=content_hash,
        file_name=f"{module_name}-{_VERSION}.tar.gz",
        files=files,
        requirements=requirements,
        wheels=wheels,
        entry=sources.entry,
        left_out=sources.left_out,
    )


def write(package: Package, directory: Path) -> tuple[Path, ...]:
    """Write wheels and archive, and return their paths in the order of installation.

    The folder is created; the archive is the last.
    """
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for wheel in package.wheels:
        paths.append(directory / wheel.file_name)
        paths[-1].write_bytes(wheel.content)
    paths.append(directory / package.file_name)
    write_sdist(
        paths[-1],
        name=package.module_name,
        version=_VERSION,
        contents={file.path: file.content for file in package.files},
        requirements=package.requirements,
    )
    return tuple(paths)


def _collect(source: Path, job: "JobSpec") -> Sources:
    selection = Selection(job.data_files, job.exclude_files)
    if not source.is_dir():
        return collect_script(source, selection)
    if job.python_module_name is None:
        raise PackagingError(
            f"{source}: a folder needs python_module_name, the module to run; "
            f"e.g. {source.name}.task"
        )
    return collect_package(source, job.python_module_name, selection)


def _starter(sources: Sources, module: str | None) -> dict[str, bytes]:
    """Return the package's own two files; ``__main__`` runs the user's code.

    The user's files may have the same names: nothing imports these two from ``sys.path``.
    """
    if sources.entry in ("__init__.py", "__main__.py"):
        raise PackagingError(
            f"{sources.entry}: the package has its own {sources.entry}; rename this file"
        )
    run = _RUN_SCRIPT.format(entry=sources.entry)
    if module is not None:
        run = _RUN_MODULE.format(entry=module)
    return {"__init__.py": b"", "__main__.py": (_MAIN + run).encode()}


def _content_hash(
    files: tuple[PackageFile, ...], requirements: tuple[str, ...], wheels: tuple[Wheel, ...]
) -> str:
    """Return a hash of parts of fixed length, so that different contents never look the same."""
    total = hashlib.sha256()
    for file in files:
        for part in (file.path.encode(), file.content):
            total.update(hashlib.sha256(part).digest())
    total.update(hashlib.sha256("\n".join(requirements).encode()).digest())
    for wheel in wheels:
        for part in (wheel.file_name.encode(), wheel.content):
            total.update(hashlib.sha256(part).digest())
    return total.hexdigest()[:_HASH_CHARACTERS]
