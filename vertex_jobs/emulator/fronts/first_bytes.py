"""The first bytes of a connection, looked at before a front takes it.

A TLS client's offers are read from its first message without taking part in the handshake.

Source: RFC 8446 section 4.1.2 (ClientHello), RFC 7301 (application-layer protocol negotiation).
"""

import asyncio
import socket

#: The longest first message that is looked at, in bytes.
MAX_PEEK = 16384

_ALPN = 16


class _Reader:
    """Takes length-prefixed fields from bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, count: int) -> bytes:
        if len(self.data) < count:
            raise ValueError("the message is cut")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def field(self, width: int) -> bytes:
        return self.take(int.from_bytes(self.take(width), "big"))


def offered_protocols(record: bytes) -> tuple[str, ...]:
    """Return the ALPN names in a TLS record, header included, with a ClientHello; else none."""
    try:
        reader = _Reader(record)
        reader.take(5 + 4 + 2 + 32)  # record header, handshake header, version, random
        reader.field(1)  # session id
        reader.field(2)  # cipher suites
        reader.field(1)  # compression
        extensions = _Reader(reader.field(2))
        while extensions.data:
            kind = int.from_bytes(extensions.take(2), "big")
            body = extensions.field(2)
            if kind == _ALPN:
                return tuple(_names(_Reader(_Reader(body).field(2))))
    except ValueError:
        return ()
    return ()


def _names(reader: _Reader) -> list[str]:
    names = []
    while reader.data:
        names.append(reader.field(1).decode("latin-1"))
    return names


async def _readable(connection: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(connection.fileno(), wake)
    try:
        await ready
    finally:
        loop.remove_reader(connection.fileno())


async def peek(connection: socket.socket, count: int) -> bytes:
    """Return the first bytes without taking them; fewer only if the peer has sent all it will."""
    seen = -1
    while True:
        await _readable(connection)
        data = connection.recv(count, socket.MSG_PEEK)
        if len(data) >= count or not data:
            return data
        if len(data) == seen:
            # The rest is on its way; readiness does not change while bytes are waiting.
            await asyncio.sleep(0.001)
        seen = len(data)


async def read_head(connection: socket.socket) -> bytes:
    """Take the request head of a CONNECT, and no byte behind it.

    Raises:
        OSError: If the head is cut or too long.
    """
    loop = asyncio.get_running_loop()
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        peeked = await _peek_some(connection)
        end = (head + peeked).find(b"\r\n\r\n")
        take = len(peeked) if end < 0 else end + 4 - len(head)
        head += await loop.sock_recv(connection, take)
        if not peeked or len(head) > MAX_PEEK:
            raise OSError("no complete CONNECT request")
    return head


async def _peek_some(connection: socket.socket) -> bytes:
    await _readable(connection)
    return connection.recv(MAX_PEEK, socket.MSG_PEEK)
