"""Folders that one replica alone sees at another place, for ``spawning``.

It works in a mount namespace of the replica's own, below the private root: neither another replica
nor the host sees any of it.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from vertex_jobs.emulator.launcher import linux


def show(folders: Mapping[str, str]) -> None:
    """Show each folder at its place to this process and its children alone.

    Raises:
        OSError: If that is not allowed here.
    """
    linux.unshare(linux.NEW_MOUNTS)
    for folder, place in folders.items():
        if not os.path.isdir(place):
            _make_room(place, f"{folder}.above")
        linux.mount(folder, place, None, linux.MOUNT_BIND)


def _make_room(place: str, scratch: str) -> None:
    """Make the place in a copy of the folder above it, which has the same entries.

    The folder itself is the host's, where nothing may be made. ``scratch`` is a path of the
    replica's own.
    """
    above, name = os.path.split(place)
    os.makedirs(scratch, exist_ok=True)
    flags = linux.MOUNT_NOSUID | linux.MOUNT_NODEV
    linux.mount("vertex-jobs", scratch, "tmpfs", flags, "mode=755")
    for entry in os.scandir(above):
        target = os.path.join(scratch, entry.name)
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), target)
            continue
        if entry.is_dir():
            os.mkdir(target, stat.S_IMODE(entry.stat().st_mode))
        else:
            Path(target).touch()
        linux.mount(entry.path, target, None, linux.MOUNT_BIND | linux.MOUNT_RECURSIVE)
    os.mkdir(os.path.join(scratch, name))
    linux.mount(scratch, above, None, linux.MOUNT_BIND | linux.MOUNT_RECURSIVE)
