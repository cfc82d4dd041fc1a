"""The state directory: where its files are, who holds it, and where its server answers.

One server at a time owns a directory: it holds a lock for its life, so a second one refuses.
``endpoint.json`` tells clients the port, the process and the token of the admin calls; the port
stays the same over restarts.
"""

import contextlib
import fcntl
import json
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.state import take_state_directory

#: Exit code of a server whose directory another one holds.
DIRECTORY_HELD = 3


class DirectoryHeldError(UnsupportedHereError):
    """Another server owns the directory."""


@dataclass(frozen=True)
class EndpointRecord:
    """The address of a directory's server, its token and its defaults.

    Attributes:
        port: On 127.0.0.1.
        pid: The server's process; 0 when it has ended in order.
        token: For the admin calls.
    """

    port: int
    pid: int
    token: str
    project: str
    location: str

    @property
    def url(self) -> str:
        """The plain HTTP endpoint."""
        return f"http://127.0.0.1:{self.port}"


class StateDirectory:
    """Paths below one directory, readable by its owner alone."""

    def __init__(self, path: Path) -> None:
        """Name the directory; nothing is created."""
        self.path = path.absolute()
        self.database = self.path / "resources.sqlite"
        self.logs = self.path / "logs"
        self.objects = self.path / "objects"
        self.packages = self.path / "packages"
        self.environments = self.path / "environments"
        self.work = self.path / "work"
        self.certificates = self.path / "certificates"
        self.server_log = self.path / "server.log"
        self._endpoint = self.path / "endpoint.json"
        self._lock = self.path / "server.lock"

    def take(self) -> None:
        """Take the directory, or make it.

        Raises:
            UnsupportedHereError: If it is not ours to take.
        """
        take_state_directory(self.path)

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Own the directory.

        Raises:
            DirectoryHeldError: If another server owns it.
        """
        with self._lock.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                record = self.read_endpoint()
                who = f"process {record.pid} on port {record.port}" if record else "another process"
                raise DirectoryHeldError(
                    f"{self.path} already has a server ({who}); "
                    "use that one, or give another --state-dir"
                ) from error
            yield

    def read_endpoint(self) -> EndpointRecord | None:
        """Return the record of the last server, whether or not it still runs."""
        try:
            return EndpointRecord(**json.loads(self._endpoint.read_text(encoding="utf-8")))
        except (FileNotFoundError, json.JSONDecodeError, TypeError):
            return None

    def write_endpoint(self, record: EndpointRecord) -> None:
        """Write the server's address for clients; the file is written aside, then renamed."""
        aside = self._endpoint.with_suffix(".new")
        aside.touch(mode=0o600)
        aside.write_text(json.dumps(asdict(record)), encoding="utf-8")
        aside.rename(self._endpoint)

    def listen(self, project: str, location: str) -> tuple[socket.socket, EndpointRecord]:
        """Return a listening socket, on the last server's port if it is free, and its record."""
        last = self.read_endpoint()
        listening = None
        if last is not None:
            with contextlib.suppress(OSError):
                listening = socket.create_server(("127.0.0.1", last.port), backlog=1024)
        if listening is None:
            listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
        token = last.token if last else secrets.token_hex(16)
        port = listening.getsockname()[1]
        return listening, EndpointRecord(port, os.getpid(), token, project, location)
