"""One replica as the server sees it: its output, its signals and its end.

For the server's controllers. ``launcher_process`` starts it and hands on what is said about it.
"""

import asyncio
import signal
from collections.abc import Callable

from vertex_jobs import errors
from vertex_jobs.emulator.launcher import framing
from vertex_jobs.emulator.launcher.launcher_connection import LauncherConnection
from vertex_jobs.emulator.launcher.launcher_values import Exit
from vertex_jobs.emulator.launcher.output import LinePipe

#: Called with ``stdout`` or ``stderr``, a line without its newline, and its Unix time.
OnOutput = Callable[[str, bytes, float], None]
#: The launcher's own words, in the state directory.
LOG = "launcher.log"

#: How long a process that outlived its replica, outside its group, may hold its output open.
_DRAIN_SECONDS = 1.0


class Replica:
    """One replica, from its start to its end.

    Attributes:
        pid: Process id as the server sees it, also that of its process group. In a private root
            the replica itself sees another number.
        why_fresh: Why no warm parent forked it; empty when one did.
        preload_failures: Modules that the warm parent could not import, each with the reason.
        started: Done once ``pid`` and the rest are known; only the launcher's end looks at it.
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
        """Note that the launcher is gone, and with it the process."""
        if not self.started.done():
            self.started.set_exception(launcher_is_gone())
        if not self._exited.done():
            self._exited.set_result(Exit(None, int(signal.SIGKILL)))

    def abandon(self) -> None:
        """Kill a replica that nobody wants any more, and stop listening to it."""
        self.send_signal(signal.SIGKILL)
        for pipe in self._pipes:
            pipe.close()


def launcher_is_gone() -> errors.EndpointLostError:
    """Return what whoever counts on a lost launcher process is told."""
    return errors.EndpointLostError(
        f"the launcher process is gone; {LOG} in the state directory may say why; start again"
    )
