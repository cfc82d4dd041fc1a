"""Packages of a job: fetched from the object store, unpacked once by content, and looked into.

All of it beside the event loop. An archive whose installed form is known is laid out as pip would;
what becomes of another one only ``installations`` can tell.
"""

import asyncio
import contextlib
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from vertex_jobs.emulator.replicas.package_requirements import read_name, read_requirements
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.objects.object_values import StoredObject
from vertex_jobs.names import GcsUri
from vertex_jobs.packaging import ArchiveError, extract, hash_file, lay_out

#: Source: google-cloud-aiplatform, where it uploads a package.
_SDK_PREFIX = re.compile(r"aiplatform-\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d+-(?=.*\.tar\.gz)")
#: Packages that are remembered, so that a study does not read one at every trial.
_MOST_KNOWN = 1000
#: Of a folder that is being made.
ASIDE = ".aside-"


@dataclass(frozen=True)
class Package:
    """One unpacked archive, with what its own metadata says of it.

    Attributes:
        digest: Of its content; a wheel's with its file name, which belongs to it.
        folder: Modules as they lie in ``site-packages`` if it is ``laid_out``, else its project.
        name: As pip compares it; empty when only its build can tell.
    """

    uri: str
    digest: str
    folder: Path
    laid_out: bool
    name: str
    requirements: tuple[str, ...]


class Packages:
    """The unpacked packages under one folder, which they share with their installations."""

    def __init__(self, folder: Path, objects: ObjectStore) -> None:
        """Unpack below the folder, which is created; what a killed server left there goes."""
        self.folder = folder
        self._objects = objects
        self._known: dict[tuple[str, int], Package] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob(f"{ASIDE}*"):
            shutil.rmtree(path, ignore_errors=True)

    async def read(self, uris: Iterable[str]) -> list[Package]:
        """Return the packages of ``gs://`` URIs.

        Raises:
            ApiError: If there is none, or it cannot be unpacked.
        """
        return await asyncio.to_thread(lambda: [self._get(uri) for uri in uris])

    @contextlib.asynccontextmanager
    async def archives(self, uris: Sequence[str]) -> AsyncIterator[tuple[Path, ...]]:
        """Give the packages as files under their own names, for an installer.

        Raises:
            ApiError: If there is no such object.
        """
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=ASIDE) as scratch:
            yield await asyncio.to_thread(self._copy_all, uris, Path(scratch))

    def _copy_all(self, uris: Sequence[str], scratch: Path) -> tuple[Path, ...]:
        paths = []
        for number, uri in enumerate(uris):
            location = GcsUri.parse(uri)
            paths.append(scratch / str(number) / archive_name(location.path))
            paths[-1].parent.mkdir()
            _, file = self._open(location)
            with file:
                _copy(file, paths[-1])
        return tuple(paths)

    def _get(self, uri: str) -> Package:
        location = GcsUri.parse(uri)
        stored, file = self._open(location)
        with file:
            key = (uri, stored.generation)
            package = self._known.get(key)
            if package is None:
                package = self._unpack(uri, archive_name(location.path), file)
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[key] = package
            return package

    def _unpack(self, uri: str, name: str, file: BinaryIO) -> Package:
        digest = hash_file(file, name if name.endswith(".whl") else "")[:32]
        target = self.folder / digest
        if not target.exists():
            file.seek(0)
            with tempfile.TemporaryDirectory(dir=self.folder, prefix=ASIDE) as scratch:
                archive = Path(scratch) / f"archive{Path(name).suffix}"
                _copy(file, archive)
                content = Path(scratch) / "content"
                content.mkdir()
                _extract(archive, content / "unpacked", uri)
                lay_out(content / "unpacked", name, content / "site")
                with contextlib.suppress(OSError):  # another job was first
                    content.rename(target)
        return _describe(uri, digest, target)

    def _open(self, location: GcsUri) -> tuple[StoredObject, BinaryIO]:
        try:
            return self._objects.open(location.bucket, location.path)
        except ObjectStoreError as error:
            raise ApiError(
                "INVALID_ARGUMENT", f"The package {location} cannot be read: {error}"
            ) from error


def archive_name(path: str) -> str:
    """Return the file name that an installer understands.

    The SDK puts ``aiplatform-<time>-`` before it, with colons in the time.
    """
    name = _SDK_PREFIX.sub("", path.rpartition("/")[2])
    return name if name not in ("", ".", "..") else "package"


def _copy(file: BinaryIO, path: Path) -> None:
    with path.open("wb") as copy:
        shutil.copyfileobj(file, copy)


def _extract(archive: Path, target: Path, uri: str) -> None:
    try:
        extract(archive, target)
    except (ArchiveError, OSError) as error:
        raise ApiError(
            "INVALID_ARGUMENT", f"The package {uri} cannot be unpacked: {error}"
        ) from error


def _describe(uri: str, digest: str, target: Path) -> Package:
    laid_out = (target / "site").is_dir()
    folder = target / "site" if laid_out else _project(target / "unpacked")
    metadata = [*folder.glob("*.dist-info/METADATA"), folder / "PKG-INFO"][0]
    if not metadata.is_file():
        return Package(uri, digest, folder, laid_out, "", ())
    requirements = read_requirements(metadata, uri)
    return Package(uri, digest, folder, laid_out, read_name(metadata), requirements)


def _project(unpacked: Path) -> Path:
    """Return the folder that pip takes for the project: the only one, or the archive's own."""
    found = list(unpacked.iterdir())
    return found[0] if len(found) == 1 and found[0].is_dir() else unpacked
