"""The file of "Script and launcher in one file" launches itself and trains, on Local Vertex."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_readme import ROOT, blocks

from vertex_jobs.emulator.joining import join
from vertex_jobs.packaging import describe, verify, write
from vertex_jobs.spec import CustomJob

PAGE = ROOT / "docs" / "how-to" / "one-file.md"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "step_size.py"
    path.write_text(blocks(PAGE, "python")[0])
    return path


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    server = join(tmp_path / "state")
    server.hold(os.getpid())
    yield {**os.environ, "VERTEX_JOBS_STATE_DIR": str(tmp_path / "state")}
    server.stop()


def test_started_by_a_person_it_launches_and_started_by_the_service_it_trains(
    file: Path, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, str(file)], env=environment, capture_output=True, text=True, check=False
    )
    assert "has the lowest loss" in done.stdout, done.stderr


def test_the_proof_reaches_the_parser_and_not_the_launcher(file: Path, tmp_path: Path) -> None:
    job = CustomJob(display_name="x", script_path=str(file))
    assert "--step_size" in verify(write(describe(job), tmp_path / "dist")[-1]).output
