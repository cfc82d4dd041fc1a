"""run --debug: one replica in the foreground, through a real terminal."""

import os
import pty
import subprocess
import sys

from command_line import PATIENCE_SECONDS, STUDY_FIELDS

from vertex_jobs import local

SCRIPT = """\
import argparse, json, os, sys
import hypertune
from vertex_jobs.runtime import environment

parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
parser.add_argument("--fail", action="store_true")
options = parser.parse_args()
job = environment.current()
hypertune.HyperTune().report_hyperparameter_tuning_metric("score", options.x, 3)
seen = {"x": options.x, "trial": job.trial_id, "chief": job.is_chief, "tty": sys.stdin.isatty()}
seen["model"] = job.read_from("").model_dir.split("/")[-3:]
print(json.dumps(seen))
if options.fail:
    secret_word = "found" + "it"
    raise ValueError("on purpose")
"""
WRITE = """\
import os
import fsspec
with fsspec.open(os.environ["AIP_MODEL_DIR"] + "model.txt", "w") as file:
    file.write("trained")
print("wrote", os.environ["AIP_MODEL_DIR"])
"""


def test_it_runs_the_first_trial_in_this_process_group(command, config):
    path = config("debug-trial", SCRIPT, **STUDY_FIELDS)
    done = command.finish("run", path, "--debug")
    seen = '{"x": 0.0, "trial": "1", "chief": true, "tty": false, "model": ["1", "model", ""]}'
    assert (done.code, seen in done.out, "it reported score 0 at step 3" in done.err) == (
        0,
        True,
        True,
    ), done.err


def test_the_first_initial_trial_is_the_one(command, config):
    fields = STUDY_FIELDS | {"local": "{initial_trials: [{x: 0.25}]}"}
    done = command.finish("run", config("debug-initial", SCRIPT, **fields), "--debug")
    assert '"x": 0.25' in done.out, done.err


def test_outputs_lie_in_local_vertex(command, config):
    done = command.finish("run", config("debug-output", WRITE), "--debug")
    wrote = done.out.splitlines()[0].removeprefix("wrote ")
    with local(state_dir=command.state) as endpoint:
        assert endpoint.outputs().read_text(f"{wrote}model.txt") == "trained", done.err


def test_a_failure_opens_the_debugger_on_the_spot(command, config):
    fields = STUDY_FIELDS | {"args": "[--fail]"}
    path = config("debug-failure", SCRIPT, **fields)
    code, seen = in_terminal(command, path, [(b"(Pdb) ", b"p secret_word\n"), (b"(Pdb) ", b"q\n")])
    assert (code, "ValueError: on purpose" in seen, "'foundit'" in seen) == (1, True, True), seen


def test_a_breakpoint_stops_there(command, config):
    path = config("debug-breakpoint", "word = 'here'\nbreakpoint()\nprint('went', 'on')\n")
    code, seen = in_terminal(command, path, [(b"(Pdb) ", b"p word\n"), (b"(Pdb) ", b"c\n")])
    assert (code, "'here'" in seen, "went on" in seen) == (0, True, True), seen


def test_options_of_a_job_are_refused(command, config):
    path = config("debug-options", "")
    done = command("run", path, "--debug", "--detach", "--environment", "isolated")
    assert (done.code, done.err.count("does not go with --debug")) == (2, 2)


def in_terminal(command, path, exchanges):
    """Run with a terminal; at each prompt type the answer. Exit code and all that was shown."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "vertex_jobs", "run", str(path), "--debug"]
    process = subprocess.Popen(
        [*words, "--state-dir", str(command.state)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        seen = b""
        for prompt, answer in exchanges:
            seen += read_until(ours, prompt)
            os.write(ours, answer)
        seen += read_until(ours, b"")
        return process.wait(PATIENCE_SECONDS), seen.decode()
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read_until(descriptor, prompt):
    """What is shown up to the prompt; without one, to the end."""
    seen = b""
    while not prompt or not seen.endswith(prompt):
        try:
            some = os.read(descriptor, 4096)
        except OSError:  # Linux answers so when the other side has closed
            break
        if not some:
            break
        seen += some
    return seen
