"""The replicas that run under the launcher: where each runs, and how it ended.

For the launcher process's loop. It sends signals and reads exit statuses; it starts nothing.
"""

import contextlib
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vertex_jobs.emulator.launcher import linux
from vertex_jobs.emulator.launcher.strays import Marks, end_strays
from vertex_jobs.emulator.launcher.warm_parents import WarmParent

_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


@dataclass(eq=False)
class Running:
    """One replica: the server's number for it, its process, and its warm parent, if it has one.

    Attributes:
        marks: What its processes are known by.
    """

    number: int
    pid: int
    parent: WarmParent | None
    marks: Marks
    killed_by_us: bool = False

    def signal(self, signum: int) -> None:
        """Signal its process group, through the parent that alone knows whether it still runs."""
        self.killed_by_us |= signum == signal.SIGKILL
        try:
            if self.parent is not None:
                self.parent.channel.send({"do": "signal", "id": self.number, "signal": signum})
            else:
                linux.signal_group(self.pid, signum)
        except OSError:
            pass  # it has ended; its exit is on the way


class Replicas:
    """The replicas that run, by number and by process."""

    def __init__(self) -> None:
        self._by_number: dict[int, Running] = {}
        self._oom_kills = _count_oom_kills()

    def add(self, running: Running) -> None:
        """Note a start."""
        self._by_number[running.number] = running

    def find(self, number: int) -> Running | None:
        """Return a running replica by the server's number."""
        return self._by_number.get(number)

    def of_process(self, pid: int) -> Running | None:
        """Return a running replica that is a direct child, or has become one."""
        return next((one for one in self._by_number.values() if one.pid == pid), None)

    def of_parent(self, parent: WarmParent) -> list[Running]:
        """Return the replicas that a warm parent forked and has not reported ended."""
        return [one for one in self._by_number.values() if one.parent is parent]

    def end(self, running: Running, code: int) -> dict[str, Any]:
        """Note an end, and return the message about it; a negative code is a signal's.

        What the replica has left running ends with it.
        """
        end_strays(running.marks, running.pid)
        del self._by_number[running.number]
        kills = _count_oom_kills()
        out_of_memory = -code == signal.SIGKILL and not running.killed_by_us
        out_of_memory = out_of_memory and kills > self._oom_kills
        self._oom_kills = kills
        return {
            "is": "exited",
            "id": running.number,
            "code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "out_of_memory": out_of_memory,
        }


def _count_oom_kills() -> int:
    """Count the out-of-memory kills since the machine started; 0 where they are not counted."""
    with contextlib.suppress(OSError):
        found = _KILLS.search(Path("/proc/vmstat").read_text(encoding="ascii"))
        return int(found.group(1)) if found else 0
    return 0
