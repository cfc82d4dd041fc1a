"""The rows of buckets and objects: found, published and dropped within one transaction.

The store's verbs and the upload sessions both change objects through it, so that the rules of
generations, preconditions and shared payloads are written once.
"""

import contextlib
import dataclasses
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vertex_jobs import names
from vertex_jobs.emulator.storage.objects.object_database import ObjectDatabase
from vertex_jobs.emulator.storage.objects.object_errors import (
    BucketNotFoundError,
    InvalidObjectRequestError,
    NotEmulatedError,
    ObjectNotFoundError,
)
from vertex_jobs.emulator.storage.objects.object_values import (
    ANY,
    OBJECT_ATTRIBUTES,
    Bucket,
    Checksums,
    Preconditions,
    StoredObject,
    check_object_name,
)
from vertex_jobs.emulator.storage.objects.payloads import Payloads

_OBJECT_COLUMNS = tuple(column.name for column in dataclasses.fields(StoredObject))


@dataclass
class Change:
    """A transaction under way, and the work that follows once it is durable."""

    sql: sqlite3.Connection
    now: float
    doomed_payloads: list[int] = field(default_factory=list)
    written: list[StoredObject] = field(default_factory=list)


@dataclass(frozen=True)
class Draft:
    """An object to publish; ``payload`` is its file, or the number of another object's payload."""

    bucket: str
    name: str
    payload: Path | int
    size: int
    checksums: Checksums
    attributes: Mapping[str, Any]
    preconditions: Preconditions = ANY
    component_count: int | None = None


