"""The launcher as the server has it: there whenever it is needed, whatever happens to its process.

For the server's controllers, on their event loop. Which replicas a job has, in what order they
start and when they are stopped is decided there, not here.
"""

import asyncio
import contextlib
import functools
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from vertex_jobs.emulator.launcher.launched_replica import OnOutput, Replica
from vertex_jobs.emulator.launcher.launcher_process import LauncherProcess
from vertex_jobs.emulator.launcher.launcher_values import Capabilities, ReplicaSpec
from vertex_jobs.errors import EndpointLostError, UnsupportedHereError

_T = TypeVar("_T")
#: How often a thing is tried that the launcher process does not survive.
_ATTEMPTS = 3


class Launcher:
    """Starts replicas by a launcher process, and another one when that is lost.

    With a lost process its replicas end, as by SIGKILL: their machines are lost. It is started
    again when the next replica is, with ``/gcs`` mounted if it was before. Like the first one it is
    executed, not forked, so the threads that this process has by now do not matter.
    """

    def __init__(
        self, start: Callable[[], Awaitable[LauncherProcess]], process: LauncherProcess
    ) -> None:
        self._start = start
        self._process = process
        self._starting = asyncio.Lock()
        self._has_gcs = False
        self._closed = False

    @classmethod
    async def start(
        cls,
        state_dir: Path,
        *,
        gcs_store: Path | None = None,
        private_root: bool = True,
        clock: Callable[[], float] = time.time,
        umask: int = -1,
    ) -> "Launcher":
        """Start the process and wait until it has its namespaces.

        Args:
            state_dir: Must exist; the process logs there and mounts its private root on a folder
                of it.
            gcs_store: The object store behind ``/gcs``; without it there is no ``/gcs``.
            private_root: False stays with the host's processes and folders.
            clock: Unix time in seconds, for the lines of output.
            umask: Of the replicas; -1 for this process's own.

        Raises:
            EndpointLostError: The process ended at once.
        """
        start = functools.partial(
            LauncherProcess.start,
            state_dir,
            gcs_store=gcs_store,
            private_root=private_root,
            clock=clock,
            umask=umask,
        )
        return cls(start, await start())

    @property
    def capabilities(self) -> Capabilities:
        """The abilities of the launcher on this machine."""
        return self._process.capabilities

    @property
    def pid(self) -> int:
        """The process id of the launcher, as the server sees it."""
        return self._process.pid

    async def launch(self, spec: ReplicaSpec, on_output: OnOutput) -> Replica:
        """Start a replica, and return once its process runs.

        The first replica of its kind waits for its warm parent's imports, as a fresh process
        would for its own. One that cannot be started at all ends with code 128 and says why on
        its stderr. ``on_output`` is called on the event loop, for every line of both streams in
        order.

        Raises:
            EndpointLostError: No launcher process lives long enough.
        """
        return await self._outlast(lambda process: process.launch(spec, on_output))

    async def ensure_gcs_mount(self) -> None:
        """Return once ``/gcs`` shows the store to every replica; the first call mounts it.

        Raises:
            UnsupportedHereError: It cannot be had here; says what to install or allow.
            EndpointLostError: No launcher process lives long enough.
        """
        await self._outlast(LauncherProcess.ensure_gcs_mount)
        self._has_gcs = True

    async def close(self) -> None:
        """End the launcher and, at once and by SIGKILL, everything that it started."""
        self._closed = True
        await self._process.close()

    async def _outlast(self, act: Callable[[LauncherProcess], Awaitable[_T]]) -> _T:
        for _ in range(_ATTEMPTS - 1):
            with contextlib.suppress(EndpointLostError):
                return await act(await self._running())
        return await act(await self._running())

    async def _running(self) -> LauncherProcess:
        """Return the process, started again if it is lost."""
        async with self._starting:
            if self._process.is_lost and not self._closed:
                await self._process.wait_for_end()
                self._process = await self._start()
                if self._has_gcs:
                    with contextlib.suppress(UnsupportedHereError):
                        await self._process.ensure_gcs_mount()
            return self._process
