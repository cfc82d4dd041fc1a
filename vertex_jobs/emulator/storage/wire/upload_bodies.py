"""The bytes of an upload, written and hashed in a thread while the next ones arrive."""

import asyncio
import collections
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from vertex_jobs.emulator.storage.objects import Checksums, PayloadWriter
from vertex_jobs.emulator.storage.objects.payloads import BLOCK_BYTES

#: Blocks that may wait; more would only hold memory.
_MOST_WAITING = 4


class BlockWriter:
    """Fills a payload block by block, a few of them behind the event loop; for one task.

    Call ``settle`` before using the payload itself, after an exception too: the thread continues
    when the task is cancelled.
    """

    def __init__(self, payload: PayloadWriter) -> None:
        self._payload = payload
        self._thread = ThreadPoolExecutor(1, "upload")
        self._waiting: collections.deque[asyncio.Future[None]] = collections.deque()
        self._failed = False

    async def write(self, block: bytes) -> None:
        """Have a block written after those before it.

        Raises:
            OSError: If an earlier one could not be written.
        """
        loop = asyncio.get_running_loop()
        self._waiting.append(loop.run_in_executor(self._thread, self._write, block))
        await self._settle(_MOST_WAITING)

    async def settle(self) -> None:
        """Wait until all blocks are written.

        Raises:
            OSError: If one could not be written.
        """
        await self._settle(0)

    async def _settle(self, most: int) -> None:
        while len(self._waiting) > most:
            await asyncio.shield(self._waiting[0])
            self._waiting.popleft()

    def _write(self, block: bytes) -> None:
        if self._failed:  # a gap would be worse than an end
            return
        try:
            self._payload.write(block)
        except OSError:
            self._failed = True
            raise


async def receive(media: AsyncIterator[bytes], payload: PayloadWriter) -> None:
    """Write a stream into a payload, in large blocks beside the event loop."""
    pending, writer = bytearray(), BlockWriter(payload)
    try:
        async for chunk in media:
            pending += chunk
            if len(pending) >= BLOCK_BYTES:
                await writer.write(bytes(pending))
                pending.clear()
    finally:
        await writer.settle()
    payload.write(bytes(pending))


def header_checksums(headers: Mapping[str, str]) -> Checksums:
    """Return the checksums in ``X-Goog-Hash`` and ``Content-MD5``."""
    given = dict(
        part.strip().partition("=")[::2] for part in headers.get("x-goog-hash", "").split(",")
    )
    return Checksums(given.get("crc32c"), given.get("md5", headers.get("content-md5")))
