"""Following a log: every line once, though lines arrive late and share their times.

For `LogReader.follow`. A log is read again from a little before the latest line, and what was seen
is left out. It knows nothing of the service; reading is a parameter.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from vertex_jobs.client.log_lines import LogEntry
from vertex_jobs.client.timing import Deadline, Timing

#: Every line of these jobs since that time (RFC 3339 text, empty for all), oldest first; and
#: whether to wait for a new one where the endpoint can.
Read = Callable[[Sequence[str], str, bool], Iterable[LogEntry]]
#: One item per round: the ids of the jobs whose lines are wanted, and whether they have ended.
Rounds = Iterator[tuple[Sequence[str], bool]]

#: Lines can reach the log out of order; this much is read again.
_OVERLAP = timedelta(seconds=10)
#: Where only the lines of different jobs can.
_SHORT_OVERLAP = timedelta(seconds=1)
#: At the last look, which happens once.
_LATE = timedelta(seconds=60)
#: Cloud Logging allows 60 reads a minute per project, for everybody in it.
_FIRST_INTERVAL_SECONDS = 2.0
_LONGEST_INTERVAL_SECONDS = 5.0
#: Before the last look, once the job has ended, where lines take their time to reach the log.
_LAST_PAUSE_SECONDS = 5.0


def follow(
    read: Read, rounds: Rounds, timing: Timing, holds: Callable[[], bool] = lambda: False
) -> Iterator[LogEntry]:
    """Yield every line, then every new one, until the jobs have ended and nothing more comes.

    ``rounds`` never ends by itself. A step of it that takes as long as the first pause has waited
    for news of the job, and takes the place of the pause between rounds. Where ``holds`` is true,
    reads wait for new lines by themselves, so that no pause is needed.

    Raises:
        EndpointError: As `read` does.
    """
    tail = _Tail(read)
    pauses = Deadline(
        timing, None, first=_FIRST_INTERVAL_SECONDS, longest=_LONGEST_INTERVAL_SECONDS
    )
    looked_again = False
    asked = timing.clock()
    for ids, ended in rounds:
        waited = timing.clock() - asked
        news = False
        for entry in tail.fresh(ids, ended, holds()):
            news = True
            yield entry
        if news:
            pauses.restart()
        elif ended and (holds() or looked_again):
            return
        looked_again = ended
        if holds():
            pass
        elif ended:
            timing.sleep(_LAST_PAUSE_SECONDS)
        elif waited < _FIRST_INTERVAL_SECONDS:
            pauses.pause()
        asked = timing.clock()


class _Tail:
    """The position of following: what was read, and from when to read on."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: set[str] = set()
        self._latest: datetime | None = None
        self._seen: dict[tuple[str, str, str], datetime] = {}

    def fresh(self, job_ids: Sequence[str], ended: bool, in_order: bool) -> Iterator[LogEntry]:
        """Yield the lines that were not there at the last call, oldest first.

        Until the jobs have ended a read waits for a line where it can. ``in_order`` says whether
        the endpoint gives each job's lines in the order of their times.
        """
        # A job that is new to us is read from its start: its lines may be older than the latest.
        known, new = sorted(self._known), sorted(set(job_ids) - self._known)
        self._known.update(new)
        overlap = _SHORT_OVERLAP if in_order else _LATE if ended else _OVERLAP
        kept = _LATE
        if in_order and len(job_ids) == 1:  # nothing can come late: a flood is not read twice
            overlap = kept = timedelta()
        wait = not ended and not new
        parts = [self._read(known, self._since(overlap), wait)] if known else []
        parts += [self._read(new, "", False)] if new else []
        lines = parts[0] if len(parts) == 1 else heapq.merge(*parts, key=_moment)
        try:
            for entry in lines:
                if entry.key not in self._seen:
                    self._seen[entry.key] = entry.moment
                    self._latest = max(self._latest or entry.moment, entry.moment)
                    yield entry
        finally:
            self._forget(kept)

    def _since(self, overlap: timedelta) -> str:
        if self._latest is None:
            return ""
        return (self._latest - overlap).isoformat().replace("+00:00", "Z")

    def _forget(self, kept: timedelta) -> None:
        """Keep the keys of what may be read again; following a week must stay small."""
        if self._latest is not None:
            oldest = self._latest - kept
            self._seen = {key: moment for key, moment in self._seen.items() if moment >= oldest}


def _moment(entry: LogEntry) -> datetime:
    return entry.moment
