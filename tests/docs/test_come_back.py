"""The page about coming back: its commands and its Python run, in order, on one Local Vertex."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vertex_jobs.emulator.joining import join

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "come-back-to-a-job.md"
CONFIG = """\
kind: custom_job
display_name: nightly
script_path: train.py
machine_type: n1-standard-4
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    (tmp_path / "job.yaml").write_text(CONFIG)
    (tmp_path / "train.py").write_text("print('trained')\n")
    server = join(tmp_path / "state")
    server.hold(os.getpid())
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    yield {**os.environ, "PATH": commands, "VERTEX_JOBS_STATE_DIR": str(tmp_path / "state")}
    server.stop()


def test_the_page_runs(environment: dict[str, str], tmp_path: Path) -> None:
    programs = [["bash", "-e", "-c", text] for text in blocks("bash")]
    programs += [[sys.executable, "-c", text] for text in blocks("python")]
    done = [
        subprocess.run(
            program,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        for program in programs
    ]
    assert [each.returncode for each in done] == [0] * len(programs), [d.stderr for d in done]
    names = re.findall(r"^projects/\S+", "".join(each.stdout for each in done), re.MULTILINE)
    assert len(names) == 1
    once, python = done[1:]
    assert (names[0] in once.stderr, "trained" in python.stdout) == (True, True)
