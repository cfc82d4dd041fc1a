"""The displays of a watched job: a block that is redrawn, or plain lines where none can be.

For `live_jobs`. Both take snapshots, log lines and messages, and write to stderr alone.
"""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from vertex_jobs.cli.live_curves import LiveCurves
from vertex_jobs.cli.terminal import console, is_interactive, say
from vertex_jobs.cli.words import duration, outcome, parameters, seconds_between
from vertex_jobs.client import Snapshot
from vertex_jobs.job_kinds import short_state
from vertex_jobs.study import Study, Trial

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Often enough for a clock that shows seconds, seldom enough not to be seen.
_REDRAWS_PER_SECOND = 4
#: Each print draws the block again, which takes longer than a line: a flood is printed in blocks.
_GATHERING_SECONDS = 0.1
_STARTED = frozenset({"ACTIVE", "STOPPING", "SUCCEEDED", "INFEASIBLE"})


class PlainProgress(contextlib.AbstractContextManager["PlainProgress"]):
    """One line per event, each with the time since the job was created."""

    def __init__(self) -> None:
        self._seen: Snapshot | None = None

    def __exit__(self, *exception: object) -> None:
        """Nothing to tidy."""

    def update(self, snapshot: Snapshot) -> None:
        """Print the events since the last time."""
        now = datetime.now(timezone.utc)
        elapsed = duration(seconds_between(snapshot.create_time, snapshot.end_time, now))
        for event in events(self._seen, snapshot):
            say(f"{elapsed:>7}  {event}")
        self._seen = snapshot

    def print_line(self, text: str) -> None:
        """Print it."""
        say(text)


class LiveProgress(contextlib.AbstractContextManager["LiveProgress"]):
    """A block at the bottom of the screen; lines scroll above it."""

    def __init__(self, study_at: Callable[[Snapshot], Study]) -> None:
        from rich.live import Live

        self._curves = LiveCurves(study_at)
        self._console = console(sys.stderr)
        self._seen: Snapshot | None = None
        self._lines: list[str] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._live = Live(
            console=self._console,
            get_renderable=self._render,
            refresh_per_second=_REDRAWS_PER_SECOND,
            transient=True,
        )

    def __enter__(self) -> "LiveProgress":
        self._live.start(refresh=True)
        return self

    def __exit__(self, *exception: object) -> None:
        self._curves.stop()
        self._print_lines()
        self._live.stop()

    def update(self, snapshot: Snapshot) -> None:
        """Keep it for the next redraw."""
        self._seen = snapshot
        self._curves.update(snapshot)

    def print_line(self, text: str) -> None:
        """Print it above the block, whole, within a tenth of a second."""
        with self._lock:
            self._lines.append(text)
            if self._timer is None:
                self._timer = threading.Timer(_GATHERING_SECONDS, self._print_lines)
                self._timer.daemon = True
                self._timer.start()

    def _print_lines(self) -> None:
        with self._lock:
            lines, self._lines, self._timer = self._lines, [], None
            if lines:
                self._console.print("\n".join(lines), soft_wrap=True)

    def _render(self) -> "RenderableType":
        from vertex_jobs.cli.screens import screen

        if self._seen is None:
            return ""
        study = self._curves.study(self._seen) if self._seen.is_study else None
        return screen(self._seen, study, datetime.now(timezone.utc), self._console.size)


Progress = PlainProgress | LiveProgress


def progress(study_at: Callable[[Snapshot], Study]) -> Progress:
    """Return the display that fits stderr; ``study_at`` reads a study's measurements."""
    return LiveProgress(study_at) if is_interactive() else PlainProgress()


def events(before: Snapshot | None, now: Snapshot) -> Iterator[str]:
    """Yield the changes of a job's state, then of its trials', between two looks at it.

    How the job ended is for the summary. Measurements are no events: a study of a thousand steps
    must not print a thousand lines.
    """
    if not now.done and (before is None or before.state != now.state):
        yield short_state(now.state).lower()
    if now.is_study:
        earlier = before.study.trials if before is not None else ()
        yield from _trial_events({trial.id: trial for trial in earlier}, now)


def _trial_events(earlier: dict[str, Trial], now: Snapshot) -> Iterator[str]:
    best = now.best_so_far
    for trial in now.study.trials:
        old = earlier.get(trial.id)
        if old is not None and old.state == trial.state:
            continue
        if trial.state in _STARTED and (old is None or old.state not in _STARTED):
            yield f"trial {trial.id} started: {parameters(trial)}"
        if trial.state == "STOPPING":
            yield f"trial {trial.id} is stopping"
        elif trial.state == "INFEASIBLE":
            yield f"trial {trial.id} infeasible: {trial.infeasible_reason or 'no reason given'}"
        elif trial.state == "SUCCEEDED":
            leads = " (best so far)" if best is not None and best.id == trial.id else ""
            yield f"trial {trial.id} succeeded: {outcome(trial, now.study.objectives)}{leads}"
