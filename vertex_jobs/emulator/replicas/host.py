"""This machine as a host of replicas: what it takes to prepare and start them."""

import asyncio
import contextlib
import functools
import re
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.emulator.environments.isolated import IsolatedEnvironments
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.launcher.launcher_values import GcsWay
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool
from vertex_jobs.emulator.replicas.installations import Installations
from vertex_jobs.emulator.replicas.packages import Packages
from vertex_jobs.emulator.replicas.ports import Ports
from vertex_jobs.errors import UnsupportedHereError

#: Before a replica's id: the folder of its copy of buckets, among its job's.
GCS_COPY_PREFIX = "gcs-"
#: What the work folder holds: by job, by container's packages, and what is being swept.
_WORK = re.compile(r"\d+|packages-.+|\.\d+-[0-9a-f]{8}")


@dataclass(frozen=True)
class Host:
    """The parts of this machine that replicas need.

    Attributes:
        surroundings: Makes the variables that all replicas share.
    """

    launcher: Launcher
    packages: Packages
    installations: Installations
    ports: Ports
    accelerators: AcceleratorPool
    environments: IsolatedEnvironments
    surroundings: Callable[[], dict[str, str]]
    work_folder: Path

    def folder(self, job_id: str) -> Path:
        """Return the scratch space of one job, which need not exist."""
        return self.work_folder / job_id

    async def gcs_way(self) -> GcsWay:
        """Return the way in which a replica gets ``/gcs``, with the mount there if it is that.

        Raises:
            UnsupportedHereError: If there is no way.
            EndpointLostError: If no launcher process lives long enough.
        """
        try:
            await self.launcher.ensure_gcs_mount()
        except UnsupportedHereError:
            if not self.launcher.capabilities.private_root:
                raise
            return "copy"
        return "mount"

    def sweep(self, job_id: str) -> None:
        """Remove a job's scratch space beside everything else; its path is free at once.

        The server's end waits for it.
        """
        folder = self.folder(job_id)
        swept = folder.with_name(f".{folder.name}-{secrets.token_hex(4)}")
        with contextlib.suppress(FileNotFoundError):
            folder.rename(swept)
        remove = functools.partial(shutil.rmtree, swept, ignore_errors=True)
        asyncio.get_running_loop().run_in_executor(None, remove)


def clear_work(folder: Path) -> None:
    """Remove what replicas of an earlier server left in the work folder, by its names."""
    left = folder.iterdir() if folder.is_dir() else ()
    for path in left:
        if _WORK.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
