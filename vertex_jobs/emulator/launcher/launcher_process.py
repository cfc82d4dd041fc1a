"""The server's end of one launcher process: start it, start replicas, hear how they end.

For ``launcher_client``, on the server's event loop. The process is started once, and when it is
lost, so are its replicas.
"""

import asyncio
import contextlib
import functools
import importlib.util
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from vertex_jobs import errors
from vertex_jobs.emulator.launcher import framing
from vertex_jobs.emulator.launcher.launched_replica import (
    LOG,
    OnOutput,
    Replica,
    launcher_is_gone,
)
from vertex_jobs.emulator.launcher.launcher_connection import LauncherConnection
from vertex_jobs.emulator.launcher.launcher_values import Capabilities, ReplicaSpec
from vertex_jobs.emulator.launcher.output import LinePipe

#: A mount takes 0.2 s.
_MOUNT_SECONDS = 30.0
#: The kernel ends what a lost launcher started within milliseconds.
_END_SECONDS = 10.0
_PACKAGES = Path(__file__).parents[3]


class LauncherProcess:
    """One launcher process, from its start to its end.

    ``launch`` and ``ensure_gcs_mount`` raise ``EndpointLostError`` once it is gone.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.capabilities = Capabilities(private_root=False, gcs_mount=False, why_not="")
        self._clock = clock
        self._connection: LauncherConnection
        self._process: subprocess.Popen[bytes]
        self._replicas: dict[int, Replica] = {}
        self._numbers = itertools.count(1)
        self._ready: asyncio.Future[Capabilities] = asyncio.get_running_loop().create_future()
        self._mounting: asyncio.Future[str] | None = None
        self._ending: asyncio.Task[None]

    @classmethod
    async def start(
        cls,
        state_dir: Path,
        *,
        gcs_store: Path | None = None,
        private_root: bool = True,
        clock: Callable[[], float] = time.time,
        umask: int = -1,
    ) -> "LauncherProcess":
        """Start the process and wait until it has its namespaces, see ``Launcher.start``.

        Raises:
            EndpointLostError: The process ended at once.
        """
        launcher = cls(clock)
        settings = {
            "state_dir": str(state_dir.resolve()),
            "gcs_store": str(gcs_store.resolve()) if gcs_store else None,
            "mount_missing": _mount_missing(),
            "private_root": private_root,
        }
        ours, theirs = socket.socketpair()
        with theirs, open(state_dir / LOG, "ab") as log:
            launcher._connection = LauncherConnection(ours, launcher._receive, launcher._lose)
            launcher._process = subprocess.Popen(
                [
                    *(sys.executable, "-S", "-m", __package__),
                    *(str(theirs.fileno()), json.dumps(settings)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                cwd="/",
                env=_environment(),
                start_new_session=True,
                umask=umask,
            )
        try:
            launcher.capabilities = await launcher._ready
        except BaseException:
            await launcher.close()
            raise
        return launcher

    @property
    def pid(self) -> int:
        """The process id, as the server sees it."""
        return self._process.pid

    @property
    def is_lost(self) -> bool:
        """True once the process has ended, or was told to."""
        return not self._connection.open

    async def launch(self, spec: ReplicaSpec, on_output: OnOutput) -> Replica:
        """Start a replica, see ``Launcher.launch``."""
        number = next(self._numbers)
        pipes, ends = [], []
        for stream in ("stdout", "stderr"):
            reading, writing = os.pipe()
            deliver = functools.partial(on_output, stream)
            pipes.append(LinePipe(reading, deliver, self._clock))
            ends.append(writing)
        replica = Replica(number, self._connection, tuple(pipes))
        self._replicas[number] = replica
        body = {"do": "launch", "id": number, "replica": asdict(spec)}
        self._connection.post(body, tuple(ends))
        try:
            if not self._connection.open:
                raise launcher_is_gone()
            await replica.started
        except BaseException:
            self._replicas.pop(number, None)
            replica.abandon()
            raise
        return replica

    async def ensure_gcs_mount(self) -> None:
        """Return once ``/gcs`` is mounted, see ``Launcher.ensure_gcs_mount``."""
        if not self.capabilities.gcs_mount:
            raise errors.UnsupportedHereError(
                f"/gcs cannot be mounted: {self.capabilities.why_not or 'no store was given'}"
            )
        if not self._connection.open:
            raise launcher_is_gone()
        if self._mounting is None or self._mounting.done():
            self._mounting = asyncio.get_running_loop().create_future()
            self._connection.post({"do": "mount"})
        try:
            why_not = await asyncio.wait_for(asyncio.shield(self._mounting), _MOUNT_SECONDS)
        except asyncio.TimeoutError:
            why_not = f"nothing happened for {_MOUNT_SECONDS:g} s"
        if why_not:
            raise errors.UnsupportedHereError(f"/gcs cannot be mounted: {why_not}")

    async def close(self) -> None:
        """End the launcher and, at once and by SIGKILL, everything that it started."""
        self._connection.close()
        await self.wait_for_end()

    async def wait_for_end(self) -> None:
        """Return when the process, which is lost, and everything that it started are gone."""
        await asyncio.shield(self._ending)

    def _receive(self, message: framing.Received) -> None:
        body = message.body
        if body["is"] == "ready":
            self._ready.set_result(Capabilities(**body["capabilities"]))
        elif body["is"] == "mounted":
            if self._mounting is not None and not self._mounting.done():
                self._mounting.set_result(body["why_not"])
        elif body["id"] in self._replicas:
            self._replicas[body["id"]].handle(message)
            if body["is"] == "exited":
                del self._replicas[body["id"]]

    def _lose(self) -> None:
        if not self._ready.done():
            self._ready.set_exception(launcher_is_gone())
        if self._mounting is not None and not self._mounting.done():
            self._mounting.set_exception(launcher_is_gone())
        self._ending = asyncio.get_running_loop().create_task(self._end())

    async def _end(self) -> None:
        """Wait until everything is gone; only then may others have the replicas' places."""
        pids = [replica.pid for replica in self._replicas.values() if replica.pid]
        try:
            await asyncio.to_thread(self._process.wait, _END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
        if not self.capabilities.private_root:  # there the kernel ends all
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)
        deadline = time.monotonic() + _END_SECONDS
        while any(map(_runs, pids)) and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        for replica in self._replicas.values():
            replica.lose()
        self._replicas.clear()


def _runs(pid: int) -> bool:
    """Return whether a process is there and has not ended, whoever reaps it."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in ("Z", "X")


def _environment() -> dict[str, str]:
    """Return the server's own environment, from which this package can be imported."""
    paths = [str(_PACKAGES), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _mount_missing() -> str:
    if importlib.util.find_spec("mfusepy") is None:
        return "mfusepy is not installed: pip install 'vertex-jobs[gcs-mount]'"
    return ""
