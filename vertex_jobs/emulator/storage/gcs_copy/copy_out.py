"""Make objects of what a replica changed in its copy of the buckets, and delete what it removed.

Where others have changed an object meanwhile, the replica's version takes its place, and a
sentence says so; what it only removed stays. Nothing is followed or opened that is not a file.
"""

import contextlib
import mimetypes
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from vertex_jobs.emulator.storage.gcs_copy.copy_record import (
    FILE,
    FOLDER,
    LINK,
    Copied,
    CopyRecord,
)
from vertex_jobs.emulator.storage.gcs_mount.attributes import SYMLINK_KEY
from vertex_jobs.emulator.storage.gcs_mount.staging import modified_attributes
from vertex_jobs.emulator.storage.objects import (
    BucketNotFoundError,
    ObjectNotFoundError,
    ObjectStore,
    ObjectStoreError,
    PreconditionFailedError,
    Preconditions,
    StoredObject,
)
from vertex_jobs.emulator.storage.objects.payloads import crc32c_of, read_blocks

_ABSENT = Preconditions(generation_match=0)


class CopyOut:
    """One pass over a folder.

    Attributes:
        said: Sentences about changes of others, and about what no object can be.
        failed: Sentences about what should have become an object and did not.
    """

    def __init__(self, store: ObjectStore, tree: Path, record: CopyRecord) -> None:
        self._store = store
        self._tree = tree
        self._record = record
        self.said: list[str] = []
        self.failed: list[str] = []

    def run(self) -> None:
        """Upload what is new or was changed, then delete what was removed."""
        left: set[tuple[str, str]] = set()
        for path, status in self._entries():
            kind = _kind(status)
            left.add((path, kind))
            try:
                self._keep(path, kind, status)
            except (ObjectStoreError, OSError) as error:
                self.failed.append(f"/gcs/{path} is not kept: {error}")
        for path, copied in self._record.entries.items():
            if copied.generation and (path, copied.kind) not in left:
                given = Preconditions(generation=copied.generation)
                with contextlib.suppress(BucketNotFoundError, ObjectNotFoundError):
                    self._store.delete(copied.bucket, copied.name, given)

    def _entries(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield everything below the buckets' folders, a folder before what it holds."""
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            with os.scandir(self._tree / folder) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    path = f"{folder}/{entry.name}".lstrip("/")
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(path)
                    if folder:
                        yield path, status
                    elif not stat.S_ISDIR(status.st_mode):
                        self.failed.append(f"/gcs/{path} is not kept: only buckets lie in /gcs")

    def _keep(self, path: str, kind: str, status: os.stat_result) -> None:
        copied = self._record.entries.get(path)
        if copied is not None and copied.kind != kind:
            copied = None
        bucket, _, name = path.partition("/")
        if copied is not None:
            name = copied.name
        if kind == FOLDER:
            if copied is None:
                with contextlib.suppress(PreconditionFailedError):
                    self._store.write(bucket, f"{name}/", b"", preconditions=_ABSENT)
        elif kind == LINK:
            target = os.readlink(self._tree / path)
            attributes = {"metadata": {SYMLINK_KEY: target}}
            if copied is None or status.st_ctime_ns != copied.changed_ns:
                self._store.write(bucket, name, b"", attributes=attributes)
        elif kind == FILE:
            if copied is None or _looks_changed(status, copied):
                self._upload(path, bucket, name, copied, status)
        else:
            self.said.append(f"/gcs/{path} is not kept: it is neither a file nor a folder.")

    def _upload(
        self, path: str, bucket: str, name: str, copied: Copied | None, status: os.stat_result
    ) -> None:
        live = self._live(bucket, name)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with open(os.open(self._tree / path, flags), "rb") as file:
            if live is not None and self._is_same(file, live, status, copied):
                return
            generation = live.generation if live else 0
            if generation != (copied.generation if copied else 0):
                self.said.append(
                    f"gs://{bucket}/{name} was changed by others while the replica ran; what the "
                    f"replica left in /gcs/{path} has taken its place."
                )
            with self._store.writer() as payload:
                for block in read_blocks(file):
                    payload.write(block)
                attributes = self._attributes(live, name, status)
                self._store.put(bucket, name, payload, attributes=attributes)

    def _live(self, bucket: str, name: str) -> StoredObject | None:
        try:
            return self._store.get(bucket, name)
        except (BucketNotFoundError, ObjectNotFoundError):
            return None

    def _is_same(
        self,
        file: BinaryIO,
        live: StoredObject,
        status: os.stat_result,
        copied: Copied | None,
    ) -> bool:
        """Return whether the object has the file's bytes already, and no other time is due."""
        if status.st_size != live.size or self._set_time(status, copied) is not None:
            return False
        same = crc32c_of(file) == live.crc32c
        file.seek(0)
        return same

    def _set_time(self, status: os.stat_result, copied: Copied | None = None) -> int | None:
        """Return a modification time that a program has set; None for that of a write."""
        if copied is not None and status.st_mtime_ns == copied.mtime_ns:
            return None
        is_of_a_write = self._record.begun_ns <= status.st_mtime_ns <= status.st_ctime_ns
        return None if is_of_a_write else status.st_mtime_ns

    def _attributes(
        self, live: StoredObject | None, name: str, status: os.stat_result
    ) -> dict[str, Any]:
        attributes = dict(live.attributes) if live else {}
        attributes.setdefault("contentType", mimetypes.guess_type(name)[0])
        mtime_ns = self._set_time(status)
        return attributes if mtime_ns is None else modified_attributes(attributes, mtime_ns)


def _kind(status: os.stat_result) -> str:
    kinds = {stat.S_IFREG: FILE, stat.S_IFLNK: LINK, stat.S_IFDIR: FOLDER}
    return kinds.get(stat.S_IFMT(status.st_mode), "")


def _looks_changed(status: os.stat_result, copied: Copied) -> bool:
    now = status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return now != (copied.size, copied.mtime_ns, copied.changed_ns)
