"""A process that has imported what a script imports and forks a replica in milliseconds.

The launcher executes this file by its path, with the replica's interpreter. A parent only
imports, and only third-party modules: after one operation of TensorFlow a forked child would hang
forever. Before each fork it checks that this still holds, and refuses otherwise. Standard
library only, Python 3.9.
"""

from __future__ import annotations

import collections
import contextlib
import gc
import os
import random
import selectors
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vertex_jobs.emulator.launcher import bootstrap, framing, linux
else:
    import bootstrap
    import framing
    import linux

    for _name in ("bootstrap", "framing", "linux"):  # the user may have modules of these names
        del sys.modules[_name]


#: They stop before a fork and come back after it by themselves: jemalloc's housekeeping, which
#: pyarrow brings. Source: jemalloc's ``background_thread_prefork0`` and its companions.
_FORK_AWARE_THREADS = ("jemalloc_bg_thd",)


class _Parent:
    """Forks replicas on request and tells the launcher how they end."""

    def __init__(self, channel: framing.Channel) -> None:
        self._channel = channel
        self._replicas: dict[int, int] = {}  # process id to the launcher's number for it
        self._reported: set[int] = set()  # ended, and not reaped yet
        self._messages: collections.deque[framing.Received] = collections.deque()
        self._installed = _installation_times()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> dict[str, Any]:
        """Fork on request; return only in a child, with the replica that it is to become."""
        selector = selectors.DefaultSelector()
        selector.register(self._channel, selectors.EVENT_READ)
        selector.register(self._woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self._woken:
                    self._woken.recv(4096)
                    self._report_ends()
                    continue
                self._messages.extend(self._channel.read())
                while self._messages:
                    replica = self._obey(self._messages.popleft())
                    if replica is not None:
                        selector.close()
                        return replica

    def _obey(self, message: framing.Received) -> dict[str, Any] | None:
        body = message.body
        if body["do"] == "signal":
            linux.signal_group(self._find(body["id"]), body["signal"])
            return None
        if body["do"] == "reap":
            self._reap(body["id"])
            return None
        stale, reason = self._objection()
        if reason:
            self._channel.send(
                {"is": "refused", "id": body["id"], "stale": stale, "reason": reason}
            )
        elif self._fork(body["id"], message.descriptors):
            return dict(body["replica"])
        for descriptor in message.descriptors:
            os.close(descriptor)
        return None

    def _objection(self) -> tuple[bool, str]:
        """Return why a fork would differ from a fresh start; first, whether a new parent helps."""
        if _installation_times() != self._installed:
            return True, "packages were installed or removed since the warm parent started"
        threads = [name for name in _thread_names() if name not in _FORK_AWARE_THREADS]
        if len(threads) != 1:
            names = ", ".join(sorted(set(threads)))
            return (
                False,
                f"the imports left {len(threads)} threads running ({names}); one is safe to fork",
            )
        eager = sys.modules.get("tensorflow.python.eager.context")
        context = getattr(eager, "_context", None)
        if getattr(context, "_initialized", False):
            return False, "an import ran a TensorFlow operation, which a fork does not survive"
        return False, ""

    def _fork(self, number: int, descriptors: list[int]) -> bool:
        """Fork; True in the child, which then has streams and a process group of its own."""
        gc.collect()
        gc.freeze()
        own_pid = os.getpid()
        pid = os.fork()
        if pid != 0:
            self._replicas[pid] = number
            self._channel.send({"is": "started", "id": number, "pid": pid})
            return False
        os.setsid()
        linux.die_with_parent(own_pid)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        output, errors = descriptors
        os.dup2(output, 1)
        os.dup2(errors, 2)
        for descriptor in descriptors:
            os.close(descriptor)
        for inherited in (self._channel, self._woken, self._waker):
            inherited.close()
        for message in self._messages:  # another replica's streams
            for descriptor in message.descriptors:
                os.close(descriptor)
        return True

    def _report_ends(self) -> None:
        """Report replicas that ended; each stays a zombie, with its number, until it is heard."""
        for pid, number in self._replicas.items():
            if number in self._reported:
                continue
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                linux.signal_group(pid, signal.SIGKILL)  # what it left behind in its group
                code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
                self._reported.add(number)
                self._channel.send({"is": "exited", "id": number, "code": code})

    def _reap(self, number: int) -> None:
        pid = self._find(number)
        os.waitpid(pid, 0)
        del self._replicas[pid]
        self._reported.discard(number)

    def _find(self, number: int) -> int:
        return next(pid for pid, owner in self._replicas.items() if owner == number)


def _thread_names() -> list[str]:
    """Return the kernel's name of each thread of this process."""
    return [
        Path(f"/proc/self/task/{thread}/comm").read_text().strip()
        for thread in os.listdir("/proc/self/task")
    ]


def _installation_times() -> list[int]:
    """Return when each folder of installed packages last gained or lost one."""
    times = []
    for folder in sys.path:
        if os.path.basename(folder) in bootstrap.INSTALLED:
            with contextlib.suppress(OSError):
                times.append(os.stat(folder).st_mtime_ns)
    return times


def _reseed() -> None:
    """Give the child random numbers of its own, as a fresh process has."""
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def _main() -> None:
    bootstrap.leave_own_folder()
    channel = framing.Channel(socket.socket(fileno=int(sys.argv[1])))
    failures = bootstrap.import_preload(sys.argv[2:])
    try:
        channel.send({"is": "loaded", "failures": failures})
        replica = _Parent(channel).serve()
    except (EOFError, BrokenPipeError):  # the launcher has no use for it any more
        os._exit(0)
    del channel
    _reseed()
    bootstrap.run(replica)


if __name__ == "__main__":
    _main()
