"""Studies that are interrupted in good order: no trial is lost, none counts as failed."""

import os
from pathlib import Path
from typing import Any

import pytest
from waits import wait_for

from vertex_jobs.client import JobHandle
from vertex_jobs.emulator.joining import join
from vertex_jobs.endpoints import Endpoint, local
from vertex_jobs.spec import HyperparameterTuningJob

#: Reports one step, waits for the file that its first word names, reports another.
PROGRAM = """
import argparse, os, time
from vertex_jobs.runtime import metrics
parser = argparse.ArgumentParser()
parser.add_argument("gate")
parser.add_argument("--x", type=float)
options = parser.parse_args()
x = options.x
metrics.report("score", x, 1)
print("reported", flush=True)
while not os.path.exists(options.gate):
    time.sleep(0.01)
metrics.report("score", x, 2)
"""


def study(tmp_path: Path) -> HyperparameterTuningJob:
    (tmp_path / "train.py").write_text(PROGRAM)
    return HyperparameterTuningJob(
        display_name="interrupted",
        script_path=str(tmp_path / "train.py"),
        machine_type="n1-standard-4",
        args=[str(tmp_path / "go")],
        metric_spec={"score": "maximize"},
        parameter_spec={"x": {"type": "double", "min": 0, "max": 1}},
        search_algorithm="random",
        max_trial_count=3,
        parallel_trial_count=2,
    )


def measured(handle: JobHandle) -> bool:
    return sum(bool(trial.measurements) for trial in handle.trials) == 2


def ends(handle: JobHandle) -> list[tuple[str, list[int]]]:
    trials: Any = handle.result(timeout=60)
    return [(one.state, [step.step for step in one.measurements]) for one in trials.trials]


def test_trials_run_again_when_the_server_was_stopped(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with local(state_dir=state) as endpoint:
        handle = endpoint.submit(study(tmp_path))
        wait_for(lambda: measured(handle))
        endpoint.server.stop()
    (tmp_path / "go").touch()
    server = join(state)
    server.hold(os.getpid())
    server.resume()
    with local(state_dir=state) as endpoint:
        ended = ends(endpoint.job(handle.name))
    server.stop()
    assert ended == [("SUCCEEDED", [1, 2])] * 3


@pytest.mark.usefixtures("server")
def test_trials_run_again_when_the_study_was_paused(local_vertex: Endpoint, tmp_path: Path) -> None:
    handle = local_vertex.submit(study(tmp_path))
    wait_for(lambda: measured(handle))
    local_vertex.server.end(handle.name, "JOB_STATE_PAUSED")
    (tmp_path / "go").touch()
    local_vertex.server.step(handle.name)
    assert ends(local_vertex.job(handle.name)) == [("SUCCEEDED", [1, 2])] * 3
