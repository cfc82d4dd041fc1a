"""Local Vertex for users' tests: a server of their own, and Google's clients pointed at it.

Two context managers for unittest, notebooks and scripts; pytest has them as fixtures
(``pytest_plugin``). Nothing outlives its block: no process, no file, no variable.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vertex_jobs.endpoints import Endpoint, google_environment, local

__all__ = ["google_clients", "local_vertex"]


@contextlib.contextmanager
def local_vertex(state_dir: Path | None = None, **settings: Any) -> Iterator[Endpoint]:
    """Yield a Local Vertex that ends with the block, jobs that still run included.

    Args:
        state_dir: Directory of its jobs, logs and buckets; by default a temporary one, which is
            removed.
        settings: Arguments of ``vertex_jobs.local``: ``project``, ``location``, ``seed``, …

    Raises:
        UnsupportedHereError: If no server can be started here.
    """
    with contextlib.ExitStack() as stack:
        if state_dir is None:
            folder = tempfile.TemporaryDirectory(prefix="local-vertex-")
            state_dir = Path(stack.enter_context(folder))
        endpoint = stack.enter_context(local(state_dir=state_dir, **settings))
        stack.callback(endpoint.server.stop)
        endpoint.hold()
        yield endpoint


@contextlib.contextmanager
def google_clients(endpoint: Endpoint) -> Iterator[dict[str, str]]:
    """Point Google clients that are created in the block at the endpoint; yield the variables.

    Local Vertex holds the reads of these clients until something happens, for two seconds at most,
    so that a job of milliseconds does not wait for the SDK's fixed pause of five seconds.

    Raises:
        UnsupportedHereError: If the endpoint is not local: Google's clients use it already.
    """
    server = endpoint.server
    variables = google_environment(server)
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    server.hold(os.getpid(), hold_reads=True)
    try:
        yield variables
    finally:
        server.hold(os.getpid(), hold_reads=False)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
