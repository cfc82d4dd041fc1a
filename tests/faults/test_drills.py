"""``run --drill``: verdict and exit code, of jobs that come back and of jobs that do not."""

import contextlib
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs.cli import main
from vertex_jobs.cli.options import add_options
from vertex_jobs.cli.parser import Parser
from vertex_jobs.cli.shared_options import LocalOptions
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.spec import from_mapping
from vertex_jobs.spec.drills import DRILLS
from vertex_jobs.spec.local import LocalSettings

#: Writes a checkpoint and never reads one; a marker elsewhere lets its second start end.
STARTS_AFRESH = """
if not os.path.exists(sys.argv[1]):
    open(sys.argv[1], "w").close()
    checkpoint("PUT", b"7")
    time.sleep(600)
"""
#: The chief outlives the second start of its worker.
IN_COMPANY = """
import json
task = json.loads(os.environ["CLUSTER_SPEC"])["task"]["type"]
if task in ("chief", "workerpool0"):
    while not os.path.exists(sys.argv[1] + ".again"):
        time.sleep(0.01)
elif os.path.exists(sys.argv[1]):
    open(sys.argv[1] + ".again", "w").close()
    time.sleep(600)
else:
    open(sys.argv[1], "w").close()
    checkpoint("PUT", b"7")
    time.sleep(600)
"""
CARRIES_ON = """
if checkpoint("GET") is None:
    checkpoint("PUT", b"7")
    time.sleep(600)
"""

Drill = Callable[..., tuple[int, str]]


@pytest.fixture
def drill(local_vertex: Endpoint, script: Path, tmp_path: Path) -> Drill:
    """Runs a program under a drill; answers the exit code and what was said."""
    setup = script.read_text().partition("import argparse")[0]

    def run(name: str, program: str, *words: str, settings: str = "") -> tuple[int, str]:
        (tmp_path / "train.py").write_text(setup + program)
        config = tmp_path / "job.yaml"
        config.write_text(
            "kind: custom_job\ndisplay_name: drilled\nscript_path: train.py\n"
            f"machine_type: n1-standard-4\n{settings}"
        )
        said = io.StringIO()
        state = str(local_vertex.connection.state_directory)
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = main(["run", str(config), "--drill", name, "--state-dir", state, *words])
        return code, said.getvalue()

    return run


@pytest.mark.parametrize("name", ["preempt", "kill-worker"])
def test_a_job_that_finds_its_checkpoint_comes_back(drill: Drill, name: str) -> None:
    code, said = drill(name, CARRIES_ON)
    assert ("came back: the job ended as SUCCEEDED all the same" in said, code) == (True, 0), said


def test_the_checkpoint_that_it_went_on_from_is_named(drill: Drill) -> None:
    _, said = drill("preempt", CARRIES_ON)
    (line,) = [line for line in said.splitlines() if "it went on from" in line]
    assert line.startswith("  1 restart; it went on from gs://local-staging/")


def test_a_job_that_begins_again_is_told_so(drill: Drill, tmp_path: Path) -> None:
    code, said = drill("kill-worker", STARTS_AFRESH, "--set", f"args=['{tmp_path}/marker']")
    scratch = "1 restart; no checkpoint was read after it: the work began again from scratch"
    assert (scratch in said, code) == (True, 0), said


def test_a_job_that_ended_before_anything_happened_was_not_rehearsed(drill: Drill) -> None:
    code, said = drill("preempt", "print('done')\n")
    assert ("did not come back, because nothing happened" in said, code) == (True, 1), said


def test_a_worker_is_killed_where_there_is_one(drill: Drill, tmp_path: Path) -> None:
    settings = f"replica_count: 2\nargs: ['{tmp_path}/marker']\n"
    code, said = drill("kill-worker", IN_COMPANY, settings=settings)
    assert ("  kill: workerpool1-0" in said, code) == (True, 0), said


def test_a_job_without_memory_does_not_come_back(drill: Drill) -> None:
    code, said = drill("oom", CARRIES_ON)
    remedy = "Vertex AI does not restart a program that ran out of memory"
    assert ("did not come back: the job ended as FAILED" in said, remedy in said, code) == (
        True,
        True,
        1,
    )


def test_a_job_comes_through_faults_of_the_apis(drill: Drill) -> None:
    code, said = drill("api-faults", "time.sleep(1)\n")
    assert ("  drop_after: JobService.CreateCustomJob" in said, code) == (True, 0), said


def test_nothing_of_a_drill_is_left(drill: Drill, local_vertex: Endpoint) -> None:
    drill("api-faults", "")
    nobody = "projects/p/locations/l/customJobs/0"
    before = local_vertex.server.incidents(nobody)
    local_vertex.jobs()
    assert local_vertex.server.incidents(nobody) == before


@pytest.mark.parametrize("words", [("--detach",), ("--once",), ("--on", "vertex")])
def test_what_cannot_be_judged_is_refused(drill: Drill, words: tuple[str, ...]) -> None:
    code, said = drill("preempt", "", *words)
    assert (code, "--drill" in said or "does not go with --drill" in said) == (2, True)


def test_an_unknown_drill_is_refused(drill: Drill) -> None:
    code, said = drill("preemption", "")
    assert (code, "did you mean 'preempt'?" in said) == (2, True), said


@pytest.mark.parametrize("name", DRILLS)
def test_every_drill_is_made_of_faults_that_exist(name: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    written = {
        "kind": "custom_job",
        "display_name": "x",
        "script_path": "train.py",
        "machine_type": "n1-standard-4",
    }
    job = from_mapping(written, source="test", base_directory=tmp_path)
    drill = DRILLS[name]
    assert LocalSettings(faults=[*drill.standing, *drill.replica_faults(job)]).faults


def test_the_help_names_every_drill() -> None:
    parser = Parser("run", "", "")
    add_options(parser, LocalOptions)
    text = " ".join(parser.format_help().split())
    assert "preempt, kill-worker, oom, api-faults, quota or stockout" in text
    assert list(DRILLS) == ["preempt", "kill-worker", "oom", "api-faults", "quota", "stockout"]
