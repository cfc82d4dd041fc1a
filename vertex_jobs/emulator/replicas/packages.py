"""Packages of a job: fetched from the object store, unpacked once, looked into, never installed.

Unpacking onto ``sys.path`` does what an installation of a pure Python package would, in a
thousandth of the time. Requirements are compared with what is installed here.
"""

import contextlib
import functools
import importlib.metadata
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.objects.object_values import StoredObject
from vertex_jobs.names import GcsUri
from vertex_jobs.packaging import ArchiveError, extract, third_party_imports

#: Source: google-cloud-aiplatform, where it uploads a package.
_SDK_PREFIX = re.compile(r"aiplatform-\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d+-")


@dataclass(frozen=True)
class Package:
    """One unpacked package: ``root`` is for ``sys.path``, ``requirements`` are its metadata's."""

    root: Path
    requirements: tuple[str, ...]

    def distributions(self) -> list[str]:
        """Return the names of what it installs, as far as its metadata says; a wheel's does."""
        found = importlib.metadata.distributions(path=[str(self.root)])
        return [canonicalize_name(one.name) for one in found]

    def missing(self, brought: Collection[str] = ()) -> list[str]:
        """Return requirements that are neither installed here nor brought by another package."""
        return [
            text
            for text in self.requirements
            if _installed(text) is None and canonicalize_name(Requirement(text).name) not in brought
        ]

    def drift(self) -> list[str]:
        """Return requirements that another version here stands for, e.g. ``gcsfs 2026.10.1``."""
        found = []
        for text in self.requirements:
            version = _installed(text)
            if version and not Requirement(text).specifier.contains(version, prereleases=True):
                found.append(f"{text} (here {version})")
        return found

    def preload(self, module: str, environment: Mapping[str, str]) -> tuple[str, ...]:
        """Return the third-party modules that the module's package imports at its top.

        ``environment`` is set before it runs; a change of it by the package itself ends the list.
        """
        return _preload(self.root, module, frozenset(environment.items()))

    def sources(self) -> list[Path]:
        """Return every Python file of the package."""
        return sorted(self.root.rglob("*.py"))


@functools.lru_cache(maxsize=256)  # what was unpacked never changes; a study asks at every trial
def _preload(root: Path, module: str, environment: frozenset[tuple[str, str]]) -> tuple[str, ...]:
    path = root.joinpath(*module.split("."))
    sources = path.rglob("*.py") if path.is_dir() else path.parent.glob("*.py")
    return third_party_imports(sorted(sources), dict(environment))


def _installed(requirement: str) -> str | None:
    """Return the version installed here; empty when the requirement's marker excludes it."""
    parsed = Requirement(requirement)
    if parsed.marker is not None and not parsed.marker.evaluate({"extra": ""}):
        return ""
    try:
        return importlib.metadata.version(parsed.name)
    except importlib.metadata.PackageNotFoundError:
        return None


class Packages:
    """The unpacked packages under one folder, keyed by the object's generation."""

    def __init__(self, folder: Path, objects: ObjectStore) -> None:
        """Unpack below the folder, which is created."""
        self._folder = folder
        self._objects = objects
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, uri: str) -> Package:
        """Return the package of a ``gs://`` URI; ApiError if there is none, or it is no package."""
        location = GcsUri.parse(uri)
        stored, file = self._open(location)
        target = self._folder / f"{stored.generation}"
        with file:
            if target.exists():
                return Package(_root(target), _requirements(target, uri))
            with tempfile.TemporaryDirectory(dir=self._folder) as scratch:
                archive = Path(scratch) / f"archive{Path(location.path).suffix}"
                with archive.open("wb") as copy:
                    shutil.copyfileobj(file, copy)
                unpacked = Path(scratch) / "unpacked"
                _unpack(archive, unpacked, uri)
                with contextlib.suppress(OSError):  # another job was first
                    unpacked.rename(target)
        return Package(_root(target), _requirements(target, uri))

    @contextlib.contextmanager
    def archives(self, uris: Sequence[str]) -> Iterator[tuple[Path, ...]]:
        """Give the packages as files under their own names, for an installer.

        Raises:
            ApiError: If there is no such object.
        """
        with tempfile.TemporaryDirectory(dir=self._folder) as scratch:
            paths = []
            for number, uri in enumerate(uris):
                location = GcsUri.parse(uri)
                _, file = self._open(location)
                path = Path(scratch) / str(number) / _archive_name(location.path)
                path.parent.mkdir()
                with file, path.open("wb") as copy:
                    shutil.copyfileobj(file, copy)
                paths.append(path)
            yield tuple(paths)

    def _open(self, location: GcsUri) -> tuple[StoredObject, BinaryIO]:
        try:
            return self._objects.open(location.bucket, location.path)
        except ObjectStoreError as error:
            raise ApiError(
                "INVALID_ARGUMENT", f"The package {location} cannot be read: {error}"
            ) from error


def _archive_name(path: str) -> str:
    """Return the file name that an installer understands.

    The SDK puts ``aiplatform-<time>-`` before it, with colons in the time.
    """
    return _SDK_PREFIX.sub("", Path(path).name)


def _unpack(archive: Path, target: Path, uri: str) -> None:
    try:
        extract(archive, target)
    except (ArchiveError, OSError) as error:
        raise ApiError(
            "INVALID_ARGUMENT", f"The package {uri} cannot be unpacked: {error}"
        ) from error


def _root(target: Path) -> Path:
    """Return where imports start: in the one folder of a source distribution, or its ``src``."""
    folders = [path for path in target.iterdir() if path.is_dir()]
    if len(folders) != 1 or not (folders[0] / "PKG-INFO").exists():
        return target
    source = folders[0] / "src"
    return source if source.is_dir() else folders[0]


def _requirements(target: Path, uri: str) -> tuple[str, ...]:
    """Return the unconditional requirements of the package's metadata."""
    metadata = sorted(target.glob("*.dist-info/METADATA")) or sorted(target.glob("*/PKG-INFO"))
    if not metadata:
        return ()
    distribution = importlib.metadata.PathDistribution(metadata[0].parent)
    try:
        listed = distribution.requires or _egg_requirements(metadata[0].parent)
    except (OSError, UnicodeError) as error:
        raise ApiError(
            "INVALID_ARGUMENT", f"The metadata of the package {uri} cannot be read: {error}"
        ) from error
    for text in listed:
        try:
            Requirement(text)
        except InvalidRequirement as error:
            raise ApiError(
                "INVALID_ARGUMENT", f"The package {uri} requires {text!r}: {error}"
            ) from error
    return tuple(text for text in listed if "extra ==" not in text)


def _egg_requirements(folder: Path) -> list[str]:
    """Return what older build tools write beside the metadata, without extras."""
    lines: list[str] = []
    for path in folder.glob("*.egg-info/requires.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                break
            if line.strip():
                lines.append(line.strip())
    return lines
