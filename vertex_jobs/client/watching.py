"""Follow one job to its end, through trouble on the way.

For handles and the verb ``watch``. The job is asked about again and again; an endpoint that holds
its answers until there is news is asked again at once, any other at growing intervals. Ending the
iteration early leaves the job running.
"""

import concurrent.futures
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.timing import Timing, Trouble, persist
from vertex_jobs.errors import EndpointLostError

__all__ = ["PATIENCE_SECONDS", "Poll", "Watch"]

#: Reads the job; the argument is the ``updateTime`` last seen, empty to be answered at once.
Poll = Callable[[str], Mapping[str, Any]]

#: How long an endpoint may be out of reach before it counts as lost: a laptop's nap, a restart.
PATIENCE_SECONDS = 300.0
_FIRST_INTERVAL_SECONDS = 0.2
#: What changes within this is one piece of news.
_BURST_SECONDS = 0.02
#: Each answer of a study carries all of its trials. Up to so many, news is worth its price; above,
#: so many seconds for each keep a watcher's share of a core small.
_FEW_TRIALS = 100
_SECONDS_PER_TRIAL = 0.001
#: The SDK's own poll interval; 600 reads a minute are allowed per project.
_LONGEST_INTERVAL_SECONDS = 5.0
#: An unchanged answer that took as long as this was held back for us; asking again costs nothing.
_HELD_SECONDS = 1.0
#: An endpoint holds an answer for at most this long, so a nearer deadline must not ask for it.
_HOLD_LIMIT_SECONDS = 2.0


@dataclass(frozen=True)
class Watch:
    """How to follow a job.

    Attributes:
        poll: Reads the job once.
        timing: Clock, sleep and randomness.
        patience_seconds: How long an endpoint may be out of reach before it counts as lost.
        on_trouble: Told about each failed poll and the delay before the next.
    """

    poll: Poll
    timing: Timing = field(default_factory=Timing)
    patience_seconds: float = PATIENCE_SECONDS
    on_trouble: Trouble | None = None

    def snapshots(self, timeout: float | None = None) -> Iterator[Snapshot]:
        """The job now, then whenever something changed, until it has ended.

        Args:
            timeout: Seconds from the first step of the iteration; None for no limit.

        Raises:
            concurrent.futures.TimeoutError: If the job has not ended in time.
            EndpointLostError: If the endpoint stayed out of reach.
            EndpointError: If it refused, for example because the job was deleted.
        """
        clock = self.timing.clock
        deadline = None if timeout is None else clock() + timeout
        seen: Mapping[str, Any] | None = None
        intervals = self._intervals()
        while True:
            asked = clock()
            resource = self._ask(seen, deadline)
            held = resource == seen and clock() - asked >= _HELD_SECONDS
            changed = resource != seen
            if changed:
                seen, intervals = resource, self._intervals()
                snapshot = Snapshot(resource)
                yield snapshot
                if snapshot.done:
                    return
            self._check(deadline, resource)
            if changed:
                self._pause(_seconds_to_settle(resource), deadline)
            elif not held:
                self._pause(next(intervals), deadline)

    def _ask(self, seen: Mapping[str, Any] | None, deadline: float | None) -> Mapping[str, Any]:
        remaining = float("inf") if deadline is None else max(0.0, deadline - self.timing.clock())
        held = seen is not None and remaining > _HOLD_LIMIT_SECONDS
        update_time = str(seen.get("updateTime", "")) if held and seen is not None else ""
        try:
            return persist(
                lambda: self.poll(update_time),
                patience_seconds=min(self.patience_seconds, remaining),
                timing=self.timing,
                on_trouble=self.on_trouble,
            )
        except EndpointLostError as error:
            if remaining < self.patience_seconds:
                raise concurrent.futures.TimeoutError(
                    f"no answer about the job within the time-out: {error}"
                ) from error
            raise

    def _check(self, deadline: float | None, resource: Mapping[str, Any]) -> None:
        if deadline is not None and self.timing.clock() >= deadline:
            snapshot = Snapshot(resource)
            raise concurrent.futures.TimeoutError(
                f"{snapshot.name} is still {snapshot.state} after the time-out; the job goes on"
            )

    def _pause(self, seconds: float, deadline: float | None) -> None:
        if deadline is not None:
            seconds = min(seconds, max(0.0, deadline - self.timing.clock()))
        self.timing.sleep(seconds)

    def _intervals(self) -> Iterator[float]:
        return self.timing.delays(_FIRST_INTERVAL_SECONDS, _LONGEST_INTERVAL_SECONDS)


def _seconds_to_settle(resource: Mapping[str, Any]) -> float:
    """How long to wait after a change: news comes in bursts, and long answers cost both ends."""
    trials = len(resource.get("trials", ()))
    return _BURST_SECONDS if trials <= _FEW_TRIALS else _SECONDS_PER_TRIAL * trials
