"""Fill a folder with the objects of some buckets: directories, files, symbolic links.

A file shares the disk's blocks with the object's payload where the file system can (btrfs, XFS),
and is a copy elsewhere; never a hard link, through which a program could change the payload.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from vertex_jobs import names
from vertex_jobs.emulator.storage.gcs_copy.copy_record import FILE, FOLDER, LINK, Buckets, Copied
from vertex_jobs.emulator.storage.gcs_mount.attributes import SYMLINK_KEY
from vertex_jobs.emulator.storage.gcs_mount.staging import modified_ns
from vertex_jobs.emulator.storage.gcs_mount.tree import CONFLICT_SUFFIX
from vertex_jobs.emulator.storage.objects import (
    BucketNotFoundError,
    ListQuery,
    ObjectNotFoundError,
    ObjectStore,
    Preconditions,
    StoredObject,
)
from vertex_jobs.errors import UnsupportedHereError

#: Bytes of a file's name. Source: the path_resolution page of the Linux manual.
_LONGEST_NAME = 255
#: Left on the disk for everything else, in bytes.
_HEADROOM = 256 << 20
#: Makes a file share the blocks of another. Source: the ioctl_ficlonerange page of the manual.
_CLONE = 0x40049409


def fill(store: ObjectStore, tree: Path, buckets: Buckets) -> dict[str, Copied]:
    """Copy buckets into the empty folder; return the entries by their path.

    Of an object whose name is
    no path there are the folders that it begins with, as in a mount.

    Raises:
        UnsupportedHereError: If the disk has no room for them.
    """
    entries: dict[str, Copied] = {}
    existing = {bucket.name for bucket in store.buckets.list()} if buckets.everything else set()
    for bucket in sorted(buckets.named | existing):
        if _is_there(store, bucket):
            (tree / bucket).mkdir()
            for stored, path in _placed(list(_objects(store, bucket))):
                _make_parents(tree, bucket, path, entries)
                if not _is_path(path):
                    continue
                with contextlib.suppress(ObjectNotFoundError):  # deleted since it was listed
                    entries[f"{bucket}/{path}"] = _make(store, tree, stored, path)
    return entries


def _is_there(store: ObjectStore, bucket: str) -> bool:
    try:
        store.buckets.get(bucket)
    except BucketNotFoundError:
        return store.creates_buckets and names.is_gcs_uri(f"gs://{bucket}")
    return True


def _objects(store: ObjectStore, bucket: str) -> Iterator[StoredObject]:
    token = ""
    while True:
        try:
            page = store.list_objects(bucket, ListQuery(page_token=token))
        except BucketNotFoundError:
            return
        yield from page.objects
        token = page.next_page_token
        if not token:
            return


def _placed(found: list[StoredObject]) -> Iterator[tuple[StoredObject, str]]:
    """Yield each object with its path, which tells ``a`` from the folder of ``a/b``."""
    folders = {
        stored.name[:end]
        for stored in found
        for end, letter in enumerate(stored.name)
        if letter == "/"
    }
    for stored in found:
        path = stored.name.removesuffix("/")
        yield stored, path + CONFLICT_SUFFIX if stored.name in folders else path


def _is_path(name: str) -> bool:
    return "\0" not in name and all(
        part not in ("", ".", "..") and len(os.fsencode(part)) <= _LONGEST_NAME
        for part in name.split("/")
    )


def _make_parents(tree: Path, bucket: str, path: str, entries: dict[str, Copied]) -> None:
    parent = path.rpartition("/")[0]
    if not parent or f"{bucket}/{parent}" in entries:
        return
    _make_parents(tree, bucket, parent, entries)
    if _is_path(parent):
        (tree / bucket / parent).mkdir(exist_ok=True)
        entries[f"{bucket}/{parent}"] = Copied(FOLDER, bucket, f"{parent}/")


def _make(store: ObjectStore, tree: Path, stored: StoredObject, path: str) -> Copied:
    place = tree / stored.bucket / path
    if stored.name.endswith("/"):
        place.mkdir(exist_ok=True)
        return Copied(FOLDER, stored.bucket, stored.name, stored.generation)
    target = stored.attributes.get("metadata", {}).get(SYMLINK_KEY)
    if target is not None:
        place.symlink_to(target)
    else:
        stored = _write(store, stored, place)
    made = place.lstat()
    return Copied(
        LINK if target is not None else FILE,
        stored.bucket,
        stored.name,
        stored.generation,
        made.st_size,
        made.st_mtime_ns,
        made.st_ctime_ns,
        stored.crc32c,
    )


def _write(store: ObjectStore, stored: StoredObject, place: Path) -> StoredObject:
    """Write the object's bytes to a new file; return the generation that they are of."""
    given = Preconditions(generation=stored.generation)
    try:
        stored, source = store.open(stored.bucket, stored.name, given)
    except ObjectNotFoundError:  # replaced since it was listed
        stored, source = store.open(stored.bucket, stored.name)
    with source, place.open("xb") as file:
        if not _clone(source, file):
            _check_room(place.parent, stored)
            shutil.copyfileobj(source, file, 1 << 20)
    place.chmod(0o644)
    mtime_ns = modified_ns(stored)
    os.utime(place, ns=(mtime_ns, mtime_ns))
    return stored


def _clone(source: BinaryIO, target: BinaryIO) -> bool:
    try:
        fcntl.ioctl(target.fileno(), _CLONE, source.fileno())
    except OSError:
        return False
    return True


def _check_room(folder: Path, stored: StoredObject) -> None:
    free = shutil.disk_usage(folder).free
    if stored.size + _HEADROOM > free:
        raise UnsupportedHereError(
            f"/gcs is a copy of buckets here, and gs://{stored.bucket}/{stored.name} "
            f"({stored.size >> 20} MiB) does not fit on the disk, which has {free >> 20} MiB left: "
            "delete objects or make room, or have buckets mounted (vertex-jobs doctor says how)"
        )
