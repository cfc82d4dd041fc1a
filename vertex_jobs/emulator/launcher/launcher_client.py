"""The server's end of the launcher: start it, start replicas, hear how they end.

For the server's controllers, on their event loop. Which replicas a job has, in what order they
start and when they are stopped is decided there, not here.
"""

import asyncio
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
from vertex_jobs.emulator.launcher.launcher_connection import LauncherConnection
from vertex_jobs.emulator.launcher.launcher_values import Capabilities, Exit, ReplicaSpec
from vertex_jobs.emulator.launcher.output import LinePipe

#: Called with ``stdout`` or ``stderr``, a line without its newline, and its Unix time.
OnOutput = Callable[[str, bytes, float], None]

#: How long a process that outlived its replica, outside its group, may hold its output open.
_DRAIN_SECONDS = 1.0
#: A mount takes 0.2 s.
_MOUNT_SECONDS = 30.0
_LOG = "launcher.log"
_PACKAGES = Path(__file__).parents[3]


class Replica:
    """One replica, from its start to its end.

    Attributes:
        pid: Process id as the server sees it, also that of its process group. In a private root
            the replica itself sees another number.
        why_fresh: Why no warm parent forked it; empty when one did.
        preload_failures: Modules that the warm parent could not import, each with the reason.
        started: Done once ``pid`` and the rest are known; only the launcher looks at it.
    """

    def __init__(
        self, number: int, connection: LauncherConnection, pipes: tuple[LinePipe, ...]
    ) -> None:
        self.pid = 0
        self.why_fresh = ""
        self.preload_failures: dict[str, str] = {}
        self._number = number
        self._connection = connection
        self._pipes = pipes
        loop = asyncio.get_running_loop()
        self.started: asyncio.Future[None] = loop.create_future()
        self._exited: asyncio.Future[Exit] = loop.create_future()

    async def wait(self) -> Exit:
        """Wait until the process has ended and all of its output has been handed on.

        What it started outside its process group may hold its output open; that is no longer
        waited for after a moment.
        """
        ending = await asyncio.shield(self._exited)
        await asyncio.wait([pipe.drained for pipe in self._pipes], timeout=_DRAIN_SECONDS)
        for pipe in self._pipes:
            pipe.close()
        return ending

    def send_signal(self, signum: int) -> None:
        """Signal the whole process group; nothing happens when it has ended."""
        if not self._exited.done():
            self._connection.post({"do": "signal", "id": self._number, "signal": int(signum)})

    def handle(self, message: framing.Received) -> None:
        """Note a message from the launcher about this replica."""
        body = message.body
        if body["is"] == "started":
            self.pid = body["pid"] or message.sender_pid
            self.why_fresh = body["why_fresh"]
            self.preload_failures = body["preload_failures"]
            if not self.started.done():
                self.started.set_result(None)
        else:
            self._exited.set_result(Exit(body["code"], body["signal"], body["out_of_memory"]))

    def lose(self) -> None:
        """Take note that the launcher is gone, and with it the process."""
        if not self.started.done():
            self.started.set_exception(_gone())
        if not self._exited.done():
            self._exited.set_result(Exit(None, int(signal.SIGKILL)))

    def abandon(self) -> None:
        """Kill a replica that nobody wants any more, and stop listening to it."""
        self.send_signal(signal.SIGKILL)
        for pipe in self._pipes:
            pipe.close()


class Launcher:
    """The launcher process.

    Attributes:
        capabilities: What this machine allows.
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
        launcher = cls(clock)
        settings = {
            "state_dir": str(state_dir.resolve()),
            "gcs_store": str(gcs_store.resolve()) if gcs_store else None,
            "mount_missing": _mount_missing(),
            "private_root": private_root,
        }
        ours, theirs = socket.socketpair()
        with theirs, open(state_dir / _LOG, "ab") as log:
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
        """The launcher's process id, as the server sees it."""
        return self._process.pid

    async def launch(self, spec: ReplicaSpec, on_output: OnOutput) -> Replica:
        """Start a replica, and return once its process runs.

        The first replica of its kind waits for its warm parent's imports, as a fresh process
        would for its own. One that cannot be started at all ends with code 127 and says why on
        its stderr.

        Args:
            spec: The process.
            on_output: Called on the event loop for every line of both streams, in order.

        Raises:
            EndpointLostError: The launcher process is gone.
        """
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
        if not self._connection.open:
            replica.lose()
        try:
            await replica.started
        except BaseException:
            self._replicas.pop(number, None)
            replica.abandon()
            raise
        return replica

    async def ensure_gcs_mount(self) -> None:
        """Return once ``/gcs`` shows the store to every replica; the first call mounts it.

        Raises:
            UnsupportedHereError: It cannot be had here; says what to install or allow.
            EndpointLostError: The launcher process is gone.
        """
        if not self.capabilities.gcs_mount:
            raise errors.UnsupportedHereError(
                f"/gcs cannot be mounted: {self.capabilities.why_not or 'no store was given'}"
            )
        if not self._connection.open:
            raise _gone()
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
        await asyncio.to_thread(self._process.wait)

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
            self._ready.set_exception(_gone())
        if self._mounting is not None and not self._mounting.done():
            self._mounting.set_exception(_gone())
        for replica in self._replicas.values():
            replica.lose()
        self._replicas.clear()


def _gone() -> errors.EndpointLostError:
    return errors.EndpointLostError(
        f"the launcher process is gone; {_LOG} in the state directory may say why; start again"
    )


def _environment() -> dict[str, str]:
    """Return the server's own environment, from which this package can be imported."""
    paths = [str(_PACKAGES), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _mount_missing() -> str:
    if importlib.util.find_spec("mfusepy") is None:
        return "mfusepy is not installed: pip install 'vertex-jobs[gcs-mount]'"
    return ""
