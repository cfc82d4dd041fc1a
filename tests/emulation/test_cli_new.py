"""new: what it writes passes check and runs, in an empty directory; and it overwrites nothing."""

import subprocess
import sys

import pytest

from vertex_jobs.spec import load


def new(folder, *words):
    return subprocess.run(
        [sys.executable, "-m", "vertex_jobs", "new", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.tensorflow
def test_what_it_writes_passes_check_and_finds_a_best_trial(command, tmp_path):
    made = new(tmp_path, "spirals")
    assert made.stdout.split() == ["spirals.py", "spirals.yaml"], made.stderr
    config = tmp_path / "spirals.yaml"
    checked = subprocess.run(
        [sys.executable, "-m", "vertex_jobs", "check", str(config)],
        capture_output=True,
        check=False,
    )
    few = ("--set", "max_trial_count=2", "--set", "args.epochs=2")
    done = command.finish("run", config, *few)
    assert (checked.returncode, done.code, "has the highest accuracy" in done.out) == (
        0,
        0,
        True,
    ), done.err


@pytest.mark.parametrize("kind", ["custom_job", "hyperparameter_tuning_job"])
def test_each_kind_is_a_valid_config_named_after_the_argument(tmp_path, kind):
    new(tmp_path, "spirals", "--kind", kind)
    job = load(tmp_path / "spirals.yaml")
    assert (job.kind, job.display_name, "NAME" in (tmp_path / "spirals.py").read_text()) == (
        kind,
        "spirals",
        False,
    )


def test_nothing_is_overwritten_and_nothing_is_half_written(tmp_path):
    (tmp_path / "train.yaml").write_text("mine")
    done = new(tmp_path)
    left = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert (done.returncode, left) == (2, {"train.yaml": "mine"}), done.stderr
    assert "train.yaml exist" in done.stderr


@pytest.mark.parametrize("name", ["../up", "a b", "1st", "über", "train.py"])
def test_a_name_that_is_no_script_is_refused(tmp_path, name):
    done = new(tmp_path, name)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
