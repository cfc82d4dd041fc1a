"""Open files, by handle, and files that are being written, by name."""

import errno
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from vertex_jobs.emulator.faults.incidents import MountReads
from vertex_jobs.emulator.storage.gcs_mount.attributes import (
    file_attributes,
    object_attributes,
    os_error,
    staged_attributes,
)
from vertex_jobs.emulator.storage.gcs_mount.staging import StagedFile
from vertex_jobs.emulator.storage.objects import ObjectStore, StoredObject

_Place = tuple[str, str]


@dataclass
class _Handle:
    """An open file; one that only reads opens its bytes at the latest with the first read."""

    place: _Place
    reader: BinaryIO | None = None
    staged: StagedFile | None = None


class OpenFiles:
    """Open files of one mount; a place is a bucket and an object name.

    All handles of a file that is open for writing share its bytes.
    """

    def __init__(self, store: ObjectStore, reads: MountReads) -> None:
        self._store = store
        self._reads = reads
        self._handles: dict[int, _Handle] = {}
        self._numbers = itertools.count(1)  # 0 means: no handle
        self._staged: dict[_Place, StagedFile] = {}

    def staged(self, place: _Place) -> StagedFile | None:
        """Return the file there, if it is open for writing."""
        return self._staged.get(place)

    def names_below(self, bucket: str, prefix: str) -> Iterator[str]:
        """Yield the names of a directory's files that are open for writing."""
        for staged_bucket, name in self._staged:
            rest = name.removeprefix(prefix)
            if staged_bucket == bucket and name.startswith(prefix) and "/" not in rest:
                yield rest

    def create(self, place: _Place) -> int:
        """Open a new file; it becomes an object when it is closed."""
        return self._open_staged(place, None)

    def open(self, place: _Place, flags: int) -> int:
        """Open an existing file and return its handle.

        Raises:
            ObjectStoreError: If there is none.
        """
        is_staged = place in self._staged
        if flags & os.O_ACCMODE == os.O_RDONLY:
            return self._add(_Handle(place, None if is_staged else self._read(place)))
        number = self._open_staged(place, None if is_staged else self._store.get(*place))
        if flags & os.O_TRUNC:
            self._staged[place].truncate(0)
        return number

    def attributes(self, number: int) -> dict[str, Any]:
        """Return the attributes of an open file."""
        handle = self._handles[number]
        staged = self._written(handle)
        if staged is not None:
            return staged_attributes(staged)
        if handle.reader is not None:
            return file_attributes(os.fstat(handle.reader.fileno()).st_size, None)
        return object_attributes(self._store.get(*handle.place))

    def read(self, number: int, size: int, offset: int) -> bytes:
        """Read bytes, with those that another handle has written and not yet closed."""
        handle = self._handles[number]
        staged = self._written(handle)
        if staged is not None:
            return staged.read(size, offset)
        if handle.reader is None:
            handle.reader = self._read(handle.place)
        return os.pread(handle.reader.fileno(), size, offset)

    def writable(self, number: int) -> StagedFile:
        """Return the file behind a handle that may write.

        Raises:
            OSError: With EBADF, if it may not.
        """
        staged = self._handles[number].staged
        if staged is None:
            raise os_error(errno.EBADF)
        return staged

    def publish(self, number: int) -> None:
        """Publish what was written through a handle, unless the file was deleted."""
        staged = self._handles[number].staged
        if staged is not None and staged is self._staged.get(staged.place):
            staged.publish()

    def close(self, number: int) -> None:
        """Forget a handle, and its file with the last one that writes."""
        handle = self._handles.pop(number)
        if handle.reader is not None:
            handle.reader.close()
        staged = handle.staged
        if staged is None:
            return
        staged.writers -= 1
        if staged.writers == 0:
            staged.discard()
            if self._staged.get(staged.place) is staged:
                del self._staged[staged.place]

    def forget(self, place: _Place) -> bool:
        """Detach a file's writers from its name; return whether there were any."""
        return self._staged.pop(place, None) is not None

    def rename(self, source: _Place, target: _Place) -> None:
        """Rename an object; its open handles follow.

        Raises:
            ObjectStoreError: If there is no such object.
        """
        staged = self._staged.pop(source, None)
        if staged is not None:
            staged.publish()
        self.forget(target)
        moved = self._store.copy(self._store.get(*source), *target, move=True)
        if staged is not None:
            staged.moved(moved)
            self._staged[target] = staged
        for handle in self._handles.values():
            if handle.place == source:
                handle.place = target

    def _read(self, place: _Place) -> BinaryIO:
        stored, reader = self._store.open(*place)
        self._reads.note(f"gs://{stored.bucket}/{stored.name}", stored.updated)
        return reader

    def _written(self, handle: _Handle) -> StagedFile | None:
        return handle.staged or self._staged.get(handle.place)

    def _open_staged(self, place: _Place, base: StoredObject | None) -> int:
        staged = self._staged.get(place)
        if staged is None:
            staged = self._staged[place] = StagedFile(self._store, place, base)
        staged.writers += 1
        return self._add(_Handle(place, staged=staged))

    def _add(self, handle: _Handle) -> int:
        number = next(self._numbers)
        self._handles[number] = handle
        return number
