"""The demo's script, run as one trial: its reports and its files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import vertex_jobs
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment

pytestmark = pytest.mark.tensorflow

ROOT = Path(vertex_jobs.__file__).parent.parent
SCRIPT = ROOT / "trial_scripts" / "digits_mlp.py"


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the base output directory of trial 3 after two epochs."""
    base = tmp_path_factory.mktemp("study")
    here = Environment(
        directories=Directories.under(str(base), "3"),
        trial_id="3",
        metric_file=str(base / "hypertune" / "output.metrics"),
    )
    subprocess.run(
        [sys.executable, str(SCRIPT), "--epochs=2", "--checkpoint_epochs=1", "--n_units=16.0"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)} | here.to_variables(),
        cwd=base,
        check=True,
        capture_output=True,
        timeout=120,
    )
    return base


def reports(trial: Path) -> list[dict[str, Any]]:
    text = (trial / "hypertune" / "output.metrics").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_it_reports_accuracy_after_every_epoch(trial: Path) -> None:
    assert [(line["trial"], line["global_step"]) for line in reports(trial)] == [
        ("3", "1"),
        ("3", "2"),
    ]


def test_accuracy_is_a_share(trial: Path) -> None:
    assert all(0.0 < float(line["accuracy"]) < 1.0 for line in reports(trial))


@pytest.mark.parametrize(
    "name",
    [
        "model/saved_model.pb",
        "model/model.keras",
        "checkpoints/checkpoint.keras",
        "logs/train",
        "logs/validation",
    ],
)
def test_it_leaves_behind(trial: Path, name: str) -> None:
    assert (trial / "3" / name).exists()


def test_it_is_short_enough_to_read_top_to_bottom() -> None:
    assert len(SCRIPT.read_text().splitlines()) < 150
