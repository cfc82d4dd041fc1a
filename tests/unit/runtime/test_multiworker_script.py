"""``multiworker_fit.py`` on a user's own cluster: two processes, a TF_CONFIG without a chief.

Also run with the TensorFlow of the newest prebuilt image, by ``make test-image``.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import vertex_jobs

pytestmark = [pytest.mark.extended, pytest.mark.tensorflow]

ROOT = Path(vertex_jobs.__file__).parents[1]
SCRIPT = ROOT / "trial_scripts" / "multiworker_fit.py"


def run(folder: Path, configs: Sequence[str]) -> list[str]:
    """Run the script once for each TF_CONFIG, all at once; return the output of each."""
    processes = [
        subprocess.Popen(
            [sys.executable, str(SCRIPT), "--epochs=2", f"--output_dir={folder}"],
            env={
                "PATH": os.defpath,
                "PYTHONPATH": str(ROOT),
                "TF_CONFIG": config,
                "no_proxy": "127.0.0.1,localhost",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for config in configs
    ]
    try:
        printed = [process.communicate(timeout=200)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    for process, text in zip(processes, printed, strict=True):
        assert process.returncode == 0, text[-3000:]
    return printed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("own")


@pytest.fixture(scope="module")
def printed(folder: Path) -> list[str]:
    """Return the output of worker 0 and worker 1."""
    reserved = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    workers = [f"127.0.0.1:{one.getsockname()[1]}" for one in reserved]
    for one in reserved:
        one.close()
    cluster = {"worker": workers}
    return run(
        folder / "replicas",
        [
            json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
            for index in range(2)
        ],
    )


def result(text: str) -> tuple[int, float]:
    """Return the replicas, and the loss on held-back digits."""
    ((replicas, loss),) = re.findall(r"(\d+) replicas?, 2 epochs: loss (\S+),", text)
    return int(replicas), float(loss)


def test_two_processes_train_as_one_does(folder: Path, printed: list[str]) -> None:
    (alone,) = run(folder / "alone", [""])
    assert result(printed[0]) == (2, pytest.approx(result(alone)[1], abs=2e-6))


def test_worker_0_alone_speaks_and_saves(folder: Path, printed: list[str]) -> None:
    assert "epochs: loss" not in printed[1]
    assert (folder / "replicas" / "model" / "model.keras").exists()
