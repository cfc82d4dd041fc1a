"""The launcher process's loop: it obeys the server, reaps children and reports.

It runs in the launcher process, which has one thread. It never blocks on a child: imports happen
in the warm parents, and a mount is looked after from the loop.
"""

import contextlib
import os
import select
import signal
import socket
from typing import Any

from vertex_jobs.emulator.launcher import framing, linux
from vertex_jobs.emulator.launcher.gcs_mounting import MOUNTPOINT, GcsMounting
from vertex_jobs.emulator.launcher.launcher_values import METRIC_FOLDER
from vertex_jobs.emulator.launcher.running_replicas import Replicas, Running
from vertex_jobs.emulator.launcher.spawning import spawn_fresh
from vertex_jobs.emulator.launcher.strays import Marks
from vertex_jobs.emulator.launcher.warm_parents import Launch, WarmParent, WarmParents

#: How often the kernel's mount table is read while a mount is under way.
_MOUNT_POLL_SECONDS = 0.01


class LauncherLoop:
    """Parents every warm parent and replica until the server is gone."""

    def __init__(
        self, server: framing.Channel, mounting: GcsMounting | None, *, names_processes: bool
    ) -> None:
        """Take the server's channel, and what serves ``/gcs`` where it can be had.

        With ``names_processes`` process numbers differ from the server's, and the kernel is to
        translate them.
        """
        self._server = server
        self._mounting = mounting
        self._names_processes = names_processes
        self._mount_due = False
        self._cancelled: set[int] = set()  # signalled before they had started
        self._replicas = Replicas()
        self._parents = WarmParents()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        """Serve until the server closes its end, then return; what runs is not ended here."""
        with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
            while True:
                self._step()
        signal.set_wakeup_fd(-1)

    def _step(self) -> None:
        poll = select.poll()
        channels = {parent.channel.fileno(): parent for parent in self._parents.all()}
        for descriptor in (self._server.fileno(), self._woken.fileno(), *channels):
            poll.register(descriptor, select.POLLIN)
        for descriptor, _ in poll.poll(self._timeout_milliseconds()):
            if descriptor == self._server.fileno():
                for message in self._server.read():
                    self._obey(message)
            elif descriptor == self._woken.fileno():
                self._woken.recv(4096)
            elif channels[descriptor] in self._parents.all():
                self._hear(channels[descriptor])
        self._reap()
        if self._mount_due and self._mounting is not None and self._mounting.ready:
            self._mount_due = False
            self._server.send({"is": "mounted", "why_not": ""})

    def _timeout_milliseconds(self) -> float | None:
        idle = self._parents.end_idle()
        seconds = _MOUNT_POLL_SECONDS if self._mount_due else idle
        return None if seconds is None else seconds * 1000 + 1

    def _obey(self, message: framing.Received) -> None:
        body = message.body
        if body["do"] == "launch":
            self._launch(Launch(body["id"], body["replica"], message.descriptors))
        elif body["do"] == "signal":
            self._signal(body["id"], body["signal"])
        elif self._mounting is not None:
            self._mounting.start()
            self._mount_due = True

    def _launch(self, launch: Launch) -> None:
        parent, reason = self._parents.find(launch.replica)
        if parent is None:
            self._launch_fresh(launch, reason)
        else:
            parent.ask(launch)

    def _launch_fresh(self, launch: Launch, reason: str) -> None:
        shown = {}
        # In a private root, whose numbers differ from the server's: elsewhere it is a container's.
        if self._names_processes:
            places = {"gcs_folder": MOUNTPOINT, "metric_folder": METRIC_FOLDER}
            shown = {launch.replica[one]: places[one] for one in places if launch.replica[one]}
        output, errors = launch.descriptors
        pid = spawn_fresh(launch.replica, output, errors, shown)
        self._started(launch, Running(launch.number, pid, None, Marks.of(launch.replica)), reason)

    def _started(self, launch: Launch, running: Running, why_fresh: str) -> None:
        for descriptor in launch.descriptors:
            os.close(descriptor)
        self._replicas.add(running)
        body = {
            "is": "started",
            "id": launch.number,
            "pid": 0 if self._names_processes else running.pid,
            "why_fresh": why_fresh,
            "preload_failures": running.parent.failures if running.parent else {},
        }
        self._server.send(body, pid=running.pid if self._names_processes else 0)
        if launch.number in self._cancelled:
            self._cancelled.discard(launch.number)
            running.signal(signal.SIGKILL)

    def _signal(self, number: int, signum: int) -> None:
        running = self._replicas.find(number)
        if running is not None:
            running.signal(signum)
        elif any(parent.expects(number) for parent in self._parents.all()):
            self._cancelled.add(number)

    def _hear(self, parent: WarmParent) -> None:
        try:
            for message in parent.channel.read():
                self._handle(parent, message.body)
        except EOFError:
            self._lose(parent)

    def _handle(self, parent: WarmParent, body: dict[str, Any]) -> None:
        if body["is"] == "loaded":
            parent.loaded, parent.failures = True, body["failures"]
            waiting, parent.waiting = parent.waiting, []
            for launch in waiting:
                parent.ask(launch)
        elif body["is"] == "started":
            parent.running.add(body["id"])
            launch = parent.asked.pop(body["id"])
            marks = Marks.of(launch.replica)
            self._started(launch, Running(launch.number, body["pid"], parent, marks), "")
        elif body["is"] == "refused":
            self._refused(parent, parent.asked.pop(body["id"]), body)
        else:
            self._ended(parent, body)

    def _refused(self, parent: WarmParent, launch: Launch, body: dict[str, Any]) -> None:
        """Start replicas elsewhere that a parent may not fork."""
        if body["stale"]:
            self._parents.retire(parent)
            self._launch(launch)
        else:
            self._parents.retire(parent, unsafe=body["reason"])
            self._launch_fresh(launch, body["reason"])

    def _ended(self, parent: WarmParent, body: dict[str, Any]) -> None:
        running = self._replicas.find(body["id"])
        if running is not None:
            self._server.send(self._replicas.end(running, body["code"]))
        parent.reap(body["id"])
        self._parents.rest(parent)

    def _lose(self, parent: WarmParent) -> None:
        """Note that a parent died: the kernel ends its replicas, and they become ours to reap."""
        with contextlib.suppress(EOFError):
            while messages := parent.channel.read():  # what it said before
                for message in messages:
                    self._handle(parent, message.body)
        for running in self._replicas.of_parent(parent):
            running.parent = None
        reason = "the warm parent died"
        if not parent.loaded:
            reason += " while it imported " + (", ".join(parent.key[1]) or "nothing")
        self._parents.retire(parent, unsafe="" if parent.loaded else reason)
        self._parents.remove(parent)
        for launch in [*parent.asked.values(), *parent.waiting]:
            self._launch_fresh(launch, reason)

    def _reap(self) -> None:
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            running = self._replicas.of_process(ended.si_pid)
            if running is not None and running.parent is not None:
                self._lose(running.parent)
            if running is not None:
                linux.signal_group(running.pid, signal.SIGKILL)  # what it left in its group
            _, status = os.waitpid(ended.si_pid, 0)
            if running is not None:
                self._server.send(self._replicas.end(running, os.waitstatus_to_exitcode(status)))
            said = self._mounting.ended(ended.si_pid) if self._mounting else None
            if said is not None and self._mounting is not None:
                self._mount_ended(self._mounting, said)

    def _mount_ended(self, mounting: GcsMounting, said: str) -> None:
        if self._mount_due:
            self._mount_due = False
            self._server.send({"is": "mounted", "why_not": f"the mount of /gcs ended: {said}"})
        else:  # it had been mounted, and replicas count on it
            self._mount_due = True
            mounting.start()
