"""One job's code as a package: which files, under which name, and the archive itself.

The archive holds one top-level package. Its folder is first on ``sys.path`` while the script
runs, so siblings import as they do under ``python script.py``; the runtime lies beside them as
``vertex_jobs`` and is seen by this script alone. What the names depend on is hashed before
anything is named, so equal code has an equal name whichever machine or zlib packed it.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.requirements import declare_requirements
from vertex_jobs.packaging.sdist import write_sdist
from vertex_jobs.packaging.sources import collect_package, collect_script

if TYPE_CHECKING:
    from vertex_jobs.spec import JobSpec

__all__ = ["Package", "PackageFile", "describe", "package"]

_VERSION = "0.1.0"
_HASH_CHARACTERS = 12
_TRAVELLING_MODULES = ("__init__.py", "errors.py", "names.py", "py.typed")

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
    """One file of a package.

    Attributes:
        path: Relative to the package's folder, with forward slashes.
        content: Its bytes as they were when they were hashed.
    """

    path: str
    content: bytes


@dataclass(frozen=True)
class Package:
    """What a job's package is called and holds.

    Attributes:
        module_name: What ``python -m`` runs, and the archive's only top-level package.
        content_hash: First 12 hexadecimal digits of the SHA-256 of files and requirements.
        file_name: Name of the archive.
        files: Sorted by path.
        requirements: What pip installs beside it, sorted.
    """

    module_name: str
    content_hash: str
    file_name: str
    files: tuple[PackageFile, ...]
    requirements: tuple[str, ...]


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
    contents = {**_user_contents(Path(job.script_path), job.python_module_name), **_runtime()}
    files = tuple(PackageFile(path, contents[path]) for path in sorted(contents))
    requirements = declare_requirements(job.requirements)
    content_hash = _content_hash(files, requirements)
    module_name = f"vertex_jobs_task_{content_hash}"
    return Package(
        module_name=module_name,
        content_hash=content_hash,
        file_name=f"{module_name}-{_VERSION}.tar.gz",
        files=files,
        requirements=requirements,
    )


def package(job: "JobSpec", directory: Path) -> Path:
    """Write a job's package into a folder, which is created, and return the archive's path.

    Raises:
        PackagingError: As ``describe``.
    """
    described = describe(job)
    path = directory / described.file_name
    write_sdist(
        path,
        name=described.module_name,
        version=_VERSION,
        contents={file.path: file.content for file in described.files},
        requirements=described.requirements,
    )
    return path


def _user_contents(source: Path, module: str | None) -> dict[str, bytes]:
    """The person's files and the ``__main__`` that runs them."""
    if source.is_dir():
        if module is None:
            raise PackagingError(
                f"{source}: a folder needs python_module_name, the module to run; "
                f"e.g. {source.name}.task"
            )
        found, entry = collect_package(source, module)
        run = _RUN_MODULE.format(entry=module)
    else:
        found, entry = collect_script(source), source.name
        run = _RUN_SCRIPT.format(entry=entry)
    if entry in ("__init__.py", "__main__.py"):
        raise PackagingError(f"{found[entry]}: the package has its own {entry}; rename this file")
    contents = {path: found[path].read_bytes() for path in found}
    # At the top of sys.path these two are never imported, so the package's own may take the name.
    contents["__init__.py"] = b""
    contents["__main__.py"] = (_MAIN + run).encode()
    return contents


def _runtime() -> dict[str, bytes]:
    """Byte-identical copies of what a script may import from us."""
    home = Path(__file__).parent.parent
    paths = [home / name for name in _TRAVELLING_MODULES]
    paths += (home / "runtime").rglob("*.py")
    return {f"vertex_jobs/{path.relative_to(home).as_posix()}": path.read_bytes() for path in paths}


def _content_hash(files: tuple[PackageFile, ...], requirements: tuple[str, ...]) -> str:
    """A hash in which every part's length is fixed, so that no two contents read alike."""
    total = hashlib.sha256()
    for file in files:
        for part in (file.path.encode(), file.content):
            total.update(hashlib.sha256(part).digest())
    total.update(hashlib.sha256("\n".join(requirements).encode()).digest())
    return total.hexdigest()[:_HASH_CHARACTERS]
