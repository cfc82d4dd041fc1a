"""Blocks of an upload behind the event loop: order, failures, cancellation."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from vertex_jobs.emulator.storage.objects import PayloadWriter
from vertex_jobs.emulator.storage.wire.upload_bodies import BlockWriter


@pytest.fixture
def payload(tmp_path: Path) -> Iterator[PayloadWriter]:
    path = tmp_path / "payload"
    path.touch()
    with PayloadWriter(path) as writer:
        yield writer


def test_blocks_are_written_in_their_order(payload: PayloadWriter) -> None:
    async def upload() -> None:
        writer = BlockWriter(payload)
        for number in range(100):
            await writer.write(bytes([number]) * 1000)
        await writer.settle()

    asyncio.run(upload())
    assert payload.size == 100_000
    assert payload.read_at(3, 998) == bytes([0, 0, 1])
    assert payload.read_at(1, 99_999) == bytes([99])


def test_after_a_block_that_could_not_be_written_none_is(
    payload: PayloadWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bytes] = []

    def write(block: bytes) -> None:
        if block == b"bad":
            raise OSError(28, "No space left on device")
        written.append(block)

    monkeypatch.setattr(payload, "write", write)

    async def upload() -> None:
        writer = BlockWriter(payload)
        try:
            for block in (b"one", b"bad", b"two"):
                await writer.write(block)
            await writer.settle()
        finally:
            with pytest.raises(OSError, match="No space"):  # it says so to everyone who waits
                await writer.settle()

    with pytest.raises(OSError, match="No space"):
        asyncio.run(upload())
    assert written == [b"one"]


def test_whoever_settles_after_a_cancellation_has_the_payload_alone(
    payload: PayloadWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    write = payload.write

    def slowly(block: bytes) -> None:
        begun.set()
        assert go_on.wait(10)
        write(block)

    monkeypatch.setattr(payload, "write", slowly)

    async def upload() -> None:
        writer = BlockWriter(payload)
        try:
            await writer.write(b"block")
            await writer.settle()
        finally:
            await writer.settle()
            assert payload.size == 5

    async def cancelled() -> None:
        task = asyncio.create_task(upload())
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
