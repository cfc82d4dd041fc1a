"""The endpoints ``local()`` and ``vertex()``: the one place that knows client and emulator.

Both give an ``Endpoint`` with the same methods. They differ in plain values of the client's
connection, and in what `LocalEndpoint` has beside the API; nothing else in the library asks which
endpoint it talks to.
"""

from vertex_jobs.client import as_completed
from vertex_jobs.endpoints.endpoint import Endpoint
from vertex_jobs.endpoints.google_cloud import vertex
from vertex_jobs.endpoints.this_machine import (
    begin_local,
    connect_google,
    google_environment,
    load_ipython_extension,
    local,
)

__all__ = [
    "Endpoint",
    "as_completed",
    "begin_local",
    "connect_google",
    "google_environment",
    "load_ipython_extension",
    "local",
    "vertex",
]
