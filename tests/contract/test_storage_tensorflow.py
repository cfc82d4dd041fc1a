"""The storage service through TensorFlow's own ``gs://``, and TensorBoard on what it wrote.

TensorFlow knows no other address than Google's: only the environment leads it here.
"""

import json
import os
import subprocess
import sys
import urllib.request

import pytest
import tensorflow_checks
from google.cloud import storage

from vertex_jobs.endpoints import Endpoint, google_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.local_only, pytest.mark.timeout(240)]
pytest.importorskip("tensorflow", reason="the extra 'train' is not installed")

#: The whole child takes a quarter of a minute; a hang, which is what a fault looks like, is cut.
_PATIENCE_SECONDS = 200


@pytest.fixture(scope="module")
def environment(local_vertex: Endpoint) -> dict[str, str]:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""}
    return {**os.environ, **google_environment(local_vertex.server), **quiet}


@pytest.fixture(scope="module")
def faults(environment: dict[str, str], bucket: storage.Bucket) -> dict[str, str]:
    """The fault of each check, empty for none; all of them in one child."""
    done = subprocess.run(
        [sys.executable, tensorflow_checks.__file__, f"gs://{bucket.name}/tensorflow"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["check"]: line["fault"] for line in lines}


@pytest.mark.parametrize("name", tensorflow_checks.CHECKS)
def test_tensorflow(faults: dict[str, str], name: str) -> None:
    assert faults[name] == ""


def test_tensorboard_shows_what_the_callback_wrote(
    faults: dict[str, str], environment: dict[str, str], bucket: storage.Bucket
) -> None:
    logs = f"gs://{bucket.name}/tensorflow/tensorboard_callback/logs"
    words = [sys.executable, "-m", "vertex_jobs.cli.tensorboard_server", logs, "0"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as board:
        assert board.stdout is not None
        try:
            url = board.stdout.readline().split()[-1]
            runs: dict[str, list[str]] = {}
            while "train" not in runs:  # it loads in the background; the module's limit ends this
                with urllib.request.urlopen(f"{url}data/plugin/scalars/tags") as answer:
                    runs = json.load(answer)
        finally:
            board.terminate()
    assert "epoch_loss" in runs["train"]
