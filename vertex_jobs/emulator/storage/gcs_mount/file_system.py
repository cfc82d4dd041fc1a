"""The file system's calls, answered from an object store. Called by one thread.

Times but a file's modification time, permissions and owners are not kept, as in Cloud Storage FUSE;
a directory that holds something cannot be renamed, for the same reason.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from vertex_jobs.emulator.faults.incidents import READS_OF_MOUNT, MountReads
from vertex_jobs.emulator.storage.gcs_mount.attributes import (
    SYMLINK_KEY,
    directory_attributes,
    object_attributes,
    os_error,
    staged_attributes,
    translated,
)
from vertex_jobs.emulator.storage.gcs_mount.open_files import OpenFiles
from vertex_jobs.emulator.storage.gcs_mount.staging import modified_attributes
from vertex_jobs.emulator.storage.gcs_mount.tree import Directory, Tree
from vertex_jobs.emulator.storage.objects import (
    ObjectNotFoundError,
    ObjectStore,
    Preconditions,
    StoredObject,
)

_ABSENT = Preconditions(generation_match=0)


class FileSystem:
    """The methods that ``mfusepy.FUSE`` calls; paths begin at the mount point."""

    use_ns = True
    #: Calls with a handle come without a path, so that files deleted while open stay usable.
    flag_nullpath_ok = True
    flag_nopath = True

    def __init__(self, store: ObjectStore, directory: Path, on_ready: Callable[[], None]) -> None:
        """Serve ``store``, which lives in ``directory``; ``on_ready`` is called once mounted."""
        self._store = store
        self._directory = directory
        self._on_ready = on_ready
        self._tree = Tree(store)
        self._files = OpenFiles(store, MountReads(directory / READS_OF_MOUNT))
        self._open_directories: dict[int, Directory] = {}

    def init(self, path: str) -> None:
        """Note that the kernel has mounted the file system."""
        self._on_ready()

    @translated
    def getattr(self, path: str | None, number: int | None = None) -> dict[str, Any]:
        """Type, size and times."""
        if path is None or number:
            return self._files.attributes(number or 0)
        found = self._tree.lookup(path)
        if isinstance(found, Directory):
            return directory_attributes()
        staged = self._files.staged(self._tree.place(path))
        if staged is not None:
            return staged_attributes(staged)
        if found is None:
            raise os_error(errno.ENOENT)
        return object_attributes(found)

    @translated
    def opendir(self, path: str) -> int:
        """Open a directory."""
        found = self._tree.lookup(path)
        if not isinstance(found, Directory):
            raise os_error(errno.ENOENT if found is None else errno.ENOTDIR)
        number = max(self._open_directories, default=0) + 1
        self._open_directories[number] = found
        return number

    @translated
    def readdir(self, path: None, number: int) -> Iterable[tuple[str, dict[str, int], int]]:
        """List a directory, with files that are still being written."""
        directory = self._open_directories[number]
        entries = {".": True, "..": True, **dict(self._tree.children(directory))}
        for name in self._files.names_below(directory.bucket, directory.prefix):
            entries.setdefault(name, False)
        kinds = {True: stat.S_IFDIR, False: stat.S_IFREG}
        return [(name, {"st_mode": kinds[is_folder]}, 0) for name, is_folder in entries.items()]

    def releasedir(self, path: None, number: int) -> int:
        """Close a directory."""
        del self._open_directories[number]
        return 0

    @translated
    def mkdir(self, path: str, mode: int) -> int:
        """Make a directory's marker object."""
        bucket, name = self._tree.place(path)
        if not name:  # those buckets that a write may make are there already
            raise os_error(errno.EPERM)
        self._store.write(bucket, f"{name}/", b"", preconditions=_ABSENT)
        return 0

    @translated
    def rmdir(self, path: str) -> int:
        """Remove an empty directory."""
        directory = self._tree.lookup(path)
        if not isinstance(directory, Directory) or not directory.prefix:
            raise os_error(errno.EPERM)
        if not self._tree.is_empty(directory):
            raise os_error(errno.ENOTEMPTY)
        self._store.delete(directory.bucket, directory.prefix)
        return 0

    @translated
    def create(self, path: str, mode: int, flags: int) -> int:
        """Make a file."""
        return self._files.create(self._tree.place(path))

    @translated
    def open(self, path: str, flags: int) -> int:
        """Open a file."""
        return self._files.open(self._tree.place(path), flags)

    @translated
    def read(self, path: None, size: int, offset: int, number: int) -> bytes:
        """Read bytes."""
        return self._files.read(number, size, offset)

    @translated
    def write(self, path: None, data: bytes, offset: int, number: int) -> int:
        """Write anywhere."""
        self._files.writable(number).write(data, offset)
        return len(data)

    @translated
    def truncate(self, path: str | None, size: int, number: int | None = None) -> int:
        """Set a file's size, open or not."""
        if path is None or number:
            self._files.writable(number or 0).truncate(size)
            return 0
        opened = self._files.open(self._tree.place(path), os.O_WRONLY)
        try:
            self._files.writable(opened).truncate(size)
            self._files.publish(opened)
        finally:
            self._files.close(opened)
        return 0

    @translated
    def flush(self, path: None, number: int) -> int:
        """Publish what was written; called whenever a descriptor is closed."""
        self._files.publish(number)
        return 0

    @translated
    def fsync(self, path: None, datasync: int, number: int) -> int:
        """Publish what was written."""
        self._files.publish(number)
        return 0

    def release(self, path: None, number: int) -> int:
        """Close a handle, whose last descriptor is closed."""
        self._files.close(number)
        return 0

    @translated
    def unlink(self, path: str) -> int:
        """Delete a file; what is written to it from now on is lost."""
        place = self._tree.place(path)
        was_staged = self._files.forget(place)
        try:
            self._store.delete(*place)
        except ObjectNotFoundError:
            if not was_staged:
                raise
        return 0

    @translated
    def rename(self, old: str, new: str) -> int:
        """Rename a file, or an empty directory."""
        found = self._tree.lookup(old)
        source, target = self._tree.place(old), self._tree.place(new)
        if source[0] != target[0]:
            raise os_error(errno.EXDEV)
        if not isinstance(found, Directory):
            self._files.rename(source, target)
            return 0
        if not found.prefix:
            raise os_error(errno.EPERM)
        if not self._tree.is_empty(found):
            raise os_error(errno.EMFILE)  # Cloud Storage FUSE's: more objects than its limit of 0
        marker = self._store.get(found.bucket, found.prefix)
        self._store.copy(marker, target[0], f"{target[1]}/", move=True)
        return 0

    @translated
    def symlink(self, path: str, target: str) -> int:
        """Make a symbolic link: an empty object whose metadata holds the target."""
        attributes = {"metadata": {SYMLINK_KEY: target}}
        place = self._tree.place(path)
        self._store.write(*place, b"", attributes=attributes, preconditions=_ABSENT)
        return 0

    @translated
    def readlink(self, path: str) -> str:
        """Return the target of a symbolic link."""
        found = self._tree.lookup(path)
        if not isinstance(found, StoredObject):
            raise os_error(errno.EINVAL)
        return str(found.attributes["metadata"][SYMLINK_KEY])

    @translated
    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        """Keep a file's modification time; that of a directory is not kept."""
        mtime_ns = time.time_ns() if times is None else times[1]
        place = self._tree.place(path)
        staged = self._files.staged(place)
        if staged is not None:
            staged.set_mtime(mtime_ns)
        elif not isinstance(self._tree.lookup(path), Directory):
            self._store.update(*place, lambda old: modified_attributes(old, mtime_ns))
        return 0

    def chmod(self, path: str, mode: int) -> int:
        """Do nothing: modes are not kept, and programs expect no error."""
        return 0

    def chown(self, path: str, user: int, group: int) -> int:
        """Do nothing: owners are not kept, and programs expect no error."""
        return 0

    def statfs(self, path: str) -> dict[str, int]:
        """Return the size and free space of the disk that holds the store."""
        values = os.statvfs(self._directory)
        return {name: getattr(values, name) for name in dir(values) if name.startswith("f_")}
