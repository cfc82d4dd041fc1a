"""Messages with file descriptors over a Unix stream socket: four bytes of length, then JSON.

For the server, the launcher process and the warm parents; the last load this file by its path,
so it imports nothing of this project and runs on Python 3.9. It knows no message's meaning.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from typing import Any, NamedTuple

_LENGTH = struct.Struct("!I")
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: struct ucred of unix(7)
_CHUNK_BYTES = 65536
_MOST_DESCRIPTORS = 16  # in one read; a launch carries two

_Ancillary = list[tuple[int, int, bytes]]


class Received(NamedTuple):
    """One message, the descriptors that came with it, and its sender.

    Attributes:
        descriptors: Owned by the receiver now; closed on exec.
        sender_pid: As the kernel vouches for it, in the receiver's own numbering; 0 when the
            socket does not ask for it.
    """

    body: dict[str, Any]
    descriptors: list[int]
    sender_pid: int


def encode(body: dict[str, Any], descriptors: int = 0) -> bytes:
    """Return the bytes of one message that ``descriptors`` file descriptors go with."""
    text = json.dumps({"fds": descriptors, "body": body}).encode("ascii")
    return _LENGTH.pack(len(text)) + text


def ancillary(descriptors: tuple[int, ...] = (), pid: int = 0) -> _Ancillary:
    """Return the ancillary data by which descriptors are duplicated into the receiver.

    ``pid`` names a process of the sender's PID namespace in the sender's place; the kernel
    translates it for the receiver. That needs privilege in the namespace.
    """
    parts: _Ancillary = []
    if descriptors:
        parts.append(
            (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors).tobytes())
        )
    if pid:
        sender = _CREDENTIALS.pack(pid, os.geteuid(), os.getegid())
        parts.append((socket.SOL_SOCKET, socket.SCM_CREDENTIALS, sender))
    return parts


class Decoder:
    """Cuts the bytes that arrive on a socket into messages."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._buffer = bytearray()
        self._descriptors: list[int] = []
        self._room = socket.CMSG_SPACE(_MOST_DESCRIPTORS * 4) + socket.CMSG_SPACE(_CREDENTIALS.size)

    def read(self) -> list[Received]:
        """Read once without waiting, and return the messages that are whole now.

        Raises:
            EOFError: The other end is closed.
        """
        flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
        try:
            chunk, parts, _, _ = self._socket.recvmsg(_CHUNK_BYTES, self._room, flags)
        except BlockingIOError:
            return []
        except ConnectionResetError as error:
            raise EOFError("the other end is closed") from error
        if not chunk:
            raise EOFError("the other end is closed")
        self._buffer += chunk
        sender = 0
        for _, kind, content in parts:
            if kind == socket.SCM_RIGHTS:
                received = array.array("i")
                received.frombytes(content[: len(content) - len(content) % received.itemsize])
                self._descriptors += received
            elif kind == socket.SCM_CREDENTIALS:
                sender = _CREDENTIALS.unpack(content)[0]
        return list(self._whole(sender))

    def _whole(self, sender: int) -> list[Received]:
        messages = []
        while len(self._buffer) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                break
            text = bytes(self._buffer[_LENGTH.size : end])
            envelope = json.loads(text)
            del self._buffer[:end]
            own = self._descriptors[: envelope["fds"]]
            del self._descriptors[: envelope["fds"]]
            messages.append(Received(envelope["body"], own, sender))
        return messages


class Channel(Decoder):
    """Both directions for a process that may block while it sends."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        sock.set_inheritable(False)  # it came here over an exec, and goes no further

    def fileno(self) -> int:
        """Return the descriptor, for selectors."""
        return self._socket.fileno()

    def send(self, body: dict[str, Any], descriptors: tuple[int, ...] = (), pid: int = 0) -> None:
        """Send one message whole; the descriptors stay open here.

        Raises:
            OSError: The other end is closed.
        """
        content = encode(body, len(descriptors))
        sent = self._socket.sendmsg([content], ancillary(descriptors, pid), socket.MSG_NOSIGNAL)
        self._socket.sendall(content[sent:])

    def close(self) -> None:
        """Close this end."""
        self._socket.close()
