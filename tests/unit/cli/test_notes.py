"""Remarks on the trials of a study: those that differ in numbers alone are said once."""

import contextlib
import io
from types import SimpleNamespace

from vertex_jobs.cli.notes import say_notes
from vertex_jobs.client import LogEntry


def said(*lines: tuple[str, str]) -> list[str]:
    """Return what is said of lines, each a trial's id and a text."""
    entries = [LogEntry("", "WARNING", "service", text, "", trial) for trial, text in lines]
    with contextlib.redirect_stderr(io.StringIO()) as err:
        say_notes(SimpleNamespace(logs=lambda replica: iter(entries)))
    return err.getvalue().splitlines()


def test_a_remark_on_many_trials_is_said_once_with_their_number() -> None:
    lines = [(str(trial), f"Nothing was written under gs://b/{trial}/.") for trial in range(1, 13)]
    assert said(*lines) == ["note, of 12 trials: Nothing was written under gs://b/1/."]


def test_remarks_on_one_trial_have_no_number() -> None:
    lines = [("1", "loss was nan at step 1"), ("1", "loss was nan at step 2")]
    assert said(*lines) == ["note: loss was nan at step 1"]


def test_other_remarks_stand_by_themselves() -> None:
    assert said(("1", "one"), ("2", "two")) == ["note: one", "note: two"]
