"""Who ends first decides: the documented ending rules, with real replicas."""

from pathlib import Path

import pytest

from vertex_jobs import CustomJob, UnsupportedHereError
from vertex_jobs.client import JobHandle
from vertex_jobs.emulator.state_directory import StateDirectory
from vertex_jobs.endpoints import Endpoint

#: Each role does as its option says.
SCRIPT = """
import argparse, json, os, signal, sys, time

parser = argparse.ArgumentParser()
for role in ("chief", "worker"):
    parser.add_argument(f"--{role}", default="exit 0")
options = parser.parse_args()
role = json.loads(os.environ.get("TF_CONFIG", '{"task": {"type": "chief"}}'))["task"]["type"]
action, _, number = getattr(options, role).partition(" ")
print(f"{role} started", flush=True)
if action == "exit":
    sys.exit(int(number))
if action == "abort":
    os.abort()
if action == "outlive":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if action == "fail":
    signal.signal(signal.SIGTERM, lambda *_: os._exit(int(number)))
time.sleep(600)
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replicas") / "train.py"
    path.write_text(SCRIPT)
    return path


def ended(endpoint: Endpoint, script: Path, replicas: int = 2, **roles: str) -> JobHandle:
    """Run a job to its end, whatever it is."""
    handle = endpoint.submit(
        CustomJob(display_name="ends", script_path=str(script), args=roles, replica_count=replicas)
    )
    handle.exception(timeout=120)
    return handle


def starts(handle: JobHandle, role: str) -> int:
    return [entry.text for entry in handle.logs()].count(f"{role} started")


def test_a_worker_that_fails_before_its_chief_ends_fails_the_job(
    local_vertex: Endpoint, script: Path
) -> None:
    handle = ended(local_vertex, script, chief="wait", worker="exit 3")
    assert handle.last_seen.error is not None
    code, message = handle.last_seen.error
    assert (handle.state, code, message.partition(" To find out more")[0]) == (
        "JOB_STATE_FAILED",
        3,
        "The replica workerpool1-0 exited with a non-zero status of 3.",
    )


def test_a_worker_that_fails_after_its_chiefs_exit_0_changes_nothing(
    local_vertex: Endpoint, script: Path
) -> None:
    handle = ended(local_vertex, script, chief="exit 0", worker="fail 3")
    assert handle.state == "JOB_STATE_SUCCEEDED"


def test_a_worker_that_would_outlive_its_chief_is_ended(
    local_vertex: Endpoint, script: Path
) -> None:
    handle = ended(local_vertex, script, chief="exit 0", worker="outlive")
    assert handle.state == "JOB_STATE_SUCCEEDED"


def test_sigabrt_is_tried_again_three_times(local_vertex: Endpoint, script: Path) -> None:
    handle = ended(local_vertex, script, replicas=1, chief="abort")
    assert (handle.state, starts(handle, "chief")) == ("JOB_STATE_FAILED", 4)


def test_exit_1_is_not_tried_again(local_vertex: Endpoint, script: Path) -> None:
    handle = ended(local_vertex, script, replicas=1, chief="exit 1")
    assert (handle.state, starts(handle, "chief")) == ("JOB_STATE_FAILED", 1)


def test_a_second_server_on_the_directory_refuses(local_vertex: Endpoint) -> None:
    directory = StateDirectory(local_vertex.server.directory.path)
    with pytest.raises(UnsupportedHereError, match="already has a server"), directory.hold():
        pass
