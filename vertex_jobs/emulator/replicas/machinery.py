"""What every controller works with, handed to it in one piece."""

import asyncio
import contextlib
import functools
import re
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.environments.isolated import IsolatedEnvironments
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.launcher import Launcher
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool
from vertex_jobs.emulator.replicas.pace import Pacing
from vertex_jobs.emulator.replicas.packages import Packages
from vertex_jobs.emulator.replicas.ports import Ports
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.writers import WriteLedger
from vertex_jobs.emulator.store.logbook import Logbook
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.emulator.study_search.search_client import SearchClient

__all__ = ["Machinery", "clear_work"]

#: What the work folder holds: by job, by container's packages, and what is being swept.
_WORK = re.compile(r"\d+|packages-.+|\.\d+-[0-9a-f]{8}")


@dataclass(frozen=True)
class Machinery:
    """The parts of one server.

    Attributes:
        store: Resources.
        clock: The time, for every wait.
        pacing: Jobs that wait for their next state.
        identity: Names and times, by that clock.
        logbook: Log lines.
        objects: Buckets and objects.
        packages: Unpacked packages.
        launcher: Starts replicas.
        search: The search process.
        variables: Makes the environment that all replicas share.
        work_folder: Scratch space of running replicas.
        ports: Loopback ports for the replicas' own servers.
        accelerators: This machine's GPUs.
        environments: Isolated environments.
        faults: What goes wrong on purpose.
        writes: Which replica wrote which object.
    """

    store: Store
    clock: Clock
    pacing: Pacing
    identity: Identity
    logbook: Logbook
    objects: ObjectStore
    packages: Packages
    launcher: Launcher
    search: SearchClient
    variables: Callable[[], dict[str, str]]
    work_folder: Path
    ports: Ports
    accelerators: AcceleratorPool
    environments: IsolatedEnvironments
    faults: FaultBoard = field(default_factory=FaultBoard)
    writes: WriteLedger = field(default_factory=WriteLedger)

    def sweep(self, folder: Path) -> None:
        """Remove a folder beside everything else; its path is free at once.

        The server's end waits for it.
        """
        swept = folder.with_name(f".{folder.name}-{secrets.token_hex(4)}")
        with contextlib.suppress(FileNotFoundError):
            folder.rename(swept)
        remove = functools.partial(shutil.rmtree, swept, ignore_errors=True)
        asyncio.get_running_loop().run_in_executor(None, remove)

    def service_line(self, job_id: str, text: str, severity: str = "INFO") -> None:
        """Write one of the service's own lines to a job's log."""
        self.logbook.append(job_id, "service", severity, text, self.identity.unix_time())

    def warnings(self, collection: str, job_id: str) -> list[str]:
        """What admission wants said in the job's log."""
        return list(self.store.settings(collection, job_id).get("warnings", ()))


def clear_work(folder: Path) -> None:
    """Remove what replicas of an earlier server left in the work folder, by its names."""
    left = folder.iterdir() if folder.is_dir() else ()
    for path in left:
        if _WORK.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
