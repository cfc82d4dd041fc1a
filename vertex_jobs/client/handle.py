"""A handle on one job: its state, its end, its logs, its results.

For users, from ``endpoint.submit(job)`` or ``endpoint.job(text)``. It follows
``concurrent.futures.Future`` where the two have the same methods. A handle is live and asks the
endpoint at every call; what it returns is a detached copy.

The handle of a job that was submitted with fallbacks goes with it: when the handle is asked and the
place was short of machines, the job is created at the next place, and the handle is that job's.
"""

import concurrent.futures
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any

from vertex_jobs.client.curve_reading import CurveReader
from vertex_jobs.client.job_calls import Jobs, Resource
from vertex_jobs.client.journal import Entry
from vertex_jobs.client.log_lines import LogEntry
from vertex_jobs.client.log_reading import LogReader
from vertex_jobs.client.outcomes import culprit, failure
from vertex_jobs.client.registered_models import SERVING_IMAGE, register, uploaded_model
from vertex_jobs.client.sdk import sdk_object
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.submission import Succession
from vertex_jobs.client.timing import Deadline, Timing, Trouble
from vertex_jobs.client.tracebacks import telling_lines
from vertex_jobs.client.watching import PATIENCE_SECONDS, Watch
from vertex_jobs.errors import EndpointError, JobFailedError, VertexJobsWarning
from vertex_jobs.job_kinds import CUSTOM_TRAINING_JOB, TUNING_JOB, short_state
from vertex_jobs.study import Study, Trial

#: A tuning job's study, a training job's model (None without one), or the custom job as it ended.
Result = Study | Snapshot | dict[str, Any] | None

#: Read of a failed job for its traceback, which is shown whole: one page of the log.
_LINES_READ = 1000


