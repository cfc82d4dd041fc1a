"""SIGKILL the server in the middle of a study: nothing lost, nothing counted twice, no orphan."""

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

from vertex_jobs import DoubleParameterSpec, HyperparameterTuningJob, local
from vertex_jobs.client import JobHandle
from vertex_jobs.endpoints import Endpoint

SCRIPT = """
import argparse, time
import hypertune

parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
options = parser.parse_args()
tune = hypertune.HyperTune()
tune.report_hyperparameter_tuning_metric("score", options.x, 1)
time.sleep(0.15)
tune.report_hyperparameter_tuning_metric("score", 2 * options.x, 2)
"""


def study_of(folder: Path, trials: int) -> HyperparameterTuningJob:
    script = folder / "score.py"
    script.write_text(SCRIPT)
    return HyperparameterTuningJob(
        display_name="durable",
        script_path=str(script),
        metric_spec={"score": "maximize"},
        parameter_spec={"x": DoubleParameterSpec(min=0, max=1)},
        search_algorithm="random",
        max_trial_count=trials,
        parallel_trial_count=4,
    )


def finished(handle: JobHandle) -> int:
    return handle.refresh().trial_counts.get("SUCCEEDED", 0)


def processes_of(state_dir: Path) -> list[str]:
    """Command lines of the processes that work for the state directory."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            text = path.read_bytes() + path.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if str(state_dir).encode() in text and int(path.parent.name) != os.getpid():
            found.append(path.with_name("cmdline").read_bytes().decode(errors="replace"))
    return found


def kill(endpoint: Endpoint) -> None:
    pid = endpoint.server.record.pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def wait_until_empty(state_dir: Path) -> list[str]:
    """What is left after a bounded while; the kernel ends the killed processes by itself."""
    deadline = time.monotonic() + 20
    while (left := processes_of(state_dir)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def child(server: int, module: str) -> int:
    """The server's process that runs that module; waited for while it is started again."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for pid in Path(f"/proc/{server}/task/{server}/children").read_text().split():
            with contextlib.suppress(OSError):  # it ended meanwhile
                if f"vertex_jobs.{module}".encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return int(pid)
        time.sleep(0.01)
    raise AssertionError(f"the server has no process that runs {module}")


@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.extended)])
def test_a_study_survives_kills(tmp_path: Path, kills: int) -> None:
    state, trials = tmp_path / "state", 8 * kills
    endpoint = local(state_dir=state)
    name = endpoint.submit(study_of(tmp_path, trials), seed=0).name
    for number in range(1, kills + 1):
        deadline = time.monotonic() + 60
        while finished(endpoint.job(name)) < number * trials // (kills + 1):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        kill(endpoint)
        assert wait_until_empty(state) == []
        endpoint = local(state_dir=state)
        assert endpoint.server.resume() == [name]
    study = endpoint.job(name).result(timeout=120)
    endpoint.server.stop()
    found = [
        (trial.id, trial.state, trial.metrics["score"] == 2 * trial.parameters["x"])
        for trial in study.trials
    ]
    assert found == [(str(number), "SUCCEEDED", True) for number in range(1, trials + 1)]


def test_nothing_survives_the_server(tmp_path: Path) -> None:
    state = tmp_path / "state"
    endpoint = local(state_dir=state)
    handle = endpoint.submit(study_of(tmp_path, 8))
    while not finished(handle):
        time.sleep(0.01)
    kill(endpoint)
    assert wait_until_empty(state) == []


def test_a_study_survives_the_loss_of_its_search(tmp_path: Path) -> None:
    """The search process is one for all studies; whoever kills it must not end them."""
    state = tmp_path / "state"
    endpoint = local(state_dir=state)
    handle = endpoint.submit(study_of(tmp_path, 12), seed=0)
    server = endpoint.server.record.pid
    for number in (2, 6):
        while finished(handle) < number:
            time.sleep(0.01)
        os.kill(child(server, "emulator.study_search.search_process"), signal.SIGKILL)
    study = handle.result(timeout=120)
    endpoint.server.stop()
    assert [trial.state for trial in study.trials] == ["SUCCEEDED"] * 12
    assert len({trial.parameters["x"] for trial in study.trials}) == 12


def test_a_study_survives_the_loss_of_its_launcher(tmp_path: Path) -> None:
    """Its trials' machines are lost, no more; and jobs that come later have a launcher too."""
    state, trials = tmp_path / "state", 12
    endpoint = local(state_dir=state)
    handle = endpoint.submit(study_of(tmp_path, trials), seed=0)
    assert endpoint.server is not None
    server = endpoint.server.record.pid
    for number in (1, 4, 8):
        while finished(handle) < number:
            time.sleep(0.01)
        os.kill(child(server, "emulator.launcher"), signal.SIGKILL)
    study = handle.result(timeout=120)
    later = endpoint.submit(study_of(tmp_path, 4)).result(timeout=60)
    endpoint.server.stop()
    found = [
        (trial.id, trial.state, trial.metrics["score"] == 2 * trial.parameters["x"])
        for trial in study.trials
    ]
    assert found == [(str(number), "SUCCEEDED", True) for number in range(1, trials + 1)]
    assert [trial.state for trial in later.trials] == ["SUCCEEDED"] * 4
    assert wait_until_empty(state) == []
