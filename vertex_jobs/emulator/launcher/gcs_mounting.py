"""The process that serves ``/gcs`` inside the private root, as the launcher sees it.

For the launcher's loop: start it, notice that it is ready or gone, say why. The mount's content is
up to ``vertex_jobs.emulator.storage.gcs_mount``.
"""

import contextlib
import ctypes
import os
import sys
from pathlib import Path

from vertex_jobs.emulator.launcher import linux
from vertex_jobs.emulator.launcher.spawning import spawn

MOUNTPOINT = "/gcs"
_DEVICE = "/dev/fuse"
#: Of libfuse 3.0 to 3.16, and of 3.17 and later.
_LIBRARIES = ("libfuse3.so.3", "libfuse3.so.4")


def missing() -> str:
    """Return what this machine lacks to mount ``/gcs``, with the remedy; empty if nothing."""
    if not os.access(_DEVICE, os.R_OK | os.W_OK):
        return (
            f"{_DEVICE} cannot be opened by this user: load the kernel module fuse, "
            f"in a container pass --device {_DEVICE}"
        )
    for library in _LIBRARIES:
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return ""
    return "libfuse3 is not installed: install the Debian package libfuse3-3 (or fuse3)"


class GcsMounting:
    """At most one mounting process; started again after it died."""

    def __init__(self, store: Path, log: Path) -> None:
        self._store = store
        self._log = log
        self._pid = 0

    def start(self) -> None:
        """Start the process unless it runs; ``ready`` tells when it serves."""
        if self._pid:
            return
        command = [sys.executable, "-m", "vertex_jobs.emulator.storage.gcs_mount"]
        command += ["--store", str(self._store), "--mountpoint", MOUNTPOINT, "--create-buckets"]
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            self._pid = spawn(command, os.environ, output=log, errors=log, may_mount=True)
        finally:
            os.close(log)

    @property
    def ready(self) -> bool:
        """True if the process has mounted ``/gcs``.

        Read from the kernel's table: to look at the folder itself would block until the mounting
        process answers.
        """
        if not self._pid:
            return False
        table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        mounts = [line.partition(" - ") for line in table.splitlines()]
        return any(
            before.split(" ")[4] == MOUNTPOINT and after.startswith("fuse")
            for before, _, after in mounts
        )

    def ended(self, pid: int) -> str | None:
        """Note a child's end; return the last thing that the mounting process said.

        None when the child was another one.
        """
        if pid != self._pid:
            return None
        self._pid = 0
        with contextlib.suppress(OSError):  # perhaps it never was mounted
            linux.unmount(MOUNTPOINT)  # a dead one answers every access with an error
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return lines[-1] if lines else "it said nothing"
