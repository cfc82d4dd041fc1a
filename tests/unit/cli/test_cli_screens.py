"""The block on a terminal, drawn for an eye that cannot be tested: its words and its height."""

import io
from datetime import datetime, timezone

import pytest
from rich.console import Console, ConsoleDimensions

from vertex_jobs.cli.screens import screen
from vertex_jobs.client import Snapshot

NOW = datetime(2026, 1, 1, 0, 1, 0, tzinfo=timezone.utc)


def drawn(snapshot, width=100, height=30):
    console = Console(file=io.StringIO(), width=width)
    study = snapshot.study if snapshot.is_study else None
    console.print(screen(snapshot, study, NOW, ConsoleDimensions(width, height)))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_study_shows_state_time_counts_best_and_running_trials(study):
    lines = drawn(study(("SUCCEEDED", 0.5), ("INFEASIBLE",), ("ACTIVE", 0.25), ("ACTIVE",)))
    words = [" ".join(line.split()) for line in lines if line]
    assert words == [
        "tiny running 1:00 7",
        f"{words[1].split()[0]} 2 of 4 trials 2 running 1 infeasible",
        "best: trial 1 score 0.5 x=0.1",
        "trial 3 score 0.25 step 3 0:59 x=0.3",
        "trial 4 no metric yet 0:59 x=0.4",
    ]


def test_columns_stay_where_they_are_when_numbers_change(study):
    def column(score):
        return drawn(study(("ACTIVE", score)))[-1].index("step 3")

    assert column(0.5) == column(0.512345)


@pytest.mark.parametrize("height", [10, 30])
def test_many_trials_never_scroll_the_screen(study, height):
    assert len(drawn(study(*[("ACTIVE",)] * 100), height=height)) < height


def test_narrow_screen_cuts_lines_and_does_not_wrap_them(study):
    assert len(drawn(study(("ACTIVE",)), width=30)) == len(drawn(study(("ACTIVE",))))


def test_plain_job_is_one_line_below_its_log():
    job = Snapshot(
        {
            "name": "projects/p/locations/us-central1/customJobs/7",
            "displayName": "tiny",
            "state": "JOB_STATE_PENDING",
            "createTime": "2026-01-01T00:00:30Z",
        }
    )
    assert drawn(job) == ["", "tiny  pending  0:30  7"]
