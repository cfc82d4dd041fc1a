"""How an HTTP connection breaks under a request."""

from vertex_jobs.emulator.asgi import Receive, Scope
from vertex_jobs.emulator.faults.disturbance import ConnectionDroppedError

__all__ = ["DROP", "end_connection"]

#: Key of a connection's own state: what breaks it at once, whatever is under way.
DROP = "drop"


async def end_connection(
    scope: Scope,
    receive: Receive,
    error: ConnectionDroppedError,
) -> None:
    """Return when the connection has ended; its client hears nothing more."""
    if not error.silent:
        scope["state"][DROP]()
    while (await receive())["type"] != "http.disconnect":
        pass  # the rest of a body that nobody wants
