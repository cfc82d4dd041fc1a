"""Which replica wrote which object, known by the socket that its bytes came through.

Every dialect of Cloud Storage carries other credentials, or none, so the kernel is asked instead:
the connection's other end is a socket, and a process of the replica's holds it. A write through
``/gcs``, or from a process that the replica started itself, stays without a writer. Nothing is
asked, and nothing costs, for jobs whose writers cannot be confused.
"""

import contextlib
import contextvars
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from vertex_jobs.emulator.asgi import AsgiApplication, Receive, Scope, Send
from vertex_jobs.emulator.storage.objects.object_values import StoredObject

#: From a connection's two addresses to the number of the socket at its first, 0 for none.
ClientSocket = Callable[[tuple[str, int], tuple[str, int]], int]

#: Objects that are remembered for one job; a job that writes more is not audited further.
_MOST_OBJECTS = 10_000
_WRITING = ("PUT", "POST")

#: The request's own socket as the client holds it: a number of the kernel's, 0 for unknown.
_socket: contextvars.ContextVar[int] = contextvars.ContextVar("socket", default=0)


@dataclass(frozen=True)
class Writer:
    """One process that may write: number of its job, and its replica."""

    job_id: str
    replica_id: str


@dataclass
class WriteLedger:
    """The objects that watched replicas have written; for the event loop and writing threads."""

    _processes: dict[int, Writer] = field(default_factory=dict)
    _written: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def watches(self) -> bool:
        """True if any process is watched."""
        return bool(self._processes)

    def watch(self, pid: int, writer: Writer) -> None:
        """Attribute to the writer what this process writes from now on."""
        with self._lock:
            self._processes[pid] = writer
            self._written.setdefault(writer.job_id, {})

    def note(self, stored: StoredObject) -> None:
        """Note an object that was written within the request that ``noting_writers`` saw."""
        inode = _socket.get()
        writer = self._holder(inode) if inode else None
        if writer is None:
            return
        with self._lock:
            written = self._written.get(writer.job_id, {})
            if len(written) < _MOST_OBJECTS:
                uri = f"gs://{stored.bucket}/{stored.name}"
                written.setdefault(uri, set()).add(writer.replica_id)

    def settle(self, job_id: str) -> Mapping[str, set[str]]:
        """Return and forget a job's objects: ``gs://`` URI to the replicas that wrote it."""
        with self._lock:
            self._processes = {
                pid: writer for pid, writer in self._processes.items() if writer.job_id != job_id
            }
            return self._written.pop(job_id, {})

    def _holder(self, inode: int) -> Writer | None:
        """Return the writer whose watched process holds the socket."""
        with self._lock:
            processes = list(self._processes.items())
        wanted = f"socket:[{inode}]"
        for pid, writer in reversed(processes):
            if wanted in _descriptors(pid):
                return writer
        return None


def _descriptors(pid: int) -> Iterator[str]:
    """Yield what a process holds open; nothing if it has ended or is not ours to see."""
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                yield os.readlink(entry.path)


def noting_writers(
    application: AsgiApplication, ledger: WriteLedger, client_socket: ClientSocket
) -> AsgiApplication:
    """Return the storage service with the socket of each writing request noted for the ledger."""

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        client, server = scope.get("client"), scope.get("server")
        if ledger.watches and scope.get("method") in _WRITING and client and server:
            with contextlib.suppress(OSError):
                _socket.set(client_socket(tuple(client), tuple(server)))
        await application(scope, receive, send)

    return noting
