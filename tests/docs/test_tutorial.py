"""The pages for a first afternoon: their commands run, in order, in a folder of their own."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vertex_jobs.emulator.joining import join

ROOT = Path(__file__).parents[2]

#: Minutes where other work shares the cores: each command imports TensorFlow.
pytestmark = [pytest.mark.extended, pytest.mark.tensorflow, pytest.mark.timeout(600)]

Follow = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def follow(tmp_path: Path) -> Iterator[Follow]:
    """Does what a page says, in ``tmp_path``."""
    server = join(tmp_path / "state")
    server.hold(os.getpid())
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    state = {"VERTEX_JOBS_STATE_DIR": str(tmp_path / "state")}

    def run(page: str) -> "subprocess.CompletedProcess[str]":
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        script = "".join(re.findall(r"```bash\n(.*?)```", text, re.DOTALL))
        return subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=tmp_path,
            env={**os.environ, **state, "PATH": commands},
            capture_output=True,
            text=True,
            timeout=580,
            check=False,
        )

    yield run
    server.stop()


def test_the_tutorial_leads_to_a_trained_model(follow: Follow, tmp_path: Path) -> None:
    done = follow("tutorial.md")
    written = [(tmp_path / name).exists() for name in ("spirals-report.html", "best-model")]
    said = [
        text in done.stdout
        for text in ("did you mean '--epochs'?", "has the highest accuracy", "outputs: gs://")
    ]
    assert (done.returncode, *written, *said) == (0, *[True] * 5), done.stderr[-3000:]


def test_every_look_before_paying_passes(follow: Follow, tmp_path: Path) -> None:
    for folder in ("configs", "trial_scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    done = follow("how-to/check-before-you-pay.md")
    assert (done.returncode, "worst case" in done.stdout) == (0, True), done.stderr[-3000:]
