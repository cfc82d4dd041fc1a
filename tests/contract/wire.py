"""Raw connections to a server on this machine, for what no library would send."""

import contextlib
import socket
import threading
from collections.abc import Iterator

PATIENCE_SECONDS = 30


def ask(port: int, request: str) -> bytes:
    """Send the text and read until the other side has closed."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


def head_of(connection: socket.socket) -> bytes:
    """One head, up to and with its empty line."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            break
        head += byte
    return head


@contextlib.contextmanager
def tunnel(port: int, target: str) -> Iterator[tuple[socket.socket, bytes]]:
    """A connection on which a CONNECT was asked, and the head of the answer."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        yield connection, head_of(connection)


@contextlib.contextmanager
def tcp_server(answer: bytes, *, first: bytes = b"") -> Iterator[tuple[int, list[bytes]]]:
    """A server that takes one connection: a head if ``first`` answers it, then one message.

    Yields its port and what it has got.
    """
    got: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):  # closed before anybody came
            connection, _ = listener.accept()
            with connection:
                if first:
                    got.append(head_of(connection))
                    connection.sendall(first)
                got.append(connection.recv(65536))
                connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1], got
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(PATIENCE_SECONDS)
