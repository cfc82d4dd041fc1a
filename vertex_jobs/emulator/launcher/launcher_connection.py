"""The server's end of the launcher's socket, on an event loop.

For ``launcher_process``. It sends in order without ever blocking, and hands on what arrives,
whatever the messages mean.
"""

import asyncio
import contextlib
import os
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vertex_jobs.emulator.launcher import framing


@dataclass
class _Outgoing:
    content: bytes
    descriptors: tuple[int, ...]


class LauncherConnection:
    """Messages to and from the launcher process; ``open`` until either end is closed."""

    def __init__(
        self,
        sock: socket.socket,
        receive: Callable[[framing.Received], None],
        lost: Callable[[], None],
    ) -> None:
        """Start to listen on a socket, which this object owns from now on.

        ``receive`` is called for each message, and ``lost`` once, after the last message, when
        the other end is closed.
        """
        self._socket = sock
        self._receive = receive
        self._lost = lost
        self._decoder = framing.Decoder(sock)
        self._outgoing: deque[_Outgoing] = deque()
        self._loop = asyncio.get_running_loop()
        self.open = True
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._loop.add_reader(sock, self._read)

    def post(self, body: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        """Send a message in its turn; its descriptors are closed once they are sent."""
        if not self.open:
            _close_all(descriptors)
            return
        self._outgoing.append(_Outgoing(framing.encode(body, len(descriptors)), descriptors))
        self._write()

    def _write(self) -> None:
        while self._outgoing and self.open:
            first = self._outgoing[0]
            try:
                ancillary = framing.ancillary(first.descriptors)
                sent = self._socket.sendmsg([first.content], ancillary)
            except BlockingIOError:
                self._loop.add_writer(self._socket, self._write)
                return
            except OSError:
                self.close()
                return
            _close_all(first.descriptors)
            first.content, first.descriptors = first.content[sent:], ()
            if not first.content:
                self._outgoing.popleft()
        if self.open:
            self._loop.remove_writer(self._socket)

    def _read(self) -> None:
        try:
            messages = self._decoder.read()
        except (EOFError, OSError):
            self.close()
            return
        for message in messages:
            self._receive(message)

    def close(self) -> None:
        """Close this end, which ends the launcher and all that it started."""
        if not self.open:
            return
        self.open = False
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        self._socket.close()
        for message in self._outgoing:
            _close_all(message.descriptors)
        self._outgoing.clear()
        self._lost()


def _close_all(descriptors: tuple[int, ...]) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
