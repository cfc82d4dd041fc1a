"""``run --drill``: verdict and exit code, of jobs that come back and of jobs that do not."""

import contextlib
import io
import re
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
#: The first life of the first run is taken after its third step; what then follows is chosen.
COUNTS = """
import json

mode, marker = sys.argv[1:]
state = {"step": 0, "sum": 0.0}
saved = None if mode == "anew" else checkpoint("GET")
if saved is not None:
    state = json.loads(saved)
    state["step"] += {"skips": 4, "repeats": -3}.get(mode, 0)
    state["sum"] *= mode != "forgets"
while state["step"] < 9:
    state["step"] += 1
    state["sum"] += 1 / state["step"]
    print(f"step {state['step']}: loss {1 / state['sum']:.6f}", flush=True)
    checkpoint("PUT", json.dumps(state).encode())
    if state["step"] == 3 and not os.path.exists(marker):
        open(marker, "w").close()
        time.sleep(600)
"""
#: Reports as cloudml-hypertune does, and keeps its place in the same way.
STUDIED = """
import hypertune

marker = sys.argv[1]
reporter = hypertune.HyperTune()
step = int(checkpoint("GET") or 0)
while step < 5:
    step += 1
    checkpoint("PUT", str(step).encode())
    reporter.report_hyperparameter_tuning_metric("accuracy", 1 - 1 / step, step)
    if step == 1 and not os.path.exists(marker):
        open(marker, "w").close()
        time.sleep(600)
"""
STUDY = """
kind: hyperparameter_tuning_job
metric_spec: {accuracy: maximize}
parameter_spec: {rate: {type: double, min: 0.1, max: 1}}
max_trial_count: 1
parallel_trial_count: 1
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
            "display_name: drilled\nscript_path: train.py\nmachine_type: n1-standard-4\n"
            + (settings if "kind:" in settings else f"kind: custom_job\n{settings}")
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
    (line,) = [line for line in said.splitlines() if line.startswith("came back")]
    assert (line.partition(" gs://")[0], code) == ("came back: it read", 0)


@pytest.mark.parametrize(
    ("mode", "verdict", "exit_code"),
    [
        ("resumes", "came back: it read CHECKPOINT, written at step 3, and went on at step 4; ", 0),
        ("anew", "it ended, but began anew: 3 steps were lost", 4),
        ("skips", "it ended, but went on from the wrong step: it read CHECKPOINT, written ", 5),
        (
            "repeats",
            "it ended, but went on from the wrong step: it read CHECKPOINT, written at ",
            5,
        ),
        ("forgets", "it ended and went on, but came to another result: it read CHECKPOINT, ", 6),
    ],
)
def test_the_verdict(drill: Drill, tmp_path: Path, mode: str, verdict: str, exit_code: int) -> None:
    words = ("--set", f"args=['{mode}', '{tmp_path}/marker']")
    code, said = drill("preempt", COUNTS, *words)
    lines = [re.sub(r"gs://\S*checkpoints/last", "CHECKPOINT", one) for one in said.splitlines()]
    assert (any(line.startswith(verdict) for line in lines), code) == (True, exit_code), said


def test_the_result_is_that_of_an_undisturbed_run(drill: Drill, tmp_path: Path) -> None:
    _, said = drill("preempt", COUNTS, "--set", f"args=['resumes', '{tmp_path}/marker']")
    (line,) = [line for line in said.splitlines() if line.startswith("came back")]
    assert line.endswith("; loss 0.353486, in an undisturbed run 0.353486")


def test_another_result_is_that_of_two_undisturbed_runs(drill: Drill, tmp_path: Path) -> None:
    _, said = drill("preempt", COUNTS, "--set", f"args=['forgets', '{tmp_path}/marker']")
    (line,) = [line for line in said.splitlines() if line.startswith("it ended and went on")]
    assert line.endswith("; loss 1.00438, in two undisturbed runs 0.353486 and 0.353486")


def test_a_trial_is_judged_by_its_reports(drill: Drill, tmp_path: Path) -> None:
    settings = f"{STUDY}args: ['{tmp_path}/marker']\n"
    code, said = drill("preempt", STUDIED, settings=settings)
    (line,) = [line for line in said.splitlines() if line.startswith("trial 1: came back")]
    assert (line.partition("went on at ")[2], code) == (
        "step 2 of the reported metric; accuracy 0.8, in an undisturbed run 0.8",
        0,
    )


def test_a_job_that_begins_again_is_told_so(drill: Drill, tmp_path: Path) -> None:
    code, said = drill("kill-worker", STARTS_AFRESH, "--set", f"args=['{tmp_path}/marker']")
    scratch = "it ended, but began anew: it read no checkpoint; how many steps were lost is unknown"
    assert (scratch in said, code) == (True, 4), said


def test_a_job_that_ended_before_anything_happened_was_not_rehearsed(drill: Drill) -> None:
    code, said = drill("preempt", "print('done')\n")
    assert ("did not come back, because nothing happened" in said, code) == (True, 1), said


def test_a_worker_is_killed_where_there_is_one(drill: Drill, tmp_path: Path) -> None:
    settings = f"replica_count: 2\nargs: ['{tmp_path}/marker']\n"
    code, said = drill("kill-worker", IN_COMPANY, settings=settings)
    alone = "came back: the chief ran on, and the lost replica was replaced"
    assert ("  kill: workerpool1-0" in said, alone in said, code) == (True, True, 0), said


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
