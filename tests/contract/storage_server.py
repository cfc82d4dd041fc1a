"""Serves an object store over HTTP for the tests in this folder, as a front does."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from vertex_jobs.emulator.clock import SystemClock
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.fronts.http_server import HttpProtocol
from vertex_jobs.emulator.storage.objects import ObjectStore
from vertex_jobs.emulator.storage.wire import StorageApplication


@contextlib.contextmanager
def serving(directory: Path, *, create_buckets: bool = False) -> Iterator[tuple[str, ObjectStore]]:
    """Yield the base URL and the store behind it."""
    store = ObjectStore(directory, create_buckets=create_buckets)
    # The protocol is named, because asyncio sets TCP_NODELAY only on sockets that say they are TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(
            StorageApplication(store, FaultBoard(), SystemClock()),
            http=HttpProtocol,
            ws="none",
            lifespan="off",
            log_level="warning",
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", store
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        listener.close()
        store.close()
