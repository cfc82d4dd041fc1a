"""The owner of a connection's other end: our own user, or somebody else.

Loopback alone is no protection on a machine with several users: the owner of the peer's socket
must be the user that the server runs as. Only that socket is asked for (sock_diag(7)):
TensorFlow opens a connection for every file operation, and reading the table of all sockets for
each took half of the server's time. Every call raises OSError if the kernel cannot be asked.
Source: sock_diag(7), linux/inet_diag.h.
"""

import errno
import os
import socket
import struct
from typing import NamedTuple

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_REQUEST = 1  # NLM_F_REQUEST
_ERROR = 2  # NLMSG_ERROR
_HEADER = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
_QUERY = struct.Struct("=BBBBI")  # inet_diag_req_v2 up to its socket id
_SOCKET_ID = struct.Struct("=2s2s16s16sI8s")  # ports and addresses in network byte order
_ANSWER = struct.Struct("=BBBB48sIIIII")  # inet_diag_msg; the user id is the last but one
_ALL_STATES = 0xFFFFFFFF
_NO_COOKIE = b"\xff" * 8


class PeerSocket(NamedTuple):
    """A socket of this machine: its owner, and the number that /proc/PID/fd shows for it."""

    uid: int
    inode: int


def is_own_user(connection: socket.socket) -> bool:
    """Return whether the peer's socket, an IPv4 one on this machine, is our user's."""
    # The peer's socket: its local address is our remote one.
    found = find_socket(connection.getpeername()[:2], connection.getsockname()[:2])
    return found is not None and found.uid == os.geteuid()


def socket_inode(local: tuple[str, int], remote: tuple[str, int]) -> int:
    """Return the number of the socket with those IPv4 addresses; 0 if there is none."""
    found = find_socket(local, remote)
    return found.inode if found else 0


def find_socket(local: tuple[str, int], remote: tuple[str, int]) -> PeerSocket | None:
    """Return the socket with those IPv4 addresses; None if there is none."""
    query = _QUERY.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0, _ALL_STATES)
    identity = _SOCKET_ID.pack(
        local[1].to_bytes(2, "big"),
        remote[1].to_bytes(2, "big"),
        socket.inet_aton(local[0]),
        socket.inet_aton(remote[0]),
        0,
        _NO_COOKIE,
    )
    length = _HEADER.size + len(query) + len(identity)
    header = _HEADER.pack(length, _SOCK_DIAG_BY_FAMILY, _REQUEST, 0, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG) as kernel:
        kernel.send(header + query + identity)
        answer = kernel.recv(4096)
    kind = _HEADER.unpack_from(answer)[1]
    if kind == _ERROR:
        code = -struct.unpack_from("=i", answer, _HEADER.size)[0]
        if code == errno.ENOENT:
            return None
        raise OSError(code, f"sock_diag: {os.strerror(code)}")
    return PeerSocket(*_ANSWER.unpack_from(answer, _HEADER.size)[-2:])
