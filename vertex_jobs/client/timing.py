"""Clock, sleep and randomness as one parameter, and the deadlines of everything that waits.

For the whole client. Tests pass a clock of their own; ``time.sleep`` has its only home here.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from vertex_jobs.client.api_errors import is_transient
from vertex_jobs.errors import EndpointError, EndpointLostError

Answer = TypeVar("Answer")

#: Told about an error that will be retried, and after how many seconds.
Trouble = Callable[[EndpointError, float], None]

#: For a single question, while a person waits for the answer.
_ANSWER_SECONDS = 20.0


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

    def ask(
        self,
        attempt: Callable[[], Answer],
        seconds: float = _ANSWER_SECONDS,
        on_trouble: Trouble | None = None,
    ) -> Answer:
        """Call until it answers: trouble that may pass is retried, any other is raised at once.

        Raises:
            EndpointLostError: If it still fails after that many seconds.
            EndpointError: Any refusal that another attempt would meet again.
        """
        deadline = Deadline(self, seconds, longest=10.0)
        while True:
            try:
                return attempt()
            except EndpointError as error:
                if not is_transient(error):
                    raise
                delay = deadline.next_pause()
                if delay > deadline.remaining:
                    raise EndpointLostError(
                        f"gave up after {deadline.elapsed:.0f} s: {error}; "
                        "the job, if there is one, goes on without this client"
                    ) from error
                if on_trouble is not None:
                    on_trouble(error, delay)
                self.sleep(delay)


class Deadline:
    """When to stop asking, and the pauses until then, which double up to the longest one.

    Each pause is drawn between half and the whole of its step, so that clients that failed together
    do not come back together.
    """

    def __init__(
        self, timing: Timing, seconds: float | None, *, first: float = 0.2, longest: float = 5.0
    ) -> None:
        """Count the seconds, None for no limit, from now.

        The steps of the pauses grow from ``first`` to ``longest`` seconds, by default the SDK's own
        interval between polls.
        """
        self._timing = timing
        self._start = timing.clock()
        self._seconds = float("inf") if seconds is None else seconds
        self._first, self._longest = first, longest
        self.restart()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._timing.clock() - self._start

    @property
    def remaining(self) -> float:
        """Seconds to the deadline: infinite without one, 0 when it has passed."""
        return max(0.0, self._seconds - self.elapsed)

    def restart(self) -> None:
        """Begin again with the shortest pause, since there was news."""
        self._step = self._first

    def next_pause(self) -> float:
        """Return the seconds to wait before asking again, wherever the deadline is."""
        pause = self._step * (0.5 + 0.5 * self._timing.random())
        self._step = min(2 * self._step, self._longest)
        return pause

    def pause(self, seconds: float | None = None) -> bool:
        """Wait so many seconds, by default the next pause, but no longer than to the deadline.

        Returns:
            False, without a wait, when the deadline has passed.
        """
        remaining = self.remaining
        if remaining:
            self._timing.sleep(min(self.next_pause() if seconds is None else seconds, remaining))
        return remaining > 0
