"""The buckets of an object store: made, listed, changed and deleted.

Settings and policies are kept and given back; nothing here acts on them.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from vertex_jobs.emulator.storage.objects.object_errors import AlreadyExistsError, NotEmptyError
from vertex_jobs.emulator.storage.objects.object_table import ObjectTable, bucket_of
from vertex_jobs.emulator.storage.objects.object_values import Bucket


class Buckets:
    """Verbs on buckets; reached as ``ObjectStore.buckets``.

    A verb on a bucket that is not there raises ``BucketNotFoundError``.
    """

    def __init__(self, table: ObjectTable) -> None:
        self._table = table

    def create(self, name: str, *, project: str = "", settings: Mapping[str, Any] = {}) -> Bucket:
        """Make a bucket, with the objects that are in it if a first write had made it before.

        Raises:
            AlreadyExistsError: If there is one of that name.
            InvalidObjectRequestError: If the name is not allowed.
        """
        with self._table.change() as change:
            found = change.sql.execute("SELECT * FROM buckets WHERE name = ?", (name,)).fetchone()
            if found is not None and not found["implicit"]:
                raise AlreadyExistsError(
                    "Your previous request to create the named bucket succeeded and you already "
                    f"own it: {name}"
                )
            bucket = Bucket(
                name, project, change.now, change.now, 1, implicit=False, settings=dict(settings)
            )
            change.sql.execute("DELETE FROM buckets WHERE name = ?", (name,))
            self._table.insert_bucket(change, bucket)
        return bucket

    def get(self, name: str) -> Bucket:
        """Find a bucket."""
        return self._table.bucket(self._table.database.read(), name)

    def require(self, name: str) -> Bucket:
        """Find a bucket, or make it where the store makes buckets that are written to."""
        with self._table.change() as change:
            self._table.require_bucket(change, name)
        return self.get(name)

    def list(self) -> tuple[Bucket, ...]:
        """Return all buckets, by name."""
        sql = self._table.database.read()
        hides = self._table.is_strict(sql)
        rows = sql.execute("SELECT * FROM buckets ORDER BY name")
        return tuple(bucket_of(row) for row in rows if not (hides and row["implicit"]))

    def update(
        self,
        name: str,
        *,
        settings: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
    ) -> Bucket:
        """Replace what is given of a bucket; an IAM policy changes nobody's access."""
        with self._table.change() as change:
            bucket = self._table.bucket(change.sql, name)
            changed = dataclasses.replace(
                bucket,
                updated=change.now,
                metageneration=bucket.metageneration + 1,
                settings=bucket.settings if settings is None else dict(settings),
                policy=bucket.policy if policy is None else dict(policy),
            )
            change.sql.execute("DELETE FROM buckets WHERE name = ?", (name,))
            self._table.insert_bucket(change, changed)
        return changed

    def delete(self, name: str) -> None:
        """Delete an empty bucket.

        Raises:
            NotEmptyError: If it holds an object.
        """
        with self._table.change() as change:
            self._table.bucket(change.sql, name)
            held = change.sql.execute("SELECT 1 FROM objects WHERE bucket = ? LIMIT 1", (name,))
            if held.fetchone() is not None:
                raise NotEmptyError(f"The bucket you tried to delete is not empty: {name}")
            change.sql.execute("DELETE FROM buckets WHERE name = ?", (name,))
