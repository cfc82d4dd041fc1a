"""The attributes of files and directories, and the numbers of errors, as the kernel takes them."""

import functools
import os
import stat
import time
from collections.abc import Callable
from errno import EEXIST, EINVAL, EIO, ENOENT
from typing import Any, TypeVar

from vertex_jobs.emulator.storage.gcs_mount.staging import StagedFile, modified_ns
from vertex_jobs.emulator.storage.objects import (
    BucketNotFoundError,
    InvalidObjectRequestError,
    ObjectNotFoundError,
    ObjectStoreError,
    PreconditionFailedError,
    StoredObject,
)

#: Custom metadata that makes an object a link. Source: Cloud Storage FUSE, Semantics.
SYMLINK_KEY = "gcsfuse_symlink_target"
_ERROR_NUMBERS: dict[type[ObjectStoreError], int] = {
    BucketNotFoundError: ENOENT,
    ObjectNotFoundError: ENOENT,
    PreconditionFailedError: EEXIST,
    InvalidObjectRequestError: EINVAL,
}
_Method = TypeVar("_Method", bound=Callable[..., Any])


def os_error(number: int) -> OSError:
    """Return the exception that gives the kernel this error number."""
    return OSError(number, os.strerror(number))


def translated(method: _Method) -> _Method:
    """Turn the store's errors into error numbers for the kernel."""

    @functools.wraps(method)
    def wrapper(*arguments: Any) -> Any:
        try:
            return method(*arguments)
        except ObjectStoreError as error:
            raise os_error(_ERROR_NUMBERS.get(type(error), EIO)) from error

    return wrapper  # type: ignore[return-value]


def directory_attributes() -> dict[str, Any]:
    """Return the attributes of any directory; only its name is kept."""
    return _attributes(stat.S_IFDIR | 0o755, 0, time.time_ns())


def file_attributes(size: int, mtime_ns: int | None) -> dict[str, Any]:
    """Return the attributes of a file; one without a time is being modified now."""
    return _attributes(stat.S_IFREG | 0o644, size, time.time_ns() if mtime_ns is None else mtime_ns)


def staged_attributes(staged: StagedFile) -> dict[str, Any]:
    """Return the attributes of a file that is open for writing."""
    return file_attributes(staged.size, staged.mtime_ns)


def object_attributes(stored: StoredObject) -> dict[str, Any]:
    """Return the attributes of an object, which is a file or a symbolic link."""
    if SYMLINK_KEY in stored.attributes.get("metadata", {}):
        return _attributes(stat.S_IFLNK | 0o777, 0, modified_ns(stored))
    return file_attributes(stored.size, modified_ns(stored))


def _attributes(mode: int, size: int, mtime_ns: int) -> dict[str, Any]:
    return {
        "st_mode": mode,
        "st_nlink": 1,
        "st_size": size,
        "st_blocks": -(-size // 512),
        "st_uid": os.getuid(),
        "st_gid": os.getgid(),
        **dict.fromkeys(("st_atime", "st_mtime", "st_ctime"), mtime_ns),
    }
