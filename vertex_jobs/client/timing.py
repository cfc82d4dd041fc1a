"""Clock, sleep and randomness as one parameter, and the back-off that uses them.

For everything in the client that waits. Tests pass a clock of their own; ``time.sleep`` has its
only home here.
"""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from vertex_jobs.client.failures import is_transient
from vertex_jobs.errors import EndpointError, EndpointLostError

__all__ = ["Timing", "Trouble", "persist"]

Answer = TypeVar("Answer")

#: Told about an error that will be retried, and after how many seconds.
Trouble = Callable[[EndpointError, float], None]


@dataclass(frozen=True)
class Timing:
    """The passing of time.

    Attributes:
        clock: Seconds from any origin, never going back.
        sleep: Waits that many seconds.
        random: Uniform in [0, 1).
        now: Seconds since the epoch.
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    now: Callable[[], float] = time.time

    def delays(self, first: float, longest: float) -> Iterator[float]:
        """Endless delays in seconds that double up to ``longest``.

        Each is drawn between half and the whole of its step, so that clients that failed together
        do not come back together.
        """
        step = first
        while True:
            yield step * (0.5 + 0.5 * self.random())
            step = min(2 * step, longest)


def persist(
    attempt: Callable[[], Answer],
    *,
    patience_seconds: float,
    timing: Timing,
    on_trouble: Trouble | None = None,
) -> Answer:
    """Call until it answers; what may pass is tried again, what will not is raised at once.

    Raises:
        EndpointLostError: If it still fails after ``patience_seconds``.
        EndpointError: Any refusal that another attempt would meet again.
    """
    started = timing.clock()
    delays = timing.delays(0.2, 10.0)
    while True:
        try:
            return attempt()
        except EndpointError as error:
            if not is_transient(error):
                raise
            delay = next(delays)
            waited = timing.clock() - started
            if waited + delay > patience_seconds:
                raise EndpointLostError(
                    f"gave up after {waited:.0f} s: {error}; "
                    "the job, if there is one, goes on without this client"
                ) from error
            if on_trouble is not None:
                on_trouble(error, delay)
            timing.sleep(delay)
