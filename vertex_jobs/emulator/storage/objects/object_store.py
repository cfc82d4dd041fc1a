"""The object store: Cloud Storage's verbs on a directory. Readers never wait for writers.

Every change is one durable transaction, and a payload is renamed into place within it: a crash at
any instant leaves the old object or the new one. What was left behind goes at the next open.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from vertex_jobs.emulator.storage.objects.bucket_verbs import Buckets
from vertex_jobs.emulator.storage.objects.multipart import MultipartUploads
from vertex_jobs.emulator.storage.objects.object_errors import InvalidObjectRequestError
from vertex_jobs.emulator.storage.objects.object_listing import Listing, ListQuery, list_page
from vertex_jobs.emulator.storage.objects.object_table import Draft, ObjectTable, checked_attributes
from vertex_jobs.emulator.storage.objects.object_values import (
    ANY,
    UNKNOWN,
    Checksums,
    ComposeSource,
    Preconditions,
    StoredObject,
)
from vertex_jobs.emulator.storage.objects.payloads import PayloadWriter, read_blocks
from vertex_jobs.emulator.storage.objects.resumable import ResumableUploads

#: Source: Cloud Storage JSON API, Objects: compose.
_MOST_COMPONENTS = 32


class ObjectStore:
    """Buckets and objects under one directory, for any number of threads and processes.

    A verb raises an ``ObjectStoreError`` of its own kind if an object, bucket, name, attribute,
    checksum or precondition is not as it must be.
    """

    def __init__(
        self,
        directory: Path,
        *,
        create_buckets: bool = False,
        on_write: Callable[[StoredObject], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the store, and make its files when they are missing.

        With ``create_buckets`` the first write to an unknown bucket makes it. ``on_write`` is
        called with every new generation of an object, from the writing thread; ``clock`` gives
        seconds since the epoch.
        """
        self._table = ObjectTable(directory, create_buckets, on_write, clock)
        self.buckets = Buckets(self._table)
        self.resumable = ResumableUploads(self._table, directory / "uploads")
        self.multipart = MultipartUploads(self._table, directory / "uploads")

    @property
    def creates_buckets(self) -> bool:
        """True if a write to an unknown bucket makes it."""
        return self._table.create_buckets and not self.is_strict

    @property
    def is_strict(self) -> bool:
        """True if only buckets that somebody has made are there, for all that open the directory.

        Those that a first write has made before are hidden meanwhile, with their objects.
        """
        return self._table.is_strict(self._table.database.read())

    def set_strict(self, is_strict: bool) -> None:
        """Set ``is_strict``, for all that open the directory."""
        if is_strict != self.is_strict:
            with self._table.change() as change:
                change.sql.execute("UPDATE strictness SET value = ?", (is_strict,))

    def close(self) -> None:
        """Close the files; no other call may be under way."""
        self.resumable.close()
        self._table.database.close()
        self._table.payloads.close()

    def get(self, bucket: str, name: str, preconditions: Preconditions = ANY) -> StoredObject:
        """Return a live object.

        Raises:
            ObjectNotFoundError: If it is not there, or of another generation.
            BucketNotFoundError: If not even the bucket is.
            PreconditionFailedError: If it is not as demanded.
        """
        return self._table.require(self._table.database.read(), bucket, name, preconditions)

    def open(
        self, bucket: str, name: str, preconditions: Preconditions = ANY
    ) -> tuple[StoredObject, BinaryIO]:
        """Find a live object and open its bytes, which stay readable whatever happens to it."""
        while True:
            stored = self.get(bucket, name, preconditions)
            try:
                return stored, self._table.payloads.open(stored.payload)
            except FileNotFoundError:  # replaced since, unless the very same is still live
                if self.get(bucket, name) == stored:
                    raise

    def list_objects(self, bucket: str, query: ListQuery) -> Listing:
        """Return one page of a listing.

        Raises:
            BucketNotFoundError: If there is none of that name.
            InvalidObjectRequestError: If the query makes no sense.
        """
        sql = self._table.database.read()
        self._table.bucket(sql, bucket)
        return list_page(sql, bucket, query)

    def writer(self) -> PayloadWriter:
        """Return a new payload to fill, for ``put``; use it as a context manager."""
        return self._table.payloads.writer()

    def put(
        self,
        bucket: str,
        name: str,
        payload: PayloadWriter,
        *,
        attributes: Mapping[str, Any] = {},
        preconditions: Preconditions = ANY,
        expected: Checksums = UNKNOWN,
    ) -> StoredObject:
        """Make a filled payload the live generation of an object."""
        checksums = payload.finish()
        expected.verify(checksums)
        draft = Draft(
            bucket,
            name,
            payload.path,
            payload.size,
            checksums,
            checked_attributes(attributes),
            preconditions,
        )
        with self._table.change() as change:
            return self._table.publish(change, draft)

    def write(self, bucket: str, name: str, data: bytes, **options: Any) -> StoredObject:
        """Write bytes as an object; the options are those of ``put``."""
        with self.writer() as payload:
            payload.write(data)
            return self.put(bucket, name, payload, **options)

    def update(
        self,
        bucket: str,
        name: str,
        edit: Callable[[Mapping[str, Any]], Mapping[str, Any]],
        preconditions: Preconditions = ANY,
    ) -> StoredObject:
        """Replace the attributes of an object by what ``edit`` makes of them."""
        with self._table.change() as change:
            stored = self._table.require(change.sql, bucket, name, preconditions)
            attributes = checked_attributes(edit(stored.attributes))
            return self._table.set_attributes(change, stored, attributes)

    def delete(self, bucket: str, name: str, preconditions: Preconditions = ANY) -> None:
        """Delete a live object."""
        with self._table.change() as change:
            stored = self._table.require(change.sql, bucket, name, preconditions)
            self._table.drop(change, stored)

    def copy(
        self,
        source: StoredObject,
        bucket: str,
        name: str,
        *,
        attributes: Mapping[str, Any] | None = None,
        preconditions: Preconditions = ANY,
        move: bool = False,
    ) -> StoredObject:
        """Copy an object, or move it; both share its bytes and cost no more for large ones.

        ``attributes`` replace the source's. The source must still be the generation given.
        """
        kept = source.attributes if attributes is None else checked_attributes(attributes)
        draft = Draft(
            bucket,
            name,
            source.payload,
            source.size,
            Checksums(source.crc32c, source.md5),
            kept,
            preconditions,
            source.component_count,
        )
        with self._table.change() as change:
            given = Preconditions(generation=source.generation)
            live = self._table.require(change.sql, source.bucket, source.name, given)
            copied = self._table.publish(change, draft)
            if move and (bucket, name) != (live.bucket, live.name):
                self._table.drop(change, live)
        return copied

    def compose(
        self,
        bucket: str,
        name: str,
        sources: Sequence[ComposeSource],
        *,
        attributes: Mapping[str, Any] = {},
        preconditions: Preconditions = ANY,
    ) -> StoredObject:
        """Concatenate objects of one bucket, in order."""
        if not 1 <= len(sources) <= _MOST_COMPONENTS:
            raise InvalidObjectRequestError(
                f"Invalid compose of {len(sources)} objects: 1 to {_MOST_COMPONENTS} are allowed"
            )
        components = 0
        with self.writer() as payload:
            for source in sources:
                stored, file = self.open(bucket, source.name, source.preconditions)
                components += stored.component_count or 1
                with file:
                    for block in read_blocks(file):
                        payload.write(block)
            draft = Draft(
                bucket,
                name,
                payload.path,
                payload.size,
                dataclasses.replace(payload.finish(), md5=None),
                checked_attributes(attributes),
                preconditions,
                components,
            )
            with self._table.change() as change:
                return self._table.publish(change, draft)