class JobHandle:
    """One job at one endpoint."""

    def __init__(
        self,
        resource: Resource,
        jobs: Jobs,
        log_reader: LogReader,
        curve_reader: CurveReader,
        timing: Timing,
        succession: Succession | None = None,
    ) -> None:
        """Attach to a job, as the endpoint last gave it; the client makes handles.

        Without a succession the handle stays with a job whose place is short of machines.
        """
        self._seen = Snapshot(resource)
        self._jobs = jobs
        self._log_reader = log_reader
        self._curve_reader = curve_reader
        self._timing = timing
        self._succession = succession

    @property
    def name(self) -> str:
        """The full resource name."""
        return self.last_seen.name

    @property
    def submission(self) -> Entry | None:
        """The journal's entry of its submission; None if the job was found by its name."""
        return self._succession.entry if self._succession else None

    @property
    def kind(self) -> str:
        """``custom_job``, ``custom_training_job`` or ``hyperparameter_tuning_job``."""
        return self.last_seen.kind.name

    @property
    def display_name(self) -> str:
        """The display name."""
        return self.last_seen.display_name

    @property
    def package_uri(self) -> str | None:
        """The ``gs://`` URI of the package it runs; None for a container job."""
        return self.last_seen.package_uri

    @property
    def console_link(self) -> str:
        """The link to its page in the console; empty where there is no console."""
        return self._jobs.connection.console_link(self.name)

    @property
    def last_seen(self) -> Snapshot:
        """The endpoint's latest answer; nothing is asked for it."""
        return self._seen

    def refresh(self) -> Snapshot:
        """Ask the endpoint about the job, over short trouble.

        Raises:
            EndpointError: If the endpoint refused, was lost, or the job is gone.
        """
        return self._ask()

    @property
    def state(self) -> str:
        """The full name of the state now, e.g. ``JOB_STATE_RUNNING``."""
        return self.refresh().state

    def done(self) -> bool:
        """Return whether it has ended, however it did."""
        return self.last_seen.done or self.refresh().done

    def running(self) -> bool:
        """Return whether it has started and not ended."""
        return self.refresh().state.endswith("_STATE_RUNNING")

    def cancelled(self) -> bool:
        """Return whether it has ended by being cancelled."""
        return self.done() and self.last_seen.state.endswith("_STATE_CANCELLED")

    def watch(
        self,
        timeout: float | None = None,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        on_trouble: Trouble | None = None,
    ) -> Iterator[Snapshot]:
        """Yield the job now and at every change until it has ended; see `Watch`."""
        deadline = Deadline(self._timing, timeout)
        name = ""
        while name != self.name:
            name = self.name
            watch = Watch(partial(self._jobs.get, name), self._timing, patience_seconds, on_trouble)
            for snapshot in watch.snapshots(deadline.remaining):
                yield self._see(snapshot)

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end and return what the job was for.

        Raises:
            JobFailedError: If it ended without success; a ``CancelledError`` too when cancelled.
            concurrent.futures.TimeoutError: If it has not ended in time; the job goes on.
            EndpointError: If the endpoint was lost or refused.
        """
        snapshot = self._wait(timeout)
        if not snapshot.succeeded:
            raise self._failure()
        if snapshot.kind is TUNING_JOB:
            return self._measured(snapshot)
        if snapshot.kind is CUSTOM_TRAINING_JOB:
            return uploaded_model(self._jobs, self._timing, snapshot)
        return snapshot

    def exception(self, timeout: float | None = None) -> JobFailedError | None:
        """Wait for the end, and return the error that ``result`` would raise for the job, or None.

        Raises:
            concurrent.futures.CancelledError: If the job was cancelled.
            concurrent.futures.TimeoutError: If it has not ended in time.
            EndpointError: If the endpoint was lost or refused.
        """
        if self._wait(timeout).succeeded:
            return None
        error = self._failure()
        if isinstance(error, concurrent.futures.CancelledError):
            raise error
        return error

    def cancel(self) -> bool:
        """Ask for the job to end, which may still succeed; return False if it has ended already."""
        if self.done():
            return False
        self._jobs.cancel(self.name)
        return True

    def delete(self) -> None:
        """Delete the ended job from the endpoint; its outputs stay.

        Raises:
            EndpointError: If the endpoint refused, for example because the job still runs.
        """
        self._jobs.delete(self.name)

    def logs(
        self, follow: bool = False, *, replica: str = "", trial: str = "", tail: int | None = None
    ) -> Iterator[LogEntry]:
        """Return the job's log lines, oldest first, as they are read.

        Args:
            follow: Go on until the job has ended and its last line is here.
            replica: Only this one's lines, e.g. ``workerpool0-0``; empty for all.
            trial: Only this one's lines, by its id; empty for all.
            tail: Only so many, the last ones; None for all. Not with ``follow``.

        Raises:
            UnsupportedHereError: If the job has no such trial.
            EndpointError: If the log cannot be read.
        """
        if follow:
            source = self._seen.log_source(replica, trial)[1]
            return self._log_reader.follow(partial(self._log_rounds, trial=trial), source)
        ids, source = self.refresh().log_source(replica, trial)
        if tail is not None:
            return iter(self._log_reader.tail(ids, source, tail))
        return self._log_reader.read(ids, source)

    @property
    def study(self) -> Study:
        """A tuning job's trials now, as a detached copy.

        Without learning curves, and with a warning, where the trials' outputs cannot be read.

        Raises:
            UnsupportedHereError: If the job is of another kind.
        """
        return self._measured(self.refresh())

    def study_at(self, snapshot: Snapshot) -> Study:
        """Return the trials of a snapshot of the job, with the measurements in their outputs.

        Raises:
            UnsupportedHereError: If the job is of another kind.
            EndpointError: If the outputs cannot be read.
        """
        return self._curve_reader.study(snapshot)

    def _measured(self, snapshot: Snapshot) -> Study:
        try:
            return self.study_at(snapshot)
        except EndpointError as error:
            text = f"the learning curves of {self.name} cannot be read: {error}"
            warnings.warn(text, VertexJobsWarning, stacklevel=3)
            return snapshot.study

    @property
    def trials(self) -> tuple[Trial, ...]:
        """A tuning job's trials now, by id."""
        return self.study.trials

    @property
    def best_trial(self) -> Trial:
        """A tuning job's best trial so far.

        Raises:
            NoFeasibleTrialError: If no trial could win (yet).
        """
        return self.study.best_trial

    def register(self, trial: Trial, serving_image: str = SERVING_IMAGE) -> Resource:
        """Put the model of one of its trials, for that container, into the registry; once at most.

        Raises:
            UnsupportedHereError: If the trial has no model directory.
            EndpointError: If the endpoint refused or was lost.
        """
        return register(self._jobs, self.last_seen, trial, serving_image)

    @property
    def sdk(self) -> Any:
        """The same job as an object of ``google.cloud.aiplatform``, at the same endpoint."""
        return sdk_object(self.last_seen, self._jobs.connection)

    def __await__(self) -> Generator[Any, None, Result]:
        import asyncio

        return asyncio.to_thread(self.result).__await__()

    def _repr_html_(self) -> str:
        """Return a study's trials, or name and state, as last seen, for notebooks."""
        if self.last_seen.is_study:
            return self.last_seen.study._repr_html_()
        state, name = short_state(self.last_seen.state).lower(), escape(self.name)
        return f"<b>{escape(self.display_name)}</b>: {state}<br><code>{name}</code>"

    def __repr__(self) -> str:
        return f"<{self.kind} {self.display_name!r} {self.last_seen.state} {self.name}>"

    def _ask(self, seen: str = "") -> Snapshot:
        return self._see(Snapshot(self._timing.ask(partial(self._jobs.get, self.name, seen))))

    def _see(self, snapshot: Snapshot) -> Snapshot:
        """Keep what is known now: that job, or the one at the next place if this one was short."""
        if self._succession is not None and snapshot.done:
            snapshot = self._succession.after(snapshot) or snapshot
        self._seen = snapshot
        return snapshot

    def _wait(self, timeout: float | None) -> Snapshot:
        """Return the job as it ended, however it did; raise as `watch` does."""
        if not self._seen.done:
            for _ in self.watch(timeout):
                pass
        return self._seen

    def _failure(self) -> JobFailedError:
        cause = culprit(self._seen)
        lines: tuple[str, ...] = ()
        if cause.job_ids:
            try:
                tail = self._log_reader.tail(cause.job_ids, cause.source, _LINES_READ)
                lines = telling_lines(tail, cause.replica)
            except EndpointError as error:
                lines = (f"(the log could not be read: {error})",)  # the failure is the news
        return failure(self._seen, lines)

    def _log_rounds(
        self, reads_wait: Callable[[], bool], trial: str = ""
    ) -> Iterator[tuple[Sequence[str], bool]]:
        """Yield whose lines to read, and whether the job has ended, round by round.

        The first answer comes at once, the later ones when the endpoint has news, where it waits
        for them; so the end of the job is not missed by a pause. Where reads wait for new lines,
        the end comes with its last line.
        """
        snapshot = self._seen if self._seen.done else self.refresh()
        while True:
            yield snapshot.log_source(trial=trial)[0], snapshot.done
            if not snapshot.done:
                snapshot = self._ask("" if reads_wait() else snapshot.update_time or "")
