"""The bytes of objects: immutable files named by number, written aside and then renamed.

A writer fills a file in a directory that its process has locked, so that files of a killed process
are told from those that are still written. The database decides which files are live.
"""

import base64
import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Set
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import google_crc32c

from vertex_jobs.emulator.storage.objects.object_values import Checksums

#: Files are read and hashed in blocks of this many bytes.
BLOCK_BYTES = 1 << 20
#: The beginning of the names of folders that one process writes into.
_INCOMING = "tmp"


def read_blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of a file, block by block."""
    while block := file.read(BLOCK_BYTES):
        yield block


def crc32c_of(file: BinaryIO) -> str:
    """Return the checksum of the rest of a file, in base64 as objects have it."""
    checksum = google_crc32c.Checksum()  # type: ignore[no-untyped-call]
    for block in read_blocks(file):
        checksum.update(block)  # type: ignore[no-untyped-call]
    return base64.b64encode(checksum.digest()).decode()  # type: ignore[no-untyped-call]


def rename_durably(path: Path, target: Path) -> None:
    """Rename a finished file, and make its bytes and its new name durable.

    Synchronised after the rename, because ext4, XFS and btrfs then keep the name too.
    """
    os.replace(path, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


class PayloadWriter:
    """A payload of ``size`` bytes so far, hashed as it grows. For one thread at a time.

    As a context manager it removes its file at the end, unless that has become an object.
    """

    size: int

    def __init__(self, path: Path) -> None:
        """Write to ``path``, which exists and may hold the beginning already."""
        self.path = path
        self._file = path.open("r+b")
        self._hash_all()
        self._is_sequential = True

    def write(self, data: bytes) -> None:
        """Append bytes."""
        self._file.write(data)
        self._hash(data)

    def write_at(self, data: bytes, offset: int) -> None:
        """Write bytes anywhere; other than at the end it costs another reading in ``finish``."""
        if offset == self.size and self._is_sequential:
            self.write(data)
            return
        self._is_sequential = False
        self.size = max(self.size, offset + len(data))
        self._file.seek(offset)
        self._file.write(data)

    def read_at(self, size: int, offset: int) -> bytes:
        """Read back what was written."""
        self._is_sequential = False  # the file's position is no longer at the end
        self._file.seek(offset)
        return self._file.read(size)

    def truncate(self, size: int) -> None:
        """Cut the end off, or fill up with zeros."""
        if size == self.size:
            return
        self._file.truncate(size)
        self._is_sequential = size == 0
        if self._is_sequential:
            self._hash_all()
        self.size = size

    def flush(self) -> None:
        """Hand the bytes to the operating system, so that they outlive this process."""
        self._file.flush()

    def finish(self) -> Checksums:
        """Close the file and return the checksums of its bytes.

        Large ones are on the disk then, so that nobody waits for them behind the store's lock.
        """
        if not self._is_sequential:
            self._hash_all()
        self._file.flush()
        if self.size > BLOCK_BYTES:
            os.fsync(self._file.fileno())
        self._file.close()
        crc32c, md5 = (base64.b64encode(h.digest()).decode() for h in (self._crc32c, self._md5))
        return Checksums(crc32c=crc32c, md5=md5)

    def close(self) -> None:
        """Close the file and leave it for an upload that continues later."""
        self._file.close()

    def __enter__(self) -> "PayloadWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _hash_all(self) -> None:
        """Hash the file from its beginning; its position is at the end then."""
        self.size = 0
        self._crc32c = google_crc32c.Checksum()  # type: ignore[no-untyped-call]
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._file.seek(0)
        for block in read_blocks(self._file):
            self._hash(block)

    def _hash(self, data: bytes) -> None:
        self.size += len(data)
        self._crc32c.update(data)  # type: ignore[no-untyped-call]
        self._md5.update(data)


class Payloads:
    """The payload files of one store directory."""

    def __init__(self, directory: Path) -> None:
        """Make the directories and lock one for the files that this process will write."""
        self._files = directory / "payloads"
        incoming = directory / "incoming"
        for folder in (self._files, incoming):
            folder.mkdir(parents=True, exist_ok=True)
        opening = _lock(
            incoming, wait=True
        )  # else another opener could take our new folder for dead
        try:
            _remove_abandoned(incoming)
            self._incoming = Path(tempfile.mkdtemp(dir=incoming, prefix=_INCOMING))
            self._lock = _lock(self._incoming)
        finally:
            os.close(opening)

    def writer(self) -> PayloadWriter:
        """Return a new, empty payload."""
        handle, path = tempfile.mkstemp(dir=self._incoming)
        os.close(handle)
        return PayloadWriter(Path(path))

    def adopt(self, path: Path, number: int) -> None:
        """Give a finished file its number, durably; the caller holds the store's write lock."""
        rename_durably(path, self._files / str(number))

    def open(self, number: int) -> BinaryIO:
        """Open a payload for reading; it stays readable even when it is removed meanwhile."""
        return (self._files / str(number)).open("rb")

    def remove(self, number: int) -> None:
        """Remove a payload that no object refers to."""
        (self._files / str(number)).unlink(missing_ok=True)

    def sweep(self, live: Set[int]) -> None:
        """Remove payloads that no object refers to; the caller holds the store's write lock."""
        with os.scandir(self._files) as entries:
            numbered = [entry for entry in entries if entry.name.isdecimal()]
        dead = [entry.path for entry in numbered if int(entry.name) not in live]
        for path in dead:
            os.unlink(path)

    def close(self) -> None:
        """Drop what was not finished and free the lock."""
        shutil.rmtree(self._incoming, ignore_errors=True)
        os.close(self._lock)


def _lock(folder: Path, *, wait: bool = False) -> int:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _remove_abandoned(incoming: Path) -> None:
    for folder in incoming.glob(f"{_INCOMING}*"):
        # A folder that cannot be locked belongs to a living process.
        with contextlib.suppress(BlockingIOError):
            descriptor = _lock(folder)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)
