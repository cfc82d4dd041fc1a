"""What a fault does to one call, the same over REST, gRPC and for storage.

How a connection breaks is the front's business; the service's own text for an error is here.
Source: google.rpc.Code and the messages that Google APIs answer by default.
"""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import TypeVar

from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.spec.local import CallFault

__all__ = ["ConnectionDroppedError", "disturb"]

Answer = TypeVar("Answer")

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
    """The front is to end the connection instead of answering.

    Attributes:
        silent: Not before the client leaves by itself.
    """

    def __init__(self, *, silent: bool = False) -> None:
        """Break it now, unless it is to stay silent."""
        self.silent = silent
        super().__init__("the connection is dropped by a fault")


async def disturb(fault: CallFault, act: Callable[[], Awaitable[Answer]], clock: Clock) -> Answer:
    """Answer a call as the fault has it.

    Args:
        fault: What goes wrong.
        act: Carries the call out; it must need nothing more from the client.
        clock: By which a slow call is slow.

    Raises:
        ApiError: If the fault is an error.
        ConnectionDroppedError: If the connection is to end without an answer.
    """
    kind = fault.fault
    if isinstance(kind, int):
        raise ApiError(*_ERRORS[kind])
    if kind == "slow":
        await clock.sleep_until(clock.time() + fault.seconds)
        return await act()
    if kind == "drop_after":
        await act()
    elif kind == "commit_late":
        task = asyncio.create_task(_act_late(clock, fault.seconds, act))
        _late.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(_late.discard)
    raise ConnectionDroppedError(silent=kind == "hang")


async def _act_late(clock: Clock, seconds: float, act: Callable[[], Awaitable[object]]) -> None:
    await clock.sleep_until(clock.time() + seconds)
    try:
        await act()
    except ApiError as error:
        print(f"a late call was refused: {error}", file=sys.stderr)
    except Exception:
        traceback.print_exc(file=sys.stderr)
