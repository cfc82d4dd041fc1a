"""A replica's output pipe, cut into lines as they come.

For the server's event loop. It does not store, filter or decode.
"""

import asyncio
import os
from collections.abc import Callable

#: A longer line is handed on in pieces, so that a progress bar without end cannot fill memory.
LONGEST_LINE_BYTES = 65536
_CHUNK_BYTES = 65536


class LinePipe:
    """The reading end of a pipe; ``drained`` is done at its end, or by ``close``."""

    def __init__(
        self,
        descriptor: int,
        deliver: Callable[[bytes, float], None],
        clock: Callable[[], float],
    ) -> None:
        """Start to read a descriptor, which this object owns from now on.

        ``deliver`` is called for each line, without its newline, with the Unix time of its
        arrival.
        """
        self._descriptor = descriptor
        self._deliver = deliver
        self._clock = clock
        self._rest = b""
        self._loop = asyncio.get_running_loop()
        self.drained: asyncio.Future[None] = self._loop.create_future()
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self._read)

    def _read(self) -> None:
        try:
            chunk = os.read(self._descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self.close()
            return
        now = self._clock()
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._deliver_pieces(line, now)
        while len(self._rest) >= LONGEST_LINE_BYTES:
            self._deliver(self._rest[:LONGEST_LINE_BYTES], now)
            self._rest = self._rest[LONGEST_LINE_BYTES:]

    def _deliver_pieces(self, line: bytes, now: float) -> None:
        for start in range(0, max(len(line), 1), LONGEST_LINE_BYTES):
            self._deliver(line[start : start + LONGEST_LINE_BYTES], now)

    def close(self) -> None:
        """Stop reading; a last line without its newline is handed on."""
        if self.drained.done():
            return
        self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)
        self.drained.set_result(None)
        if self._rest:
            self._deliver(self._rest, self._clock())
            self._rest = b""
