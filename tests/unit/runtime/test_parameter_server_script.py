"""``parameter_server.py`` bare: a worker and two parameter servers within one process."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import vertex_jobs

ROOT = Path(vertex_jobs.__file__).parents[1]
SCRIPT = ROOT / "trial_scripts" / "parameter_server.py"


@pytest.mark.extended
@pytest.mark.tensorflow
def test_it_trains_on_one_core_with_its_table_in_halves(tmp_path: Path) -> None:
    core = str(min(os.sched_getaffinity(0)))
    done = subprocess.run(
        ["taskset", "-c", core, sys.executable, str(SCRIPT), "--epochs=1", "--output_dir=out"],
        env={"PATH": os.defpath, "PYTHONPATH": str(ROOT), "no_proxy": "127.0.0.1,localhost"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    halves = re.findall(r"part_\d:0 \((\d+), 8\) on /job:ps/replica:0/task:(\d)", done.stdout)
    assert sorted(halves) == [("10000", "0"), ("10000", "1")]
    assert "1 epochs: loss" in done.stdout
