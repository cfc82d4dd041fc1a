"""Processes that a replica started outside its process group, and that outlive it.

For the launcher process's loop. They are known by what each replica has for itself: its host name,
in the environment that they were started with, and its working directory. One that has left both
behind is ended only with the launcher.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: A process that is killed while it forks leaves another one for the next look.
_MOST_LOOKS = 100
_LOOK_SECONDS = 0.002


@dataclass(frozen=True)
class Marks:
    """What the processes of one replica are known by; an empty one is none."""

    host_name: str = ""
    folder: str = ""

    @classmethod
    def of(cls, replica: Mapping[str, Any]) -> "Marks":
        """Return the marks of a replica; without a host name of its own there are none."""
        host_name = replica["environment"].get("HOSTNAME", "")
        return cls(host_name, replica["working_directory"]) if host_name else cls()


def end_strays(marks: Marks, spared: int) -> None:
    """Kill every process with one of the marks, but for the one that is ``spared``."""
    for _ in range(_MOST_LOOKS if marks.host_name else 0):
        strays = [pid for pid in _processes_of(marks) if pid not in (spared, os.getpid())]
        if not strays:
            return
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_SECONDS)  # until the kernel has taken their marks away


def _processes_of(marks: Marks) -> Iterator[int]:
    variable = f"HOSTNAME={marks.host_name}".encode()
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if variable in Path(entry.path, "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
                continue
            folder = os.readlink(os.path.join(entry.path, "cwd"))
            if f"{folder}/".startswith(f"{marks.folder}/"):
                yield int(entry.name)
