"""Several jobs awaited together.

For users, as ``vertex_jobs.as_completed``; it is to job handles what
``concurrent.futures.as_completed`` is to futures.
"""

import concurrent.futures
from collections.abc import Iterable, Iterator

from vertex_jobs.client.handle import JobHandle
from vertex_jobs.client.timing import Deadline, Timing

__all__ = ["as_completed"]

_FIRST_INTERVAL_SECONDS = 0.2
_LONGEST_INTERVAL_SECONDS = 5.0


def as_completed(
    handles: Iterable[JobHandle], timeout: float | None = None, *, timing: Timing | None = None
) -> Iterator[JobHandle]:
    """Yield the handles in the order in which their jobs end, however they do.

    Args:
        handles: Of any endpoints; a job that is given twice comes once.
        timeout: Seconds from the call to the last end; None for no limit.
        timing: Clock and sleep between rounds; the system's unless given.

    Raises:
        concurrent.futures.TimeoutError: If some have not ended in time; they go on.
        EndpointError: If an endpoint was lost or refused.
    """
    timing = timing or Timing()
    deadline = Deadline(
        timing, timeout, first=_FIRST_INTERVAL_SECONDS, longest=_LONGEST_INTERVAL_SECONDS
    )
    return _rounds({handle.name: handle for handle in handles}, deadline)


def _rounds(pending: dict[str, JobHandle], deadline: Deadline) -> Iterator[JobHandle]:
    while pending:
        # By the first name: a job that goes on elsewhere has another one there.
        ended = [name for name, handle in pending.items() if handle.done()]
        for name in ended:
            yield pending.pop(name)
        if ended:
            deadline.restart()
        if pending and not deadline.pause():
            raise concurrent.futures.TimeoutError(
                f"{len(pending)} jobs have not ended in time; they go on: {', '.join(pending)}"
            )
