"""The HTTP/1.1 server: uvicorn, and its protocol made to take what TensorFlow sends.

TensorFlow's ``gs://`` file system sends ``Transfer-Encoding: identity`` with empty bodies. RFC
2616 (section 3.6) had that value for "no transfer coding"; RFC 7230 dropped it and h11 refuses it.
It is taken out of the request's head here, where it says nothing.
"""

import asyncio
import re

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from vertex_jobs.emulator.asgi import AsgiApplication
from vertex_jobs.emulator.faults.injection import DROP

_IDENTITY = re.compile(rb"\r\ntransfer-encoding:[ \t]*identity[ \t]*(?=\r\n)", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"
#: A head longer than this is handed on as it is; h11 then refuses it by its own limit.
_MAX_HEAD = 1 << 16


class HttpProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol behind a look at each request's head."""

    _head = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Hand each request the function that ends its connection."""
        self.app_state[DROP] = transport.abort
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Hand the bytes on, each head whole and without an identity coding."""
        if self.conn.their_state is h11.IDLE:
            data = self._head + data
            end = data.find(_END_OF_HEAD)
            if end < 0 and len(data) < _MAX_HEAD:
                self._head = data
                return
            self._head = b""
            head, rest = data[: end + 2], data[end + 2 :]
            data = _IDENTITY.sub(b"", head) + rest
        super().data_received(data)


def http_config(application: AsgiApplication) -> uvicorn.Config:
    """Return how uvicorn serves the application."""
    config = uvicorn.Config(
        application,
        http=HttpProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
    )
    config.load()
    return config
