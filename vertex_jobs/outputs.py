"""A job's outputs under ``gs://``: list, read, download and write them, on either endpoint.

For the command line and for studies. Only the connection tells Google from Local Vertex. There is
no cache, so reads see what a running job has just written.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from vertex_jobs.errors import (
    EndpointLostError,
    Fault,
    InvalidJobError,
    RequestRefusedError,
    UnsupportedHereError,
)
from vertex_jobs.names import GcsUri

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

#: Given explicitly, since gcsfs would otherwise use STORAGE_EMULATOR_HOST.
_GOOGLE = "https://storage.googleapis.com"


@dataclass(frozen=True)
class StorageConnection:
    """The address of Cloud Storage, and the credentials.

    Attributes:
        endpoint_url: Scheme, host and port of Local Vertex; None for Google.
        project: Id of the project that is billed.
        token: For gcsfs: google-auth credentials, ``google_default``, ``anon``, or the path of a
            key file.
    """

    endpoint_url: str | None
    project: str
    token: Any


@dataclass(frozen=True)
class OutputFile:
    """One object; ``size`` in bytes, ``updated`` in RFC 3339."""

    uri: GcsUri
    size: int
    updated: str


class Outputs:
    """Reads and writes ``gs://`` URIs over one connection.

    Every method may raise ``InvalidJobError`` for a text that is no such URI,
    ``RequestRefusedError``, with code 404 for a missing object, and ``EndpointLostError``.
    """

    def __init__(self, connection: StorageConnection) -> None:
        """Connect at the first call."""
        self._connection = connection
        self._file_system: AbstractFileSystem | None = None

    @property
    def file_system(self) -> "AbstractFileSystem":
        """The fsspec file system, for libraries that take one."""
        if self._file_system is None:
            # From the module, not the package: what the package exports under this name asks for a
            # bucket's type over gRPC first, and stalls 60 s per bucket on a server without it.
            from gcsfs.core import GCSFileSystem

            self._file_system = GCSFileSystem(
                project=self._connection.project,
                token=self._connection.token,
                endpoint_url=self._connection.endpoint_url or _GOOGLE,
                use_listings_cache=False,
                skip_instance_cache=True,
            )
        return self._file_system

    def list_files(self, uri: str) -> tuple[OutputFile, ...]:
        """Return the objects below a directory, or the one of that name, without markers.

        Ordered by name; empty when there is nothing.
        """
        with _translated(uri):
            found = self.file_system.find(_path(uri), detail=True)
        return tuple(
            OutputFile(GcsUri.parse(f"gs://{name}"), entry["size"], entry["updated"])
            for name, entry in sorted(found.items())
            if entry["type"] == "file" and not name.endswith("/")
        )

    def exists(self, uri: str) -> bool:
        """Return whether there is an object of that name, or anything below it."""
        with _translated(uri):
            return bool(self.file_system.exists(_path(uri)))

    def size(self, uri: str) -> int:
        """Return the bytes of an object, or of all below a directory."""
        return sum(file.size for file in self.list_files(uri))

    def read_bytes(self, uri: str) -> bytes:
        """Return the whole object."""
        with _translated(uri):
            return bytes(self.file_system.cat_file(_path(uri)))

    def read_several(self, uris: Iterable[str]) -> dict[str, bytes]:
        """Return whole objects by URI, read at once; those that are not there are left out."""
        paths = {_path(uri): uri for uri in uris}
        if not paths:
            return {}
        with _translated(next(iter(paths.values()))):
            # A list of one is a list all the same; the text of one path would be its content.
            found = self.file_system.cat(list(paths), on_error="return")
            read = {}
            for path, content in found.items():
                if isinstance(content, FileNotFoundError):
                    continue
                if isinstance(content, Exception):
                    raise content
                read[paths[path]] = bytes(content)
        return read

    def read_text(self, uri: str) -> str:
        """Return the whole object, decoded from UTF-8."""
        return self.read_bytes(uri).decode()

    def write_bytes(self, uri: str, data: bytes) -> None:
        """Create or replace an object."""
        with _translated(uri):
            self.file_system.pipe_file(_path(uri), data)

    def download(
        self,
        uri: str,
        directory: str | os.PathLike[str],
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Path, ...]:
        """Copy an object, or all below a directory, into a local directory.

        Files get their names below ``uri``; each appears when it is complete. ``progress`` is
        called after each one with the bytes done and the bytes in all.

        Raises:
            UnsupportedHereError: If a name cannot be a file below ``directory``; then nothing was
                written.
        """
        files = self.list_files(uri)
        if not files:
            raise _missing(uri)
        targets = _targets(files, uri, Path(directory))
        total = sum(file.size for file in files)
        done = 0
        for file, target in zip(files, targets, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".{target.name[:200]}.partial")
            with _translated(str(file.uri)):
                self.file_system.get_file(_path(str(file.uri)), str(partial))
            os.replace(partial, target)
            done += file.size
            if progress is not None:
                progress(done, total)
        return targets


def _parsed(uri: str) -> GcsUri:
    try:
        return GcsUri.parse(uri)
    except ValueError as error:
        fault = Fault("uri", uri, "is not a Cloud Storage URI", "write gs://bucket/path")
        raise InvalidJobError([fault], source="outputs") from error


def _path(uri: str) -> str:
    return str(_parsed(uri)).removeprefix("gs://")


def _targets(files: tuple[OutputFile, ...], uri: str, directory: Path) -> tuple[Path, ...]:
    root = _parsed(uri).path.rstrip("/")
    targets = []
    for file in files:
        below = file.uri.path.removeprefix(root).removeprefix("/")
        relative = below or PurePosixPath(file.uri.path).name
        if not _is_safe(relative):
            raise UnsupportedHereError(
                f"{str(file.uri)!r} cannot be a file below {directory}: its name has an empty, "
                ". or .. component; read it by its URI instead"
            )
        targets.append(directory / relative)
    parents = {parent for target in targets for parent in target.parents}
    if clash := parents.intersection(targets):
        raise UnsupportedHereError(
            f"{min(clash)} would have to be a file and a directory at once; download the objects "
            f"of {uri} one by one"
        )
    return tuple(targets)


def _is_safe(relative: str) -> bool:
    return all(part not in ("", ".", "..") and "\0" not in part for part in relative.split("/"))


def _missing(uri: str) -> RequestRefusedError:
    return RequestRefusedError(
        f"There is no object {uri!r} and nothing below it", code=404, status="NOT_FOUND"
    )


@contextlib.contextmanager
def _translated(uri: str) -> Iterator[None]:
    from aiohttp import ClientError
    from gcsfs.retry import HttpError
    from google.auth.exceptions import GoogleAuthError

    try:
        yield
    except FileNotFoundError as error:
        raise _missing(uri) from error
    except HttpError as error:
        raise RequestRefusedError(
            f"{uri}: {error.message}", code=int(error.code or 500), status="UNKNOWN"
        ) from error
    except GoogleAuthError as error:
        raise RequestRefusedError(f"{uri}: {error}", code=401, status="UNAUTHENTICATED") from error
    except (ClientError, TimeoutError) as error:
        raise EndpointLostError(f"Cloud Storage could not be reached for {uri}: {error}") from error
    except OSError as error:
        if not str(error).startswith("Forbidden"):
            raise
        raise RequestRefusedError(
            f"{uri}: {error}", code=403, status="PERMISSION_DENIED"
        ) from error
