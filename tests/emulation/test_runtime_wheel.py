"""The wheel of package --runtime-only in an empty environment, as in an image of one's own."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from vertex_jobs.emulator.environments.installers import find_installer
from vertex_jobs.packaging import write_runtime_wheel
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.environment import Environment

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "custom-container.md"
SCRIPT = """
from dataclasses import dataclass
from vertex_jobs.runtime import arguments, environment, metrics

@dataclass
class Options:
    learning_rate: float = 0.1

options = arguments.parse(Options)
metrics.report("accuracy", options.learning_rate, 1)
print(environment.current().task_type, options.learning_rate)
"""


def repacked(name: str, folder: Path) -> None:
    """What is installed here under that name, as a wheel: no index is asked in a test."""
    distribution = importlib.metadata.distribution(name)
    folder.mkdir(exist_ok=True)
    wheel = f"{name.replace('-', '_')}-{distribution.version}-py3-none-any.whl"
    with zipfile.ZipFile(folder / wheel, "w") as archive:
        for path in distribution.files or ():
            if path.suffix != ".pyc" and ".." not in path.parts:
                archive.write(str(path.locate()), str(path))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with the wheel and its two requirements, and nothing else."""
    root = tmp_path_factory.mktemp("image")
    for name in ("argparse-dataclass", "cloudml-hypertune"):
        repacked(name, root / "house")
    wheel = write_runtime_wheel(root / "dist")
    installer, made = find_installer(os.environ), str(root / "venv" / "bin" / "python")
    offline = ("--no-index", "--find-links", str(root / "house"))
    for command in (
        installer.create(sys.executable, root / "venv"),
        installer.install(made, *offline, str(wheel)),
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return made


def run(python: str, folder: Path, *words: str, **variables: str) -> str:
    done = subprocess.run(
        [python, *words], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_script_runs_as_a_trial(python: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    trial = Environment(
        cluster=Cluster({"chief": ("h:1",)}), trial_id="3", metric_file=str(tmp_path / "reports")
    )
    out = run(python, tmp_path, "train.py", "--learning_rate=0.5", **trial.to_variables())
    reported = json.loads((tmp_path / "reports").read_text())
    assert (out, reported["accuracy"], reported["trial"]) == ("chief 0.5\n", "0.5", "3")


def test_nothing_but_the_runtime_is_there(python: str, tmp_path: Path) -> None:
    listing = "import importlib.metadata as m; print(sorted(d.name for d in m.distributions()))"
    names = [
        name
        for name in eval(run(python, tmp_path, "-c", listing))
        if name not in ("pip", "setuptools")
    ]
    assert names == ["argparse-dataclass", "cloudml-hypertune", "vertex-jobs-runtime"]


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    one, two = write_runtime_wheel(tmp_path / "a"), write_runtime_wheel(tmp_path / "b")
    assert one.read_bytes() == two.read_bytes()


def test_the_dockerfile_of_the_page_installs_the_wheel_that_is_written(tmp_path: Path) -> None:
    dockerfile = re.findall(r"```dockerfile\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
    assert dockerfile.count(write_runtime_wheel(tmp_path).name) == 2
