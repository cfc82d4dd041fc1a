"""What a TLS client offers in its first message, read without taking part in the handshake.

Source: RFC 8446 section 4.1.2 (ClientHello), RFC 7301 (application-layer protocol negotiation).
"""

__all__ = ["offered_protocols"]

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
    """The ALPN names in a TLS record that holds a ClientHello; empty when there are none.

    Args:
        record: The record with its five-byte header.
    """
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
