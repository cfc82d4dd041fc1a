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
from vertex_jobs.client.timing import Deadline, Timing, Trouble
from vertex_jobs.errors import EndpointLostError

#: Reads the job; the argument is the ``updateTime`` last seen, empty to be answered at once.
Poll = Callable[[str], Mapping[str, Any]]

#: How long an endpoint may be out of reach before it counts as lost: a laptop's nap, a restart.
PATIENCE_SECONDS = 300.0
#: What changes within this is one piece of news.
_BURST_SECONDS = 0.02
#: Each answer of a study carries all of its trials. Up to so many, news is worth its price; above,
#: so many seconds for each keep a watcher's share of a core small.
_FEW_TRIALS = 100
_SECONDS_PER_TRIAL = 0.001
#: An unchanged answer that took as long as this was held back for us; asking again costs nothing.
_HELD_SECONDS = 1.0
#: An endpoint holds an answer for at most this long, so a nearer deadline must not ask for it.
_HOLD_LIMIT_SECONDS = 2.0


@dataclass(frozen=True)
class Watch:
    """Follows a job.

    Attributes:
        poll: Reads the job once.
        patience_seconds: How long an endpoint may be out of reach before it counts as lost.
        on_trouble: Told about each failed poll and the delay before the next.
    """

    poll: Poll
    timing: Timing = field(default_factory=Timing)
    patience_seconds: float = PATIENCE_SECONDS
    on_trouble: Trouble | None = None

    def snapshots(self, timeout: float | None = None) -> Iterator[Snapshot]:
        """Yield the job now, then whenever something changed, until it has ended.

        The timeout counts from the first step of the iteration.

        Raises:
            concurrent.futures.TimeoutError: If the job has not ended in time.
            EndpointLostError: If the endpoint stayed out of reach.
            EndpointError: If it refused, for example because the job was deleted.
        """
        deadline = Deadline(self.timing, timeout)
        seen: Mapping[str, Any] | None = None
        while True:
            asked = self.timing.clock()
            resource = self._ask(seen, deadline.remaining)
            held = resource == seen and self.timing.clock() - asked >= _HELD_SECONDS
            changed = resource != seen
            if changed:
                seen = resource
                deadline.restart()
                snapshot = Snapshot(resource)
                yield snapshot
                if snapshot.done:
                    return
            if not deadline.remaining:
                raise concurrent.futures.TimeoutError(
                    f"{snapshot.name} is still {snapshot.state} after the time-out; the job goes on"
                )
            if changed:
                deadline.pause(_seconds_to_settle(resource))
            elif not held:
                deadline.pause()

    def _ask(self, seen: Mapping[str, Any] | None, remaining: float) -> Mapping[str, Any]:
        held = seen is not None and remaining > _HOLD_LIMIT_SECONDS
        update_time = str(seen.get("updateTime", "")) if held and seen is not None else ""
        try:
            return self.timing.ask(
                lambda: self.poll(update_time),
                seconds=min(self.patience_seconds, remaining),
                on_trouble=self.on_trouble,
            )
        except EndpointLostError as error:
            if remaining < self.patience_seconds:
                raise concurrent.futures.TimeoutError(
                    f"no answer about the job within the time-out: {error}"
                ) from error
            raise


def _seconds_to_settle(resource: Mapping[str, Any]) -> float:
    """Return the wait after a change: news comes in bursts, and long answers cost both ends."""
    trials = len(resource.get("trials", ()))
    return _BURST_SECONDS if trials <= _FEW_TRIALS else _SECONDS_PER_TRIAL * trials
