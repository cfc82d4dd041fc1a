"""Whether a connection comes from our own user.

Loopback alone is no protection on a machine with several users: the owner of the peer's socket
must be the user that the server runs as. Source: proc(5), /proc/net/tcp.
"""

import os
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

__all__ = ["is_own_user"]

#: What precedes an IPv4 address inside an IPv6 one, as the kernel prints it.
_MAPPED = "0000000000000000FFFF0000"


def is_own_user(connection: socket.socket) -> bool:
    """Whether the peer's socket, which must be on this machine, belongs to our user."""
    host, port = connection.getpeername()[:2]
    own_host, own_port = connection.getsockname()[:2]
    wanted = (_hexadecimal(host, port), _hexadecimal(own_host, own_port))
    # gRPC reaches IPv4 addresses through IPv6 sockets, which the kernel lists apart.
    mapped = (_MAPPED + wanted[0], _MAPPED + wanted[1])
    for path, pair in ((Path("/proc/net/tcp"), wanted), (Path("/proc/net/tcp6"), mapped)):
        try:
            lines = path.read_text().splitlines()
        except FileNotFoundError:
            continue
        owner = _owner(lines[1:], pair)
        if owner is not None:
            return owner == os.geteuid()
    return False


def _owner(lines: Iterable[str], wanted: tuple[str, str]) -> int | None:
    """User id of the socket whose local and remote address are the wanted ones."""
    for line in lines:
        fields = line.split()
        if (fields[1], fields[2]) == wanted:
            return int(fields[7])
    return None


def _hexadecimal(host: str, port: int) -> str:
    """Address as the kernel prints it: the word in host byte order, then the port."""
    (word,) = struct.unpack("=I", socket.inet_aton(host))
    return f"{word:08X}:{port:04X}"
