"""Programs that import TensorFlow run in a process of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest

_CLEARED = ("AIP_", "CLOUD_ML_", "CLUSTER_SPEC", "TF_CONFIG", "VERTEX_JOBS_")
# One thread after importing TensorFlow, so that a program may fork; and gRPC without a proxy.
_ADDED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "no_proxy": "127.0.0.1,localhost",
}


def _run_program(code: str, variables: Mapping[str, str]) -> Any:
    clean = {name: text for name, text in os.environ.items() if not name.startswith(_CLEARED)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, **_ADDED, **variables},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def run_program() -> Callable[[str, Mapping[str, str]], Any]:
    """Run Python code with more variables; return the JSON of its last line on stdout."""
    return _run_program
