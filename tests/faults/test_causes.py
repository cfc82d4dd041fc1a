"""A failure shows its cause first: replica, last lines, and what helps; real jobs that fail."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import JobFailedError
from vertex_jobs.spec import CustomJob

MakeJob = Callable[..., CustomJob]

PROGRAMS = {
    "import nosuch": ("No module named 'nosuch'", "The package does not bring that module"),
    "open('/dev/full', 'w').write('x' * 10**6)": ("No space left", "The boot disk is full"),
    "raise MemoryError('7 TiB')": ("MemoryError: 7 TiB", "Choose a machine type with more memory"),
    "import argparse; argparse.ArgumentParser().parse_args(['--lr=1'])": (
        "unrecognized arguments: --lr=1",
        "Exit status 2 is argparse's",
    ),
    "raise ValueError('mine')": ("ValueError: mine", "The training code failed"),
}


def failure(endpoint: Endpoint, job: CustomJob) -> JobFailedError:
    error = endpoint.submit(job, check=False).exception(timeout=60)
    assert error is not None
    return error


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_programs_end_is_explained_by_its_last_lines(
    local_vertex: Endpoint, make_job: MakeJob, tmp_path: Path, program: str
) -> None:
    (tmp_path / "train.py").write_text(f"{program}\n")
    error = failure(local_vertex, make_job(script_path=str(tmp_path / "train.py")))
    line, remedy = PROGRAMS[program]
    assert error.replica == "workerpool0-0"
    assert any(line in each for each in error.last_lines), error.last_lines
    assert error.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        ("stockout", "The location has run out of this hardware"),
        ("out_of_memory", "Choose a machine type with more memory"),
    ],
)
def test_what_befalls_a_replica_is_explained_by_the_service(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer, fault: str, remedy: str
) -> None:
    server.inject([{"replica": "*", "fault": fault}])
    assert failure(local_vertex, make_job("wait")).remedy.startswith(remedy)


def test_a_timeout_is_explained(local_vertex: Endpoint, make_job: MakeJob) -> None:
    with pytest.raises(JobFailedError, match="cancelled at its time limit") as caught:
        local_vertex.submit(make_job("wait", timeout=1)).result(timeout=60)
    assert caught.value.remedy.startswith("Give the job a longer timeout")
