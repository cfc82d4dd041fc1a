"""Packages of a job as they are installed for its replicas: in order, in one place, by content.

The service runs pip on each package in turn. Here each is laid out or installed by pip on its own,
once for its content and what was installed before it; several of them are put into one folder, the
later over the earlier. A folder is made aside and renamed, so half of one is never used.
"""

import asyncio
import hashlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from vertex_jobs.emulator.environments.package_installer import (
    PackageInstaller,
    absent_build_requirements,
    programs_folder,
    site_folders,
)
from vertex_jobs.emulator.environments.tool_runs import Say
from vertex_jobs.emulator.replicas.package_requirements import (
    compare,
    read_requirements,
    refuse_missing,
    versions_in,
)
from vertex_jobs.emulator.replicas.packages import ASIDE, Package, Packages
from vertex_jobs.emulator.status import ApiError


@dataclass(frozen=True)
class Installed:
    """A job's packages in one place.

    Attributes:
        search_path: Folders of modules.
        programs: The folder of console scripts; None when there are none.
        drift: Requirements that another version here stands for.
    """

    search_path: tuple[Path, ...]
    programs: Path | None
    drift: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    """Folders of modules, and the prefix that they belong to; None for what is only laid out."""

    sites: tuple[Path, ...]
    prefix: Path | None

    @property
    def programs(self) -> Path | None:
        folder = programs_folder(self.prefix) if self.prefix else None
        return folder if folder and folder.is_dir() else None


@dataclass(frozen=True)
class _Step:
    """One package on its own; the key stands for its content and what was there before it."""

    package: Package
    key: str
    place: _Place


class Installations:
    """The installations of one server."""

    def __init__(self, packages: Packages, installer: PackageInstaller) -> None:
        """Install beside the unpacked packages, below their folder."""
        self._packages = packages
        self._installer = installer
        self._locks: dict[Path, asyncio.Lock] = {}

    async def get(self, packages: Sequence[Package], say: Say) -> Installed:
        """Return the installation of packages in that order; ``say`` hears of what is built.

        Raises:
            ApiError: If pip refuses one, or it requires what is not installed here.
        """
        steps: list[_Step] = []
        for package in packages:
            steps.append(await self._step(package, steps, say))
        if len(steps) > 1:
            prefix = await self._joined(steps)
            place = _Place(site_folders(prefix), prefix)
        else:
            place = steps[0].place if steps else _Place((), None)
        found = await asyncio.to_thread(_compare, steps, place.sites)
        return Installed(place.sites, place.programs, found)

    async def _step(self, package: Package, earlier: Sequence[_Step], say: Say) -> _Step:
        if package.laid_out:
            return _Step(package, package.digest, _Place((package.folder,), None))
        key = _digest(sys.executable, sys.version, *(step.key for step in earlier), package.digest)
        visible = [site for step in reversed(earlier) for site in step.place.sites]

        async def install(prefix: Path) -> None:
            say(f"Installing the package: {package.uri}")
            absent = await asyncio.to_thread(absent_build_requirements, package.folder)
            async with self._packages.archives([package.uri]) as (archive,):
                done = await self._installer.install(archive, prefix, visible, absent, say)
            if done.code != 0:
                raise _refusal(package.uri, done.code, done.last_lines, absent)

        folder = self._packages.folder / f"installed-{key}"
        await self._once(folder, install, say)
        return _Step(package, key, _Place(site_folders(folder), folder))

    async def _joined(self, steps: Sequence[_Step]) -> Path:
        key = _digest(sys.executable, sys.version, *(step.key for step in steps))

        async def join(prefix: Path) -> None:
            await asyncio.to_thread(_join, steps, prefix)

        folder = self._packages.folder / f"joined-{key}"
        await self._once(folder, join, lambda line: None)
        return folder

    async def _once(self, folder: Path, make: Callable[[Path], Awaitable[None]], say: Say) -> None:
        """Make a folder unless it is there; one maker at a time."""
        lock = self._locks.setdefault(folder, asyncio.Lock())
        if lock.locked():
            say("Waiting for the packages, which another job of this server installs.")
        async with lock:
            if folder.exists():
                return
            scratch = Path(tempfile.mkdtemp(dir=self._packages.folder, prefix=ASIDE))
            try:
                prefix = scratch / "prefix"
                prefix.mkdir()
                await make(prefix)
                prefix.rename(folder)
            finally:
                await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)


def _refusal(uri: str, code: int, last_lines: Sequence[str], absent: Sequence[str]) -> ApiError:
    hint = ""
    if absent:
        hint = (
            f" Its build needs {', '.join(absent)}, not installed here, so pip asked an index: "
            "let it reach one, or install that into the environment that runs vertex-jobs."
        )
    return ApiError(
        "INVALID_ARGUMENT",
        f"The package {uri} could not be installed: pip ended with exit code {code}.{hint} Its "
        "last lines:\n" + "\n".join(last_lines),
    )


def _compare(steps: Sequence[_Step], sites: Sequence[Path]) -> tuple[str, ...]:
    """Refuse absent requirements; return those that another version stands for."""
    brought = versions_in(sites)
    found = {step.package.uri: compare(_requirements(step), brought) for step in steps}
    refuse_missing([(text, uri) for uri, one in found.items() for text in one.absent])
    return tuple(text for one in found.values() for text in one.drifted)


def _requirements(step: _Step) -> list[str]:
    found = [
        path for site in step.place.sites for path in sorted(site.glob("*.dist-info/METADATA"))
    ]
    return [text for path in found for text in read_requirements(path, step.package.uri)]


def _join(steps: Sequence[_Step], prefix: Path) -> None:
    """Put packages into one place by links, as one run of pip after the other would."""
    place = site_folders(prefix)
    for step in steps:
        names = versions_in(step.place.sites)
        for earlier in importlib.metadata.distributions(path=[str(path) for path in place]):
            if canonicalize_name(earlier.name) in names:
                _uninstall(earlier)
        if step.place.prefix:
            _link(step.place.prefix, prefix)
        else:
            _link(step.place.sites[0], place[0], shutil.ignore_patterns("__pycache__"))


def _uninstall(distribution: importlib.metadata.Distribution) -> None:
    """Remove a distribution's files, and the folders that this leaves empty."""
    for file in distribution.files or ():
        path = Path(os.path.normpath(Path(str(distribution.locate_file(file)))))
        path.unlink(missing_ok=True)
        for folder in path.parents:
            try:
                folder.rmdir()
            except OSError:
                break


def _link(
    source: Path, target: Path, ignore: Callable[[str, list[str]], set[str]] | None = None
) -> None:
    shutil.copytree(source, target, ignore=ignore, copy_function=_replace, dirs_exist_ok=True)


def _replace(source: str, target: str) -> None:
    Path(target).unlink(missing_ok=True)
    os.link(source, target)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
