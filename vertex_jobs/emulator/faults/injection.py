"""Fault injection into one call, the same over REST, gRPC and for storage.

The service's own text for an injected error is here. Each front ends connections in its own way.
Source: google.rpc.Code and the messages that Google APIs answer by default.
"""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from vertex_jobs.emulator.asgi import Receive, Scope
from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.spec.local import CallFault

Answer = TypeVar("Answer")

#: Key of an HTTP connection's own state: a function that ends the connection at once.
DROP = "drop"

_ERRORS = {
    400: ("INVALID_ARGUMENT", "Request contains an invalid argument."),
    403: ("PERMISSION_DENIED", "The caller does not have permission"),
    404: ("NOT_FOUND", "Requested entity was not found."),
    409: ("ABORTED", "The operation was aborted."),
    429: ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    500: ("INTERNAL", "Internal error encountered."),
    503: ("UNAVAILABLE", "The service is currently unavailable."),
    504: ("DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
}

_late: set["asyncio.Task[None]"] = set()


class ConnectionDroppedError(Exception):
    """The front is to end the connection unanswered; if ``silent``, once the client has left."""

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent
        super().__init__("an injected fault drops the connection")


def _forget(answer: object) -> None:
    """Do nothing with an answer that nobody hears."""


async def inject(
    fault: CallFault,
    act: Callable[[], Awaitable[Answer]],
    clock: Clock,
    discard: Callable[[Answer], None] = _forget,
    refusals: Mapping[int, ApiError] = {},
) -> Answer:
    """Answer a call as the fault has it.

    ``act`` carries the call out and must need nothing more from the client; ``discard`` gets the
    answer that nobody hears, if the connection ends after the call; ``refusals`` are this call's
    own by HTTP status, instead of the general ones.

    Raises:
        ApiError: If the fault is an error.
        ConnectionDroppedError: If the connection is to end without an answer.
    """
    kind = fault.fault
    if isinstance(kind, int):
        raise refusals.get(kind) or ApiError(*_ERRORS[kind])
    if kind == "slow":
        await clock.sleep_until(clock.time() + fault.seconds)
        return await act()
    if kind == "drop_after":
        discard(await act())
    elif kind == "commit_late":
        task = asyncio.create_task(_act_late(clock, fault.seconds, act, discard))
        _late.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(_late.discard)
    raise ConnectionDroppedError(silent=kind == "hang")


async def end_connection(scope: Scope, receive: Receive, error: ConnectionDroppedError) -> None:
    """Return when the HTTP connection has ended; its client hears nothing more."""
    if not error.silent:
        scope["state"][DROP]()
    while (await receive())["type"] != "http.disconnect":
        pass  # the rest of a body that nobody wants


async def _act_late(
    clock: Clock,
    seconds: float,
    act: Callable[[], Awaitable[Answer]],
    discard: Callable[[Answer], None],
) -> None:
    await clock.sleep_until(clock.time() + seconds)
    try:
        discard(await act())
    except ApiError as error:
        print(f"a late call was refused: {error}", file=sys.stderr)
    except Exception:
        traceback.print_exc(file=sys.stderr)