class ObjectTable:
    """Buckets and objects as rows. Every changing method takes the ``Change`` it belongs to."""

    def __init__(
        self,
        directory: Path,
        create_buckets: bool,
        on_write: Callable[[StoredObject], None] | None,
        clock: Callable[[], float],
    ) -> None:
        """Open the store's files and remove what a killed process left; see ``ObjectStore``."""
        directory.mkdir(parents=True, exist_ok=True)
        self.payloads = Payloads(directory)
        self.database = ObjectDatabase(directory / "objects.sqlite")
        self.create_buckets = create_buckets
        self._on_write = on_write
        self._clock = clock
        with self.change() as change:
            rows = change.sql.execute("SELECT payload FROM objects")
            self.payloads.sweep({row["payload"] for row in rows})

    @contextlib.contextmanager
    def change(self) -> Iterator[Change]:
        """Open a transaction; payloads without an object go once it is durable."""
        with self.database.write() as sql:
            change = Change(sql, self._clock())
            yield change
        for number in change.doomed_payloads:
            self.payloads.remove(number)
        for stored in change.written:
            if self._on_write is not None:
                self._on_write(stored)

    def is_strict(self, sql: sqlite3.Connection) -> bool:
        """Return whether only buckets that somebody has made are there."""
        return bool(sql.execute("SELECT value FROM strictness").fetchone()["value"])

    def bucket(self, sql: sqlite3.Connection, name: str) -> Bucket:
        """Find a bucket.

        Raises:
            BucketNotFoundError: If there is none of that name.
        """
        row = sql.execute("SELECT * FROM buckets WHERE name = ?", (name,)).fetchone()
        if row is None or (row["implicit"] and self.is_strict(sql)):
            raise BucketNotFoundError
        return bucket_of(row)

    def insert_bucket(self, change: Change, bucket: Bucket) -> None:
        """Add a bucket's row.

        Raises:
            InvalidObjectRequestError: If the name is not allowed.
        """
        if not names.is_gcs_uri(f"gs://{bucket.name}"):
            raise InvalidObjectRequestError(
                f"Invalid bucket name: {bucket.name!r}; 3 to 63 lower-case letters, digits, "
                "dashes, underscores and dots, beginning and ending with a letter or digit"
            )
        policy = None if bucket.policy is None else json.dumps(bucket.policy)
        change.sql.execute(
            "INSERT INTO buckets VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                bucket.name,
                bucket.project,
                bucket.created,
                bucket.updated,
                bucket.metageneration,
                bucket.implicit,
                json.dumps(bucket.settings),
                policy,
            ),
        )

    def find(self, sql: sqlite3.Connection, bucket: str, name: str) -> StoredObject | None:
        """Return the live object of that name, or None; the bucket may be missing too."""
        row = sql.execute(
            "SELECT * FROM objects WHERE bucket = ? AND name = ?", (bucket, name)
        ).fetchone()
        return None if row is None else object_of(row)

    def require(
        self, sql: sqlite3.Connection, bucket: str, name: str, preconditions: Preconditions = ANY
    ) -> StoredObject:
        """Return the live object of that name.

        Raises:
            ObjectStoreError: As ``ObjectStore.get`` does.
        """
        stored = self.find(sql, bucket, name)
        if stored is None or self.is_strict(sql):
            self.bucket(sql, bucket)
        if stored is None or preconditions.generation not in (None, stored.generation):
            raise ObjectNotFoundError(bucket, name)
        preconditions.check(stored)
        return stored

    def require_bucket(self, change: Change, name: str) -> None:
        """Make sure that a bucket can be written to; make it, when this store may."""
        try:
            self.bucket(change.sql, name)
        except BucketNotFoundError:
            if not self.create_buckets or self.is_strict(change.sql):
                raise
            self.insert_bucket(change, Bucket(name, "", change.now, change.now, 1, implicit=True))

    def publish(self, change: Change, draft: Draft) -> StoredObject:
        """Make a draft the live generation of its name.

        Raises:
            PreconditionFailedError: If the live object is not as the draft demands.
            InvalidObjectRequestError: If the name is not allowed.
            BucketNotFoundError: If there is no such bucket and none may be made.
        """
        check_object_name(draft.name)
        self.require_bucket(change, draft.bucket)
        replaced = self.find(change.sql, draft.bucket, draft.name)
        draft.preconditions.check(replaced)
        generation = self._next_generation(change)
        if isinstance(draft.payload, int):
            payload = draft.payload
        else:
            payload = generation
            self.payloads.adopt(draft.payload, payload)
        stored = StoredObject(
            bucket=draft.bucket,
            name=draft.name,
            generation=generation,
            metageneration=1,
            size=draft.size,
            crc32c=draft.checksums.crc32c or "",
            md5=draft.checksums.md5,
            created=change.now,
            updated=change.now,
            attributes=draft.attributes,
            component_count=draft.component_count,
            payload=payload,
        )
        values = [getattr(stored, column) for column in _OBJECT_COLUMNS]
        values[_OBJECT_COLUMNS.index("attributes")] = json.dumps(draft.attributes)
        marks = ", ".join("?" * len(values))
        change.sql.execute(
            f"INSERT OR REPLACE INTO objects ({', '.join(_OBJECT_COLUMNS)}) VALUES ({marks})",
            values,
        )
        if replaced is not None:
            self._release(change, replaced.payload)
        change.written.append(stored)
        return stored

    def set_attributes(
        self, change: Change, stored: StoredObject, attributes: Mapping[str, Any]
    ) -> StoredObject:
        """Replace the attributes of a live object; its next metageneration."""
        change.sql.execute(
            "UPDATE objects SET attributes = ?, metageneration = metageneration + 1, updated = ? "
            "WHERE bucket = ? AND name = ?",
            (json.dumps(attributes), change.now, stored.bucket, stored.name),
        )
        return self.require(change.sql, stored.bucket, stored.name)

    def drop(self, change: Change, stored: StoredObject) -> None:
        """Delete a live object."""
        change.sql.execute(
            "DELETE FROM objects WHERE bucket = ? AND name = ?", (stored.bucket, stored.name)
        )
        self._release(change, stored.payload)

    def _next_generation(self, change: Change) -> int:
        # Microseconds, as Cloud Storage's look; never twice, whatever the clock does.
        last = change.sql.execute("SELECT value FROM last_generation").fetchone()["value"]
        generation = max(int(last) + 1, int(change.now * 1e6))
        change.sql.execute("UPDATE last_generation SET value = ?", (generation,))
        return generation

    def _release(self, change: Change, payload: int) -> None:
        held = change.sql.execute("SELECT 1 FROM objects WHERE payload = ? LIMIT 1", (payload,))
        if held.fetchone() is None:
            change.doomed_payloads.append(payload)


def checked_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the writable fields of an object resource, and drop those that are null.

    Raises:
        InvalidObjectRequestError: If one is not text that a header can carry, or custom metadata
            is not a mapping of text to text.
        NotEmulatedError: If one would keep the object from being changed or read.
    """
    kept = {
        key: value
        for key, value in attributes.items()
        if key in OBJECT_ATTRIBUTES and value is not None
    }
    for key in ("temporaryHold", "eventBasedHold", "retention", "customerEncryption"):
        if attributes.get(key):
            raise NotEmulatedError(f"object.{key}")
    for key, value in kept.items():
        if key == "metadata":
            if not isinstance(value, Mapping) or not all(
                isinstance(text, str) for text in value.values()
            ):
                raise InvalidObjectRequestError(f"Invalid metadata {value!r}: it must map to text")
        elif not isinstance(value, str) or not value.isprintable():
            raise InvalidObjectRequestError(f"Invalid {key} {value!r}: it must be printable text")
    return kept


def bucket_of(row: sqlite3.Row) -> Bucket:
    """Read a row of ``buckets``."""
    values = dict(row)
    values["implicit"] = bool(row["implicit"])
    values["settings"] = json.loads(row["settings"])
    values["policy"] = None if row["policy"] is None else json.loads(row["policy"])
    return Bucket(**values)


def object_of(row: sqlite3.Row) -> StoredObject:
    """Read a row of ``objects``."""
    values = dict(row)
    values["attributes"] = json.loads(row["attributes"])
    return StoredObject(**values)
