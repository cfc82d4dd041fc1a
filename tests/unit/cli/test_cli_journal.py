"""``journal``: what was submitted, read from disk alone."""

import contextlib
import io
import json
from pathlib import Path

import pytest

from vertex_jobs.cli import main
from vertex_jobs.client.journal import CREATED, SHORT, Create, Entry, Journal

PARENT = "projects/acme/locations/us-central1"
GOOGLE = "us-central1-aiplatform.googleapis.com"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    body = {"displayName": "digits"}
    first = Create("a" * 16, GOOGLE, PARENT, "customJobs", body, SHORT, "", "no machines")
    second = Create("b" * 16, GOOGLE, PARENT, "customJobs", body, CREATED, f"{PARENT}/customJobs/7")
    Journal(tmp_path / "state").write(Entry((first, second), 1e9))
    return tmp_path / "state"


def shown(state: Path, *words: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(["journal", "--state-dir", str(state), *words])
    return out.getvalue(), err.getvalue()


def test_each_create_is_a_line(state: Path) -> None:
    lines = [" ".join(line.split()[-5:]) for line in shown(state)[0].splitlines()[1:]]
    assert lines == ["acme, us-central1 short no machines", "vertex, acme, us-central1 created 7"]


def test_json_has_the_whole_requests(state: Path) -> None:
    (entry,) = json.loads(shown(state, "--format", "json")[0])
    assert (entry["changed"], entry["creates"][1]["body"]) == (
        "2001-09-09T01:46:40Z",
        {"displayName": "digits"},
    )


def test_csv_has_a_row_for_each_create(state: Path) -> None:
    assert len(shown(state, "--format", "csv")[0].splitlines()) == 3


def test_nothing_submitted_is_said(tmp_path: Path) -> None:
    assert shown(tmp_path / "none")[1] == f"nothing was submitted with {tmp_path / 'none'}\n"
