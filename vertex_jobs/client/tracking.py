"""One job at one endpoint: asking about it, waiting for it, and gathering what it left.

For `JobHandle`, which is the face of it. Holds the endpoint's latest answer; every other answer is
fetched. A job whose place was short is followed to the next one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from vertex_jobs.client.jobs import Jobs, Resource
from vertex_jobs.client.log_entries import LogEntry
from vertex_jobs.client.logs import LogReader
from vertex_jobs.client.outcomes import culprit, failure, log_job_ids
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.succession import Succession
from vertex_jobs.client.timing import Timing, Trouble
from vertex_jobs.client.watching import PATIENCE_SECONDS, Watch
from vertex_jobs.errors import EndpointError, JobFailedError

__all__ = ["Tracker"]

#: Enough for a traceback's end; the whole log is one command away.
_LAST_LINES = 10


class Tracker:
    """Follows one job."""

    def __init__(
        self,
        resource: Mapping[str, Any],
        jobs: Jobs,
        log_reader: LogReader,
        timing: Timing,
        succession: Succession | None = None,
    ) -> None:
        """Attach to a job.

        Args:
            resource: The job as the endpoint last gave it.
            jobs: The endpoint's collections.
            log_reader: The endpoint's log.
            timing: Clock and sleep of everything that waits.
            succession: The places that are left when this one is short; None to stay.
        """
        self.seen = Snapshot(resource)
        self.jobs = jobs
        self.succession = succession
        self._log_reader = log_reader
        self._timing = timing

    def refresh(self, seen: str = "") -> Snapshot:
        """Ask once more, over short trouble; ``seen`` as for `Jobs.get`."""
        name = self.seen.name
        return self._see(Snapshot(self._timing.ask(lambda: self.jobs.get(name, seen))))

    def watch(
        self, timeout: float | None, patience_seconds: float, on_trouble: Trouble | None
    ) -> Iterator[Snapshot]:
        """The job now and at every change until it has ended; see `Watch.snapshots`."""
        deadline = None if timeout is None else self._timing.clock() + timeout
        name = ""
        while name != self.seen.name:
            name = self.seen.name
            watch = Watch(partial(self.jobs.get, name), self._timing, patience_seconds, on_trouble)
            left = None if deadline is None else max(0.0, deadline - self._timing.clock())
            for snapshot in watch.snapshots(left):
                yield self._see(snapshot)

    def wait(self, timeout: float | None) -> Snapshot:
        """The job as it ended, however it did; raises as `watch` does."""
        if not self.seen.done:
            for _ in self.watch(timeout, PATIENCE_SECONDS, None):
                pass
        return self.seen

    def log_entries(self, replica: str, follow: bool) -> Iterator[LogEntry]:
        """The job's log lines, oldest first; followed until its end where asked."""
        if follow:
            return self._log_reader.follow(self._rounds, replica)
        return iter(self._log_reader.read(log_job_ids(self.refresh()), replica))

    def model(self) -> Resource | None:
        """The model that an ended training pipeline uploaded; None without one."""
        model = self.seen.resource.get("modelToUpload", {})
        if not model.get("name"):
            return None
        version = model.get("versionId")
        name = f"{model['name']}@{version}" if version else model["name"]
        return self._timing.ask(lambda: self.jobs.model(name))

    def failure(self) -> JobFailedError:
        """The error of a job that has ended without success, with its last log lines."""
        cause = culprit(self.seen)
        lines: tuple[str, ...] = ()
        if cause.job_ids:
            try:
                tail = self._log_reader.tail(cause.job_ids, cause.replica, _LAST_LINES)
                lines = tuple(entry.text for entry in tail)
            except EndpointError as error:
                # The job's failure is the news; that its log cannot be read comes second.
                lines = (f"(the log could not be read: {error})",)
        return failure(self.seen, lines)

    def _see(self, snapshot: Snapshot) -> Snapshot:
        """Keep what is known now: that job, or the one at the next place if this one was short."""
        if self.succession is not None and snapshot.done:
            successor = self.succession.after(snapshot)
            if successor is not None:
                snapshot = Snapshot(successor)
        self.seen = snapshot
        return snapshot

    def _rounds(self, reads_wait: Callable[[], bool]) -> Iterator[tuple[Sequence[str], bool]]:
        """For following the log: whose lines to read, and whether the job has ended.

        The first answer comes at once, the later ones when the endpoint has news, where it waits
        for them; so the end of the job is not missed by a pause. Where reads wait for new lines,
        the end comes with its last line.
        """
        snapshot = self.seen if self.seen.done else self.refresh()
        while True:
            yield log_job_ids(snapshot), snapshot.done
            if not snapshot.done:
                snapshot = self.refresh("" if reads_wait() else snapshot.update_time or "")
