"""The one loopback port: plain HTTP, TLS and the CONNECT proxy, told apart by their first bytes.

A TLS ClientHello that offers ``h2`` and not ``http/1.1`` is gRPC and is relayed to its Unix
socket, as is HTTP/2 without TLS; other TLS is HTTPS; ``CONNECT`` to a Google API host is answered
and looked at again; ``CONNECT`` elsewhere is a tunnel to that host. The rest is plain HTTP.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

from vertex_jobs.emulator.fronts.first_bytes import MAX_PEEK, offered_protocols, peek, read_head
from vertex_jobs.emulator.fronts.grpc_sockets import GrpcSockets
from vertex_jobs.emulator.fronts.hosts import is_google_host
from vertex_jobs.emulator.fronts.outer_proxy import OuterProxy
from vertex_jobs.emulator.fronts.peers import is_own_user
from vertex_jobs.emulator.fronts.tunnels import open_tunnel, relay

_HANDSHAKE_RECORD = 0x16
#: The first bytes of HTTP/2 without TLS, which is gRPC over an insecure channel.
#: Source: RFC 9113 section 3.4.
_HTTP_2 = b"PRI * HT"
#: A client that connects and sends nothing for so long is disconnected.
_FIRST_BYTES_SECONDS = 20.0


class Listener:
    """Accepts connections on one port and hands each to the front that it speaks to.

    ``relays`` is the number of those being relayed; ``on_connection`` is called at each new one.
    """

    def __init__(
        self,
        http_protocol: Callable[[], asyncio.Protocol],
        tls: ssl.SSLContext,
        grpc_sockets: GrpcSockets,
        outer_proxy: OuterProxy,
    ) -> None:
        self._http_protocol = http_protocol
        self._tls = tls
        self._grpc_sockets = grpc_sockets
        self._outer_proxy = outer_proxy
        self._tasks: set[asyncio.Task[None]] = set()
        self._grpc_peers: dict[str, socket.socket] = {}
        self.relays = 0
        self.on_connection: Callable[[], None] = lambda: None

    async def serve(self, listening: socket.socket) -> None:
        """Accept until cancelled."""
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        try:
            while True:
                connection, _ = await loop.sock_accept(listening)
                self.on_connection()
                task = loop.create_task(self._greet(connection))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        finally:
            for task in self._tasks:
                task.cancel()

    def has_peer(self, peer: str) -> bool:
        """Return whether a connection to the gRPC front, as gRPC names its peer, is from here."""
        return peer in self._grpc_peers

    def drop(self, peer: str) -> None:
        """Break a connection, named as gRPC names its peer."""
        connection = self._grpc_peers.get(peer)
        if connection is not None:
            connection.shutdown(socket.SHUT_RDWR)

    async def _greet(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if not is_own_user(connection):
                connection.close()
                return
            first = await asyncio.wait_for(peek(connection, 8), _FIRST_BYTES_SECONDS)
            if first.startswith(b"CONNECT "):
                await self._proxy(connection)
            else:
                await self._dispatch(connection, first)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            connection.close()

    async def _dispatch(self, connection: socket.socket, first: bytes) -> None:
        loop = asyncio.get_running_loop()
        if not first:
            connection.close()
        elif first.startswith(_HTTP_2):
            await self._to_grpc(connection, self._grpc_sockets.plain)
        elif first[0] != _HANDSHAKE_RECORD:
            await loop.connect_accepted_socket(self._http_protocol, connection)
        elif await self._speaks_grpc(connection):
            await self._to_grpc(connection, self._grpc_sockets.tls)
        else:
            with contextlib.suppress(ssl.SSLError, ConnectionError):
                await loop.connect_accepted_socket(self._http_protocol, connection, ssl=self._tls)

    async def _to_grpc(self, connection: socket.socket, path: Path) -> None:
        inner = socket.socket(socket.AF_UNIX)
        inner.bind("")  # an abstract name of its own, by which gRPC tells its connections apart
        inner.setblocking(False)
        await asyncio.get_running_loop().sock_connect(inner, str(path))
        peer = f"unix-abstract:{inner.getsockname()[1:].decode()}"
        self._grpc_peers[peer] = connection
        try:
            await self._relay(connection, inner)
        finally:
            del self._grpc_peers[peer]

    async def _speaks_grpc(self, connection: socket.socket) -> bool:
        header = await asyncio.wait_for(peek(connection, 5), _FIRST_BYTES_SECONDS)
        length = min(5 + int.from_bytes(header[3:5], "big"), MAX_PEEK)
        hello = await asyncio.wait_for(peek(connection, length), _FIRST_BYTES_SECONDS)
        offered = offered_protocols(hello)
        return "h2" in offered and "http/1.1" not in offered

    async def _proxy(self, connection: socket.socket) -> None:
        """Answer a CONNECT request."""
        head = await read_head(connection)
        target = head.split(b" ", 2)[1].decode("latin-1")
        host, _, port = target.rpartition(":")
        loop = asyncio.get_running_loop()
        if is_google_host(host):
            await loop.sock_sendall(connection, b"HTTP/1.1 200 Connection established\r\n\r\n")
            first = await asyncio.wait_for(peek(connection, 8), _FIRST_BYTES_SECONDS)
            await self._dispatch(connection, first)
            return
        try:
            opening = open_tunnel(host.strip("[]"), int(port), self._outer_proxy)
            outer = await asyncio.wait_for(opening, _FIRST_BYTES_SECONDS)
        except (OSError, ValueError, asyncio.TimeoutError) as error:
            message = f"{target}: {error}".encode()
            await loop.sock_sendall(
                connection,
                b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: %d\r\n\r\n%b"
                % (len(message), message),
            )
            connection.close()
            return
        await loop.sock_sendall(connection, b"HTTP/1.1 200 Connection established\r\n\r\n")
        await self._relay(connection, outer)

    async def _relay(self, near: socket.socket, far: socket.socket) -> None:
        self.relays += 1
        try:
            await relay(near, far)
        finally:
            self.relays -= 1
