"""A live job, followed to its end, and its outcome: for `run` and `watch`."""

import threading
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING

from vertex_jobs.cli.decisions import load_numerics, print_decision, trial_table
from vertex_jobs.cli.details import base_output_directory, line_format
from vertex_jobs.cli.edge import Edge
from vertex_jobs.cli.footers import say_come_back, say_next
from vertex_jobs.cli.hparams import writer_for
from vertex_jobs.cli.notes import say_notes
from vertex_jobs.cli.progress import Progress, progress
from vertex_jobs.cli.shared_options import EndpointOptions
from vertex_jobs.cli.terminal import print_result, say, warn
from vertex_jobs.cli.trial_models import wrote_model
from vertex_jobs.cli.words import duration, seconds_between
from vertex_jobs.client import JobHandle, Snapshot
from vertex_jobs.errors import EndpointError, EndpointLostError, JobFailedError
from vertex_jobs.job_kinds import short_state
from vertex_jobs.study import Study
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint

#: A longer table says less; `trials` has all of them.
_TABLE_ROWS = 30
#: The first silence may be a hiccup; from here on a person wants to know.
_TELL_AFTER_SECONDS = 2.0


def follow(where: EndpointOptions, endpoint: "Endpoint", handle: JobHandle) -> int:
    """Show the job until it has ended, then its outcome and what comes next.

    Returns:
        The exit code: 1 if it ended without success, or as a study in which no trial could win.

    Raises:
        EndpointError: If the endpoint was lost; the job goes on.
        KeyboardInterrupt: Likewise.
    """
    try:
        _watch(endpoint, handle)
        failure = handle.exception() if not handle.last_seen.succeeded else None
    except JobFailedError as error:  # a cancelled job, which is a cancelled future as well
        failure = error
    except (EndpointError, KeyboardInterrupt):
        say_come_back(where, handle)
        raise
    with Edge() as edge:
        _print_outcome(endpoint, handle, failure)
    say()
    say_next(where, handle.last_seen, handle.console_link)
    return edge.exit_code


def _watch(endpoint: "Endpoint", handle: JobHandle) -> None:
    trouble = _Trouble(endpoint)
    with progress(handle.study_at) as display:
        hparams = writer_for(endpoint, handle) if handle.last_seen.is_study else None
        lines = _LogLines(endpoint, handle.last_seen, display)
        try:
            for snapshot in handle.watch(on_trouble=lambda *news: trouble(display, *news)):
                if snapshot.name != lines.name:
                    display.print_line(f"{snapshot.display_name}: {snapshot.name}")
                    lines.finish()
                    lines = _LogLines(endpoint, snapshot, display)
                display.update(snapshot)
                if hparams is not None:
                    hparams.update(snapshot)
            lines.finish()
            if hparams is not None:
                hparams.finish()
        finally:
            lines.silence()


class _Trouble:
    """Called with each poll that failed: warns once per silence, and gives up on a dead server."""

    def __init__(self, endpoint: "Endpoint") -> None:
        self._endpoint = endpoint
        self._last_warning = ""

    def __call__(self, display: Progress, error: EndpointError, delay: float) -> None:
        if self._endpoint.has_ended():
            raise EndpointLostError(f"Local Vertex has ended: {error}") from error
        if delay >= _TELL_AFTER_SECONDS and str(error) != self._last_warning:
            self._last_warning = str(error)
            display.print_line(f"warning: no answer, trying again: {error}")


class _LogLines:
    """Prints a job's log lines from a thread of its own, while its state is watched.

    Of a study those of its trials, without the service's; none of a job that has ended already.
    """

    def __init__(self, endpoint: "Endpoint", snapshot: Snapshot, display: Progress) -> None:
        self.name = snapshot.name
        self._display = display
        self._silent = threading.Event()
        self._thread: threading.Thread | None = None
        self._skipped = "service" if snapshot.is_study else None
        if not snapshot.done:
            handle = endpoint.job(self.name)
            self._thread = threading.Thread(target=self._run, args=(handle,), daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Wait for the last line of a job that has ended."""
        if self._thread is not None:
            self._thread.join()

    def silence(self) -> None:
        """Print nothing more; the thread ends with the process."""
        self._silent.set()

    def _run(self, handle: JobHandle) -> None:
        as_line = line_format(lambda: handle.last_seen)
        try:
            for entry in handle.logs(follow=True):
                if self._silent.is_set():
                    return
                if entry.replica != self._skipped:
                    self._display.print_line(as_line(entry))
        except EndpointError as error:
            if not self._silent.is_set():
                self._display.print_line(f"warning: the log cannot be read any more: {error}")


def _print_outcome(endpoint: "Endpoint", handle: JobHandle, failure: JobFailedError | None) -> None:
    snapshot = handle.last_seen
    if failure is None:
        elapsed = seconds_between(
            snapshot.create_time, snapshot.end_time, datetime.now(timezone.utc)
        )
        state = short_state(snapshot.state).lower()
        say(f"{snapshot.display_name} {state} after {duration(elapsed)}")
    if short_state(snapshot.state) == "PARTIALLY_SUCCEEDED":
        warn("only a part of the job succeeded; its results are those of that part")
    if snapshot.is_study and snapshot.study.trials:
        say_notes(handle)
        _print_trials(snapshot.study)
    if failure is not None:
        raise failure
    if snapshot.is_study:
        load_numerics()
        print_result("")
        print_decision(snapshot.study, partial(wrote_model, endpoint))
    else:
        _print_outputs(handle, snapshot)


def _print_trials(study: Study) -> None:
    shown = study.trials
    if len(shown) > _TABLE_ROWS:
        goal = study.objectives[0]
        measured = [trial for trial in shown if goal.metric_id in trial.metrics]
        measured.sort(key=lambda trial: goal.loss(trial.metrics[goal.metric_id]))
        shown = tuple(measured[:_TABLE_ROWS])
        total = len(study.trials)
        say(f"the {count(len(shown), 'trial')} of {total} with the best {goal.metric_id}:")
    print_result(trial_table(study, shown))


def _print_outputs(handle: JobHandle, snapshot: Snapshot) -> None:
    if snapshot.kind.name == "custom_training_job":
        model = handle.result()
        if isinstance(model, dict):
            print_result(f"model: {model['name']}")
    print_result(f"outputs: {base_output_directory(snapshot)}")
