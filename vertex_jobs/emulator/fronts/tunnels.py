"""Bytes between two sockets: to the gRPC front, or to a host that is not emulated."""

import asyncio
import contextlib
import socket

from vertex_jobs.emulator.fronts.outer_proxy import OuterProxy

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


async def open_tunnel(host: str, port: int, proxy: OuterProxy) -> socket.socket:
    """Connect to a host outside, through the user's own proxy where that serves the host.

    Raises:
        OSError: If the host cannot be reached, or the proxy refuses.
    """
    through = proxy.address(host)
    connection = await _connect(*(through or (host, port)))
    if through:
        try:
            await _ask_proxy(connection, host, port, proxy)
        except BaseException:
            connection.close()
            raise
    return connection


async def _connect(host: str, port: int) -> socket.socket:
    """Connect to the first of the host's addresses that answers."""
    loop = asyncio.get_running_loop()
    fault = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in await loop.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, address)
        except OSError as error:
            connection.close()
            fault = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise fault


async def _ask_proxy(connection: socket.socket, host: str, port: int, proxy: OuterProxy) -> None:
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(connection, proxy.request(host, port))
    head = b""
    # Nothing follows the head before we speak, so reading past it is not possible.
    while b"\r\n\r\n" not in head and len(head) < _MAX_HEAD:
        data = await loop.sock_recv(connection, _MAX_HEAD)
        if not data:
            break
        head += data
    status = head.split(b"\r\n", 1)[0].decode("latin-1")
    if status.split(" ")[1:2] != ["200"]:
        raise OSError(f"the proxy {proxy} answered {status!r}")
