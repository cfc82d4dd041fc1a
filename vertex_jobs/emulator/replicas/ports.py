"""Loopback ports for the servers that replicas start themselves.

For the preparation of replicas, which writes them into TF_CONFIG and CLUSTER_SPEC. Nothing listens
on a reserved port: the script does. A reservation is known to every Local Vertex of this user, so
that two jobs never get the same port, whichever servers they run under; nobody else can take one.
"""

import contextlib
import errno
import fcntl
import os
import random
import socket
import stat
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

from vertex_jobs.errors import UnsupportedHereError

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
#: Linux's default of that file.
_DEFAULT_RANGE = (32768, 60999)
#: Well-known services and what developers start by hand mostly lie below.
_LOWEST = 15000
_MOST_TRIES = 2000
#: The C structure ``flock``: type, whence, start, length, process.
_FLOCK = "hhqqi4x"


def candidate_ports(ephemeral: tuple[int, int]) -> range:
    """Return the ports that the kernel gives to nobody by itself.

    A port out of the kernel's own range, ``ephemeral`` (first and last), would be free when it is
    found and taken, by any outgoing connection, before the script binds it.
    """
    first, last = ephemeral
    below, above = range(_LOWEST, first), range(last + 1, 65536)
    return max(below, above, key=len) or range(_LOWEST, 65536)


class Ports:
    """Hands out ports, none of them twice at a time."""

    def __init__(self, choice: random.Random | None = None, folder: Path | None = None) -> None:
        """Choose by ``choice``; reservations are locks on a file in a folder of the user's."""
        self._choice = choice or random.Random()
        self._folder = folder

    @contextlib.contextmanager
    def reserve(self, count: int) -> Iterator[list[int]]:
        """Reserve so many ports, kept from every other reservation until the context ends.

        Raises:
            UnsupportedHereError: If no free port is found.
        """
        candidates = candidate_ports(_ephemeral())
        with contextlib.ExitStack() as kept:
            ports: list[int] = []
            tried: set[int] = set()
            descriptor = _open_locks(self._folder or _users_folder())
            kept.callback(os.close, descriptor)  # which gives its locks back
            for _ in range(_MOST_TRIES if count else 0):
                port = self._choice.choice(candidates)
                if port in tried or not _claim(descriptor, port):
                    continue
                tried.add(port)
                if _is_free(port):
                    ports.append(port)
                if len(ports) == count:
                    break
            if len(ports) < count:
                raise UnsupportedHereError(
                    f"{count} free loopback ports were wanted between {candidates.start} and "
                    f"{candidates.stop - 1}, {len(ports)} were found; end what listens there"
                )
            yield ports


def _claim(descriptor: int, port: int) -> bool:
    """Take a port as long as the descriptor is open; return whether it was free.

    The lock of one byte belongs to the open file: another one in this process is kept out as one
    in another process is, and the kernel frees it with its holder.
    """
    wanted = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, port, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
    except OSError:
        return False
    return True


def _users_folder() -> Path:
    """Return the folder for what this user's programs share while they run.

    Source: the XDG Base Directory Specification, XDG_RUNTIME_DIR.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime) / "vertex-jobs"
    return Path(tempfile.gettempdir()) / f"vertex-jobs-{os.getuid()}"


def _open_locks(folder: Path) -> int:
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise UnsupportedHereError(
            f"{folder}: ports are reserved there, and it is not a folder of this user's alone; "
            "remove it, or set XDG_RUNTIME_DIR to a folder that is yours"
        )
    return os.open(folder / "ports", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _ephemeral() -> tuple[int, int]:
    try:
        first, last = map(int, _RANGE.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return _DEFAULT_RANGE
    return first, last


def _is_free(port: int) -> bool:
    """Return whether a server could bind the port on every address of this machine."""
    families = [(socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")]
    for family, address in families if socket.has_ipv6 else families[:1]:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as trial:
                if family == socket.AF_INET6:
                    trial.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                trial.bind((address, port))
        except OSError as error:
            if family == socket.AF_INET6 and error.errno != errno.EADDRINUSE:
                continue  # IPv6 is compiled in and turned off
            return False
    return True
