"""The command line before a Local Vertex of its own, and a study for it."""

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass

from vertex_jobs.cli import main
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.emulator.state_directory import StateDirectory

#: Enough for a loaded machine; a test that needs it has failed.
PATIENCE_SECONDS = 120
STUDY_SCRIPT = """\
import argparse

import hypertune

parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
options = parser.parse_args()
if options.x > 0.9:
    raise SystemExit("too far")
reporter = hypertune.HyperTune()
for step in (1, 2):
    score = step - (options.x - 0.25) ** 2
    reporter.report_hyperparameter_tuning_metric("score", score, step)
"""
STUDY_FIELDS = {
    "kind": "hyperparameter_tuning_job",
    "metric_spec": "{score: maximize}",
    "parameter_spec": "{x: {type: discrete, values: [0, 0.25, 1]}}",
    "search_algorithm": "grid",
    "max_trial_count": 3,
    "parallel_trial_count": 1,
    "max_failed_trial_count": 3,
}


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


class CommandLine:
    """``vertex-jobs`` on one state directory."""

    def __init__(self, state):
        self.state = state

    def __call__(self, *words):
        """Run one command in this process."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(self._with_state(words))
        return Done(code, out.getvalue(), err.getvalue())

    @contextlib.contextmanager
    def process(self, *words, **variables):
        """Run one command as a process of its own, which is killed if it outlives the block."""
        with subprocess.Popen(
            [sys.executable, "-m", "vertex_jobs", *self._with_state(words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | variables,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def finish(self, *words, **variables):
        """Run one command as a process of its own to its end."""
        with self.process(*words, **variables) as process:
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        return Done(process.returncode, out, err)

    @property
    def record(self):
        """Where the server answers; its pid is 0 when it has ended in order."""
        return StateDirectory(self.state).read_endpoint()

    def stop(self):
        """End the server, if one runs."""
        record = self.record
        if record is None or not record.pid:
            return
        server = LocalServer(StateDirectory(self.state), record, started=_is_child(record.pid))
        if server.runs():
            server.stop()

    def _with_state(self, words):
        words = [str(word) for word in words]
        if words[0] == "show" and "--diff" not in words:  # contacts nothing, so it has no state
            return words
        at = words.index("--") if "--" in words else len(words)
        return [*words[:at], "--state-dir", str(self.state), *words[at:]]


def _is_child(pid):
    try:
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False
