"""Mounts an object store; see ``python -m vertex_jobs.emulator.storage.gcs_mount --help``."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from vertex_jobs.emulator.storage.gcs_mount.file_system import FileSystem
from vertex_jobs.emulator.storage.objects import ObjectStore
from vertex_jobs.errors import UnsupportedHereError

_INSTALL = "install libfuse3 (Debian, Ubuntu: apt-get install libfuse3-3 fuse3)"


def main() -> int:
    """Mount, say ``ready`` on stdout, and serve until SIGTERM or an unmount."""
    parser = argparse.ArgumentParser(prog="python -m vertex_jobs.emulator.storage.gcs_mount")
    parser.add_argument("--store", type=Path, required=True, help="directory of the object store")
    parser.add_argument("--mountpoint", type=Path, required=True, help="an existing directory")
    parser.add_argument(
        "--create-buckets", action="store_true", help="let the first write make a bucket"
    )
    options = parser.parse_args()
    os.umask(0o077)  # the store's files are its owner's alone
    try:
        fuse = _fuse()
        store = ObjectStore(options.store, create_buckets=options.create_buckets)
        try:
            _serve(fuse, store, options.store, options.mountpoint)
        finally:
            store.close()
    except UnsupportedHereError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _fuse() -> Any:
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        raise UnsupportedHereError(
            "/gcs needs /dev/fuse, which is missing or closed to this user here: load the kernel "
            "module (modprobe fuse), or give the container the device (--device /dev/fuse)"
        )
    try:
        import mfusepy
    except ImportError as error:
        raise UnsupportedHereError(
            "/gcs needs the package mfusepy: pip install 'vertex-jobs[gcs-mount]'"
        ) from error
    except (OSError, AttributeError) as error:  # its ways to say: no library, or too old a one
        raise UnsupportedHereError(f"/gcs needs libfuse 3, {error}: {_INSTALL}") from error
    return mfusepy


def _serve(fuse: Any, store: ObjectStore, directory: Path, mountpoint: Path) -> None:
    is_mounted = False

    def say_ready() -> None:
        nonlocal is_mounted
        is_mounted = True
        sys.stdout.write("ready\n")
        sys.stdout.flush()

    class Fuse(fuse.FUSE):  # type: ignore[misc]
        """Passes the handle of an open file on; version 3.1 of mfusepy drops it here."""

        def truncate_fuse_3(self, path: Any, length: int, info: Any) -> int:
            return int(self.ftruncate(path, length, info))

    try:
        Fuse(
            FileSystem(store, directory, say_ready),
            str(mountpoint),
            foreground=True,
            nothreads=True,
            fsname="gcs",
            hard_remove=True,
            # No caching in the kernel: replicas see at once what came by gs:// or by another one.
            attr_timeout=0,
            entry_timeout=0,
            negative_timeout=0,
        )
    except RuntimeError as error:  # libfuse's exit code, which is not 0 after SIGTERM either
        if is_mounted:
            return
        raise UnsupportedHereError(
            f"{mountpoint} could not be mounted, libfuse's exit code {error}: it must be an "
            "existing directory, and this process must be allowed to mount"
        ) from error


if __name__ == "__main__":
    sys.exit(main())
