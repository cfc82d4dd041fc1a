"""A file that is open for writing: its bytes before they become an object.

Every flush publishes a new generation, on the condition that nobody else has changed the object
since; otherwise the writer gets ESTALE, as Cloud Storage FUSE has it.
"""

import errno
import mimetypes
import os
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from vertex_jobs.emulator.storage.objects import (
    ObjectStore,
    PayloadWriter,
    PreconditionFailedError,
    Preconditions,
    StoredObject,
)
from vertex_jobs.emulator.storage.objects.payloads import read_blocks

#: Custom metadata that keeps a file's modification time. Source: Cloud Storage FUSE, Semantics.
_MTIME_KEY = "gcsfuse_mtime"


class StagedFile:
    """One file, shared by its ``writers``: all handles that have it open for writing.

    A rename changes ``place``, which is its bucket and name.
    """

    def __init__(
        self, store: ObjectStore, place: tuple[str, str], base: StoredObject | None
    ) -> None:
        """Begin with the bytes of ``base``, or with a new file when that is None."""
        self.place = place
        self.writers = 0
        self._store = store
        self._base = base
        self._payload: PayloadWriter | None = None if base else store.writer()
        self._mtime_ns: int | None = None

    @property
    def size(self) -> int:
        """Bytes as the writers see them."""
        if self._payload is not None:
            return self._payload.size
        return self._base.size if self._base else 0

    @property
    def mtime_ns(self) -> int | None:
        """The modification time that was set, or of what was published; None for now."""
        if self._mtime_ns is None and self._payload is None and self._base is not None:
            return modified_ns(self._base)
        return self._mtime_ns

    def read(self, size: int, offset: int) -> bytes:
        """Read what was written, published or not."""
        return self._loaded().read_at(size, offset)

    def write(self, data: bytes, offset: int) -> None:
        """Write anywhere."""
        self._loaded().write_at(data, offset)

    def truncate(self, size: int) -> None:
        """Set the size."""
        if size == 0 and self._payload is None:
            self._payload = self._store.writer()  # no need to copy what is thrown away
        self._loaded().truncate(size)

    def set_mtime(self, mtime_ns: int) -> None:
        """Set the time that the next flush records."""
        self._mtime_ns = mtime_ns

    def publish(self) -> None:
        """Make the bytes the object's next generation, if they have changed.

        Raises:
            OSError: With ESTALE, if somebody else has changed the object.
        """
        if self._payload is None:
            return
        bucket, name = self.place
        attributes = dict(self._base.attributes) if self._base else {}
        attributes.setdefault("contentType", mimetypes.guess_type(name)[0])
        if self._mtime_ns is not None:
            attributes = modified_attributes(attributes, self._mtime_ns)
        with self._payload as payload:
            self._payload = None
            try:
                self._base = self._store.put(
                    bucket,
                    name,
                    payload,
                    attributes=attributes,
                    preconditions=Preconditions(
                        generation_match=self._base.generation if self._base else 0
                    ),
                )
            except PreconditionFailedError as error:
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE)) from error

    def moved(self, stored: StoredObject) -> None:
        """Become another object, which holds the bytes that were published."""
        self.place = (stored.bucket, stored.name)
        self._base = stored

    def discard(self) -> None:
        """Drop what was not published."""
        if self._payload is not None:
            with self._payload:
                self._payload = None

    def _loaded(self) -> PayloadWriter:
        if self._payload is None:
            self._payload = self._store.writer()
            if self._base is not None:
                _, file = self._store.open(
                    *self.place, Preconditions(generation=self._base.generation)
                )
                with file:
                    for block in read_blocks(file):
                        self._payload.write(block)
        return self._payload


def modified_ns(stored: StoredObject) -> int:
    """Return when a file was modified: by its metadata, else when the object was written."""
    text = stored.attributes.get("metadata", {}).get(_MTIME_KEY)
    if text is not None:
        seconds, _, fraction = text.removesuffix("Z").partition(".")
        try:
            moment = datetime.fromisoformat(f"{seconds}+00:00")
            return int(moment.timestamp()) * 10**9 + int(fraction[:9].ljust(9, "0") or 0)
        except ValueError:
            pass  # somebody else's metadata
    return int(stored.updated * 1e9)


def modified_attributes(attributes: Mapping[str, Any], mtime_ns: int) -> dict[str, Any]:
    """Return the attributes of an object with another modification time."""
    seconds, nanoseconds = divmod(mtime_ns, 10**9)
    moment = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    metadata = {**attributes.get("metadata", {}), _MTIME_KEY: f"{moment}.{nanoseconds:09d}Z"}
    return {**attributes, "metadata": metadata}
