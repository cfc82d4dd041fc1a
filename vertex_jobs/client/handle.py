"""A handle on one job: its state, its end, its logs, its results.

For users, from ``endpoint.submit(job)`` or ``endpoint.job(text)``. It follows
``concurrent.futures.Future`` where the two have the same methods. A handle is live and asks the
endpoint at every call; what it returns is a detached copy.

The handle of a job that was submitted with fallbacks goes with it: when the handle is asked and the
place was short of machines, the job is created at the next place, and the handle is that job's.
"""

import concurrent.futures
from collections.abc import Generator, Iterator
from html import escape
from typing import Any

from vertex_jobs.client.jobs import Resource
from vertex_jobs.client.journal import Entry
from vertex_jobs.client.log_entries import LogEntry
from vertex_jobs.client.outcomes import package_uri
from vertex_jobs.client.registering import SERVING_IMAGE, register
from vertex_jobs.client.sdk import sdk_object
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.timing import Trouble
from vertex_jobs.client.tracking import Tracker
from vertex_jobs.client.watching import PATIENCE_SECONDS
from vertex_jobs.errors import JobFailedError
from vertex_jobs.job_kinds import CUSTOM_TRAINING_JOB, TUNING_JOB, short_state
from vertex_jobs.study import Study, Trial

__all__ = ["JobHandle", "Result"]

#: A tuning job's study, a training job's model (None without one), or the custom job as it ended.
Result = Study | Snapshot | dict[str, Any] | None


class JobHandle:
    """One job at one endpoint."""

    def __init__(self, tracker: Tracker) -> None:
        """Handles are made by the client; ``tracker`` follows the job."""
        self._tracker = tracker

    @property
    def name(self) -> str:
        """Full resource name."""
        return self.last_seen.name

    @property
    def submission(self) -> Entry | None:
        """What is journalled of its submission, place by place; None if found by its name."""
        return self._tracker.succession.entry if self._tracker.succession else None

    @property
    def kind(self) -> str:
        """``custom_job``, ``custom_training_job`` or ``hyperparameter_tuning_job``."""
        return self.last_seen.kind.name

    @property
    def display_name(self) -> str:
        """As the config says it."""
        return self.last_seen.display_name

    @property
    def package_uri(self) -> str | None:
        """``gs://`` URI of the package it runs; None for a container job."""
        return package_uri(self.last_seen)

    @property
    def console_link(self) -> str:
        """Its page in the console; empty where there is no console."""
        return self._tracker.jobs.connection.console_link(self.name)

    @property
    def last_seen(self) -> Snapshot:
        """The endpoint's latest answer; asks nothing."""
        return self._tracker.seen

    def refresh(self) -> Snapshot:
        """Ask the endpoint about the job.

        Raises:
            EndpointError: If the endpoint refused, was lost, or the job is gone.
        """
        return self._tracker.refresh()

    @property
    def state(self) -> str:
        """Full name of the state now, e.g. ``JOB_STATE_RUNNING``."""
        return self.refresh().state

    def done(self) -> bool:
        """Whether it has ended, however it did."""
        return self.last_seen.done or self.refresh().done

    def running(self) -> bool:
        """Whether it has started and not ended."""
        return self.refresh().state.endswith("_STATE_RUNNING")

    def cancelled(self) -> bool:
        """Whether it has ended by being cancelled."""
        return self.done() and self.last_seen.state.endswith("_STATE_CANCELLED")

    def watch(
        self,
        timeout: float | None = None,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        on_trouble: Trouble | None = None,
    ) -> Iterator[Snapshot]:
        """The job now and at every change until it has ended; see `Watch`."""
        return self._tracker.watch(timeout, patience_seconds, on_trouble)

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end and return what the job was for.

        Raises:
            JobFailedError: If it ended without success; a ``CancelledError`` too when cancelled.
            concurrent.futures.TimeoutError: If it has not ended in time; the job goes on.
            EndpointError: If the endpoint was lost or refused.
        """
        snapshot = self._tracker.wait(timeout)
        if not snapshot.succeeded:
            raise self._tracker.failure()
        if self.kind == TUNING_JOB.name:
            return snapshot.study
        return self._tracker.model() if self.kind == CUSTOM_TRAINING_JOB.name else snapshot

    def exception(self, timeout: float | None = None) -> JobFailedError | None:
        """Wait for the end; the error that ``result`` would raise for the job, or None.

        Raises:
            concurrent.futures.CancelledError: If the job was cancelled.
            concurrent.futures.TimeoutError: If it has not ended in time.
            EndpointError: If the endpoint was lost or refused.
        """
        if self._tracker.wait(timeout).succeeded:
            return None
        error = self._tracker.failure()
        if isinstance(error, concurrent.futures.CancelledError):
            raise error
        return error

    def cancel(self) -> bool:
        """Ask for the job to end; it may still succeed. False if it had ended already."""
        if self.done():
            return False
        self._tracker.jobs.cancel(self.name)
        return True

    def delete(self) -> None:
        """Delete the ended job from the endpoint; its outputs stay.

        Raises:
            EndpointError: If the endpoint refused, for example because the job still runs.
        """
        self._tracker.jobs.delete(self.name)

    def logs(self, follow: bool = False, *, replica: str = "") -> Iterator[LogEntry]:
        """The job's log lines, oldest first.

        Args:
            follow: Go on until the job has ended and its last line is here.
            replica: Only this one's lines, e.g. ``workerpool0-0``; empty for all.
        """
        return self._tracker.log_entries(replica, follow)

    @property
    def study(self) -> Study:
        """A tuning job's trials now, as a detached copy.

        Raises:
            UnsupportedHereError: If the job is of another kind.
        """
        return self.refresh().study

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
        """Put a trial's model into the model registry; once, however often it is called.

        Args:
            trial: One of this job's, which has written a model.
            serving_image: The container that serves it.

        Raises:
            UnsupportedHereError: If the trial has no model directory.
            EndpointError: If the endpoint refused or was lost.
        """
        return register(self._tracker.jobs, self.last_seen, trial, serving_image)

    @property
    def sdk(self) -> Any:
        """The same job as an object of ``google.cloud.aiplatform``, at the same endpoint."""
        return sdk_object(self.last_seen, self._tracker.jobs.connection)

    def __await__(self) -> Generator[Any, None, Result]:
        """Await the result without blocking the event loop."""
        import asyncio

        return asyncio.to_thread(self.result).__await__()

    def _repr_html_(self) -> str:
        """For notebooks: a study's trials, or name and state, as last seen."""
        if self.kind == TUNING_JOB.name:
            return self.last_seen.study._repr_html_()
        state, name = short_state(self.last_seen.state).lower(), escape(self.name)
        return f"<b>{escape(self.display_name)}</b>: {state}<br><code>{name}</code>"

    def __repr__(self) -> str:
        return f"<{self.kind} {self.display_name!r} {self.last_seen.state} {self.name}>"
