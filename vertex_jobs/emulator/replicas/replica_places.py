"""Where a pool's replicas run: which interpreter or engine, with which packages.

It turns a task's ``place`` into what a ReplicaSpec needs, and waits for what must be built or
mounted first. How environments are built and engines are called is in ``emulator.environments``.
"""

import asyncio
import dataclasses
import functools
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vertex_jobs.catalog.container_images import parse_image
from vertex_jobs.emulator.environments.isolated import Recipe
from vertex_jobs.emulator.replicas.gcs_paths import mentions_gcs, used_buckets
from vertex_jobs.emulator.replicas.host import Host
from vertex_jobs.emulator.replicas.metric_folder import names_metric_folder
from vertex_jobs.emulator.replicas.tasks import PoolTask
from vertex_jobs.emulator.storage.gcs_copy import Buckets
from vertex_jobs.packaging import third_party_imports


@dataclass(frozen=True)
class Start:
    """A replica as the command that starts it is told of it.

    Attributes:
        name: Unique on this machine.
        arguments: The program's, a trial's included.
        variables: The replica's whole environment.
        gcs_folder: A copy of buckets that it is to see as ``/gcs``; empty for none.
    """

    name: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    devices: Sequence[str]
    gcs_folder: str = ""


@dataclass(frozen=True)
class Place:
    """Where a pool's replicas run.

    Attributes:
        preload: What a warm parent may import.
        variables: What the place adds to a replica's environment.
        command: Makes the command of a replica that is not a module.
        drift: Requirements of the packages that another version here stands for.
        names_metric_folder: Whether a trial reports at the literal ``/var/hypertune``.
        copied_buckets: Buckets that its ``/gcs`` is a copy of; None where it is no copy.
    """

    interpreter: str
    search_path: tuple[str, ...] = ()
    preload: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    command: Callable[[Start], tuple[str, ...]] | None = None
    drift: tuple[str, ...] = ()
    copied_buckets: Buckets | None = None
    names_metric_folder: bool = False


async def prepare_place(host: Host, task: PoolTask, say: Callable[[str], None]) -> Place:
    """Make a pool's place ready; ``say`` is called with lines of progress.

    Raises:
        ApiError: If a package cannot be read.
        UnsupportedHereError: If the place cannot be made ready here.
    """
    packages = await host.packages.read(task.package_uris)
    if task.place == "isolated":
        folders = [package.folder for package in packages]
        copied = await _copied_buckets(host, task, folders)
        place = await _isolated(host, task, _preload(task, folders), say)
        named = names_metric_folder(task, folders)
        return dataclasses.replace(place, copied_buckets=copied, names_metric_folder=named)
    installed = await host.installations.get(packages, say)
    programs = [installed.programs] if installed.programs else []
    if task.command:
        programs.append(Path(sys.executable).parent)
    return Place(
        sys.executable,
        tuple(map(str, installed.search_path)),
        _preload(task, installed.search_path),
        {"PATH": _path_with(*programs)} if programs else {},
        _mapped_command(task),
        installed.drift,
        await _copied_buckets(host, task, installed.search_path),
        names_metric_folder(task, installed.search_path),
    )


async def _copied_buckets(host: Host, task: PoolTask, folders: Sequence[Path]) -> Buckets | None:
    """Return the buckets to copy for a program that counts on ``/gcs`` where none is mounted."""
    if mentions_gcs(task, folders) and await host.gcs_way() == "copy":
        return used_buckets(task, folders)
    return None


def _mapped_command(task: PoolTask) -> Callable[[Start], tuple[str, ...]] | None:
    return (lambda start: task.command + start.arguments) if task.command else None


def _preload(task: PoolTask, folders: Iterable[Path]) -> tuple[str, ...]:
    """Return the third-party modules that the task's package imports at its top.

    The task's variables are set before it runs; a change of one by the package ends the list.
    """
    environment = frozenset(task.environment)
    found = [name for folder in folders for name in _imports(folder, task.module, environment)]
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=256)  # what was installed never changes; a study asks at every trial
def _imports(folder: Path, module: str, environment: frozenset[tuple[str, str]]) -> tuple[str, ...]:
    path = folder.joinpath(*module.split("."))
    sources = path.rglob("*.py") if path.is_dir() else path.parent.glob("*.py")
    return third_party_imports(sorted(sources), dict(environment))


def _path_with(*first: Path, without: Path | None = None) -> str:
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    put = [str(folder) for folder in first]
    return os.pathsep.join([*put, *(one for one in folders if one not in (*put, str(without)))])


async def _isolated(
    host: Host, task: PoolTask, preload: tuple[str, ...], say: Callable[[str], None]
) -> Place:
    image = parse_image(task.image)
    base = task.requirements + (image.requirements if image else ())
    python = await _python(image.python if image else "")
    async with host.packages.archives(task.package_uris) as archives:
        recipe = Recipe(python, archives, base)
        environment = await host.environments.get(recipe, say)
    programs = environment.folder / "bin"
    search_path = (str(environment.packages),) if environment.packages else ()
    installed = [environment.packages / "bin"] if environment.packages else []
    variables = {
        "PATH": _path_with(*installed, programs, without=Path(sys.executable).parent),
        "VIRTUAL_ENV": str(environment.folder),
        "PYTHONNOUSERSITE": "1",
    }
    return Place(environment.python, search_path, preload, variables, _mapped_command(task))


async def _python(version: str) -> str:
    """Return the image's Python where this machine has a working one, else the current one."""
    found = shutil.which(f"python{version}") if version else None
    if found is None or version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    # What is on the PATH may be a shim of pyenv's, for a version that is not to be had.
    asked = await asyncio.create_subprocess_exec(
        *(found, "-I", "-c", "import sys, venv; print(sys.executable)"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    answer, _ = await asked.communicate()
    return answer.decode().strip() if asked.returncode == 0 else sys.executable
