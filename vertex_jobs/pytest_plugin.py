"""Fixtures for the tests of people who submit to Vertex AI; loaded by pytest by itself.

``local_vertex`` is a Local Vertex of the test session's own, in a temporary directory: an
``Endpoint`` to submit to. ``google_clients`` points the unmodified Google clients of one test's
process at it, through environment variables alone.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint

__all__ = ["google_clients", "local_vertex"]


@pytest.fixture(scope="session")
def local_vertex(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Endpoint]":
    """A Local Vertex that lives as long as the test session; nothing of it outlives that."""
    from vertex_jobs.endpoints import local

    endpoint = local(state_dir=tmp_path_factory.mktemp("local-vertex"))
    assert endpoint.server is not None
    endpoint.server.hold(os.getpid())
    yield endpoint
    endpoint.close()
    endpoint.server.stop()


@pytest.fixture
def google_clients(
    local_vertex: "Endpoint", monkeypatch: pytest.MonkeyPatch
) -> "Iterator[dict[str, str]]":
    """The variables that point Google's clients at ``local_vertex``, set for one test."""
    from vertex_jobs.endpoints import google_environment

    assert local_vertex.server is not None
    variables = google_environment(local_vertex.server)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    local_vertex.server.hold(os.getpid(), hold_reads=True)
    yield variables
    local_vertex.server.hold(os.getpid(), hold_reads=False)
