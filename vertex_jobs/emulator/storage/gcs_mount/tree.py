"""Paths below ``/gcs``, and the bucket, object or directory that each means.

Directories are common prefixes of names, with or without a ``dir/`` marker object. Where both an
object ``a`` and a directory ``a`` exist, ``a`` is the directory, and the object is reached as ``a``
followed by a line feed. Names with empty, ``.`` or ``..`` components have no path.
Source: Cloud Storage FUSE documentation, Semantics, Name conflicts.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs import names
from vertex_jobs.emulator.storage.objects import (
    BucketNotFoundError,
    ListQuery,
    ObjectNotFoundError,
    ObjectStore,
    StoredObject,
)

#: No object name may hold it, so it marks the object of a pair without ambiguity.
CONFLICT_SUFFIX = "\n"


@dataclass(frozen=True)
class Directory:
    """A directory: the root when the bucket is empty, else a bucket or a prefix ending in ``/``."""

    bucket: str
    prefix: str


ROOT = Directory("", "")


class Tree:
    """Paths below ``/gcs`` over one object store."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def lookup(self, path: str) -> Directory | StoredObject | None:
        """Return what a path means; None if there is nothing."""
        bucket, name = _split(path)
        if not bucket:
            return ROOT
        if not name:
            return Directory(bucket, "") if self._has_bucket(bucket) else None
        plain = name.removesuffix(CONFLICT_SUFFIX)
        is_directory = self._has_any(bucket, f"{plain}/")
        if plain != name:
            return self._find(bucket, plain) if is_directory else None
        return Directory(bucket, f"{name}/") if is_directory else self._find(bucket, name)

    def place(self, path: str) -> tuple[str, str]:
        """Bucket and object name that a file of this path has or would have."""
        bucket, name = _split(path)
        plain = name.removesuffix(CONFLICT_SUFFIX)
        return bucket, plain if plain != name and self._has_any(bucket, f"{plain}/") else name

    def children(self, directory: Directory) -> Iterator[tuple[str, bool]]:
        """Yield the entries of a directory, each with whether it is a directory itself."""
        if directory == ROOT:
            yield from ((bucket.name, True) for bucket in self._store.buckets.list())
            return
        token = ""
        start = len(directory.prefix)
        folders: set[str] = set()
        files: list[str] = []
        while True:
            query = ListQuery(prefix=directory.prefix, delimiter="/", page_token=token)
            try:
                page = self._store.list_objects(directory.bucket, query)
            except BucketNotFoundError:  # only about to be made
                return
            folders.update(prefix[start:-1] for prefix in page.prefixes)
            files += [stored.name[start:] for stored in page.objects]
            token = page.next_page_token
            if not token:
                break
        yield from ((folder, True) for folder in sorted(folders) if folder not in ("", ".", ".."))
        for file in files:
            if file not in ("", ".", ".."):
                yield file + CONFLICT_SUFFIX if file in folders else file, False

    def is_empty(self, directory: Directory) -> bool:
        """Return whether a directory holds nothing but its own marker."""
        query = ListQuery(prefix=directory.prefix, max_results=2)
        page = self._store.list_objects(directory.bucket, query)
        return all(stored.name == directory.prefix for stored in page.objects)

    def _has_bucket(self, bucket: str) -> bool:
        # A bucket that the first write would make is there already, so that the write can happen.
        if self._store.creates_buckets and names.is_gcs_uri(f"gs://{bucket}"):
            return True
        try:
            self._store.buckets.get(bucket)
        except BucketNotFoundError:
            return False
        return True

    def _has_any(self, bucket: str, prefix: str) -> bool:
        try:
            page = self._store.list_objects(bucket, ListQuery(prefix=prefix, max_results=1))
        except BucketNotFoundError:
            return False
        return bool(page.objects)

    def _find(self, bucket: str, name: str) -> StoredObject | None:
        try:
            return self._store.get(bucket, name)
        except (BucketNotFoundError, ObjectNotFoundError):
            return None


def _split(path: str) -> tuple[str, str]:
    bucket, _, name = path.removeprefix("/").partition("/")
    return bucket, name
