"""Bytes between two sockets: to the gRPC front, or to a host that is none of ours."""

import asyncio
import contextlib
import socket
from urllib.parse import urlsplit

__all__ = ["open_tunnel", "relay"]

_CHUNK = 1 << 16
_MAX_HEAD = 1 << 14


async def relay(left: socket.socket, right: socket.socket) -> None:
    """Copy both ways until both sides have ended; closes both."""
    loop = asyncio.get_running_loop()

    async def copy(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := await loop.sock_recv(source, _CHUNK):
                await loop.sock_sendall(target, data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for side in (source, target):
                with contextlib.suppress(OSError):  # the other side may be gone already
                    side.shutdown(socket.SHUT_RDWR)

    with left, right:
        await asyncio.gather(copy(left, right), copy(right, left))


async def open_tunnel(host: str, port: int, proxy: str = "") -> socket.socket:
    """A connection to a host outside.

    Args:
        host: Name or address.
        port: TCP port.
        proxy: URL of the user's own proxy, empty for none.

    Raises:
        OSError: If the host cannot be reached, or the proxy refuses.
    """
    parts = urlsplit(proxy)
    near = (parts.hostname or host, parts.port or 3128) if proxy else (host, port)
    loop = asyncio.get_running_loop()
    family, kind, protocol, _, address = (await loop.getaddrinfo(*near, type=socket.SOCK_STREAM))[0]
    connection = socket.socket(family, kind, protocol)
    connection.setblocking(False)
    try:
        await loop.sock_connect(connection, address)
        if proxy:
            await _ask_proxy(connection, host, port, proxy)
    except BaseException:
        connection.close()
        raise
    return connection


async def _ask_proxy(connection: socket.socket, host: str, port: int, proxy: str) -> None:
    loop = asyncio.get_running_loop()
    request = f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
    await loop.sock_sendall(connection, request.encode())
    head = b""
    # Nothing follows the head before we speak, so reading past it is not possible.
    while b"\r\n\r\n" not in head and len(head) < _MAX_HEAD:
        data = await loop.sock_recv(connection, _MAX_HEAD)
        if not data:
            break
        head += data
    status = head.split(b"\r\n", 1)[0]
    if b" 200" not in status:
        raise OSError(f"the proxy {proxy} answered {status.decode('latin-1')!r}")
