"""Fixtures for the tests of users who submit to Vertex AI; pytest loads them by itself.

``local_vertex`` is the test session's own Local Vertex, in a temporary directory: an ``Endpoint``
to submit to. ``google_clients`` points the unmodified Google clients of one test's process at it,
by environment variables alone.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint

__all__ = ["google_clients", "local_vertex"]


@pytest.fixture(scope="session")
def local_vertex(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Endpoint]":
    """Yield a Local Vertex that lives as long as the test session; nothing outlives that."""
    from vertex_jobs import testing

    with testing.local_vertex(tmp_path_factory.mktemp("local-vertex")) as endpoint:
        yield endpoint


@pytest.fixture
def google_clients(local_vertex: "Endpoint") -> Iterator[dict[str, str]]:
    """Yield the variables that point Google's clients at ``local_vertex``, set for one test."""
    from vertex_jobs import testing

    with testing.google_clients(local_vertex) as variables:
        yield variables
