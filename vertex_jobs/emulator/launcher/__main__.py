"""The launcher process: enters its namespaces, then serves the server that started it.

``LauncherProcess`` runs it as ``python -S -m vertex_jobs.emulator.launcher CHANNEL SETTINGS``: a
descriptor's number, and JSON with ``state_dir``, ``gcs_store``, ``mount_missing`` and
``private_root``. Standard library only and one thread, so that it may fork at any time.
"""

import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path

from vertex_jobs.emulator.launcher import framing, gcs_mounting, linux, namespaces
from vertex_jobs.emulator.launcher.launcher_loop import LauncherLoop

_SCRATCH = "private-root"
_MOUNT_LOG = "gcs-mount.log"
#: Those that cannot be ignored, that tell of children, and that a fault of this process raises.
_HEEDED = {
    *(signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD),
    *(signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV),
}


def main() -> None:
    """Serve until the server is gone, then end every process that is left."""
    _ignore_signals()
    channel = framing.Channel(socket.socket(fileno=int(sys.argv[1])))
    settings = json.loads(sys.argv[2])
    state_dir = Path(settings["state_dir"])
    store = settings["gcs_store"]
    linux.become_subreaper()
    why_not = "a private root was not asked for"
    if settings["private_root"]:
        scratch = state_dir / _SCRATCH
        scratch.mkdir(exist_ok=True, mode=0o700)
        own = (gcs_mounting.MOUNTPOINT.strip("/"),) if store else ()
        why_not = namespaces.enter(scratch, channel.fileno(), own_top_level=own)
    private_root = not why_not
    mount_missing = settings["mount_missing"] or gcs_mounting.missing() if store else ""
    mounting = None
    if store and private_root and not mount_missing:
        mounting = gcs_mounting.GcsMounting(Path(store), state_dir / _MOUNT_LOG)
    capabilities = {
        "private_root": private_root,
        "gcs_mount": mounting is not None,
        "why_not": "; ".join(part for part in (why_not, mount_missing) if part),
    }
    channel.send({"is": "ready", "capabilities": capabilities})
    LauncherLoop(channel, mounting, names_processes=private_root).run()
    if private_root:
        os._exit(0)  # the first process of its namespace: the kernel kills all others
    _end_descendants()


def _ignore_signals() -> None:
    """Let nothing but SIGKILL and a fault end this process: a replica can signal it.

    As the first process of a namespace the kernel protects it from its children only where it has
    no handler, and Python has one for SIGINT. What is started has the default handlers again.
    """
    for number in signal.valid_signals() - _HEEDED:
        signal.signal(number, signal.SIG_IGN)


def _end_descendants() -> None:
    """Kill children until there are none; orphans of theirs become children of this process."""
    while True:
        for pid in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _children() -> list[int]:
    children = []
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            pid = int(entry.name)
            status = Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace")
            if int(status.rpartition(")")[2].split()[1]) == os.getpid():
                children.append(pid)
    return children


if __name__ == "__main__":
    main()
