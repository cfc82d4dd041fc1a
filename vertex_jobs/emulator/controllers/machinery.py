"""What every controller works with, handed to it in one piece."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.emulator.controllers.packages import Packages
from vertex_jobs.emulator.launcher import Launcher
from vertex_jobs.emulator.logbook import Logbook
from vertex_jobs.emulator.objects.store import ObjectStore
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.search_client import SearchClient
from vertex_jobs.emulator.store import Store

__all__ = ["Machinery"]


@dataclass(frozen=True)
class Machinery:
    """The parts of one server.

    Attributes:
        store: Resources.
        identity: Names and times.
        logbook: Log lines.
        objects: Buckets and objects.
        packages: Unpacked packages.
        launcher: Starts replicas.
        search: The search process.
        variables: Makes the environment that all replicas share.
        work_folder: Scratch space of running replicas.
    """

    store: Store
    identity: Identity
    logbook: Logbook
    objects: ObjectStore
    packages: Packages
    launcher: Launcher
    search: SearchClient
    variables: Callable[[], dict[str, str]]
    work_folder: Path

    def service_line(self, job_id: str, text: str, severity: str = "INFO") -> None:
        """Write one of the service's own lines to a job's log."""
        self.logbook.append(job_id, "service", severity, text, self.identity.unix_time())
