"""Local Vertex for other programs: their environment, their exit codes, the server's life."""

import shlex
import signal
import subprocess
import sys

LISTING = """\
from google.cloud import aiplatform

aiplatform.init(location="us-central1")
print([job.display_name for job in aiplatform.CustomJob.list()])
"""
#: Runs until the file is there, whichever attempt that is.
WAITING = """\
import pathlib, sys, time
while not pathlib.Path({path!r}).exists():
    time.sleep(0.02)
"""


def test_unmodified_sdk_sees_the_jobs(command, config):
    assert command("run", config("seen", "pass\n")).code == 0
    done = command.finish("emulate", "--", sys.executable, "-c", LISTING)
    assert (done.code, done.out) == (0, "['seen']\n"), done.err


def test_failed_jobs_are_named_at_the_end(command, config):
    path = config("broken", "raise SystemExit(3)")
    words = [sys.executable, "-m", "vertex_jobs", "run", str(path)]
    done = command.finish("emulate", "--", *words, "--project", "acme-ml")
    (line,) = [line for line in done.err.splitlines() if line.startswith("failed: ")]
    shown = command.finish(*shlex.split(line.removeprefix("failed: vertex-jobs ")))
    assert "Job failed." in shown.out


def test_exit_code_is_that_of_the_command(command):
    assert command.finish("emulate", "--", "sh", "-c", "exit 7").code == 7


def test_command_killed_by_a_signal_ends_as_in_a_shell(command):
    assert command.finish("emulate", "--", "sh", "-c", "kill -KILL $$").code == 128 + 9


def test_signal_reaches_the_command(command):
    script = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.02; done"
    with command.process("emulate", "--", "sh", "-c", script) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 5


def test_server_that_was_there_before_is_left(command):
    command("list")
    command.finish("emulate", "--", "true")
    assert command.record.pid


def test_variables_hold_for_the_life_of_the_shell(command):
    line = f"{sys.executable} -m vertex_jobs emulate --print-env --state-dir {command.state}"
    script = f'eval "$({line})"; echo $STORAGE_EMULATOR_HOST $VERTEX_JOBS_STATE_DIR'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [command.record.url, str(command.state)]


def test_server_ends_with_emulate_and_its_jobs_go_on_later(fresh_command, config, tmp_path):
    go = tmp_path / "go"
    path = config("waiting", WAITING.format(path=str(go)))
    inner = (sys.executable, "-m", "vertex_jobs", "run", str(path), "--detach")
    done = fresh_command.finish("emulate", "--", *inner)
    name = done.out.strip()
    assert (done.code, fresh_command.record.pid) == (0, 0), done.err
    assert f"stopped 1 job that still ran:\n  {name}\n" in done.err
    go.touch()
    watched = fresh_command("watch", name)
    assert (watched.code, watched.err.startswith("going on with 1 interrupted job: ")) == (0, True)


def test_interrupt_ends_a_server_that_only_serves(fresh_command):
    with fresh_command.process("emulate") as process:
        answer = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert (process.wait(), answer.startswith("Local Vertex answers on http://127.0.0.1:")) == (
            0,
            True,
        )
    assert fresh_command.record.pid == 0


def test_same_config_runs_on_vertex_through_the_emulator(command, config):
    path = config("on-vertex", "print('hello')\n")
    inner = (sys.executable, "-m", "vertex_jobs", "run", str(path), "--on", "vertex")
    bucket = ("--staging-bucket", "gs://my-bucket")
    done = command.finish("emulate", "--", *inner, *bucket, "--yes")
    assert done.code == 0, done.err
    assert "worst case: 1 machine x 168 h (timeout)" in done.err
    assert "https://console.cloud.google.com/" in done.err


STOCKOUT = "local:\n  faults:\n    - {replica: workerpool0-0, fault: stockout}\n"


def test_settings_hold_for_jobs_of_programs_that_bring_none(command, config, tmp_path):
    settings = tmp_path / "settings.yaml"
    settings.write_text(STOCKOUT)
    inner = (sys.executable, "-m", "vertex_jobs", "run", str(config("short", "print('hello')\n")))
    words = ("--on", "vertex", "--staging-bucket", "gs://my-bucket", "--yes")
    short = command.finish("emulate", "--settings", settings, "--", *inner, *words)
    after = command.finish("emulate", "--", *inner, *words)
    assert (short.code, "stockout" in short.err.lower(), after.code) == (1, True, 0), short.err


def test_faults_of_settings_are_told_at_once(command, tmp_path):
    path = tmp_path / "settings.yaml"
    path.write_text("local: {sed: 1, pace: slow}\n")
    done = command.finish("emulate", "--settings", path, "--", "true")
    assert (done.code, done.out) == (2, "")
    assert [word in done.err for word in ("local.sed", "local.pace", f"({path}:1)")] == [True] * 3


def test_nobody_to_ask_is_a_refusal(command, config):
    inner = (sys.executable, "-m", "vertex_jobs", "run", str(config("unasked", "pass\n")))
    words = ("--on", "vertex", "--staging-bucket", "gs://my-bucket")
    done = command.finish("emulate", "--", *inner, *words)
    assert (done.code, "add --yes to submit; nothing was submitted" in done.err) == (2, True)
    assert command("describe", "unasked").code == 3


def test_vertex_without_credentials_says_how_to_sign_in(command, config, tmp_path, monkeypatch):
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    path = config("unsigned", "pass\n")
    words = ("run", path, "--on", "vertex", "--staging-bucket", "gs://my-bucket", "--yes")
    nowhere = {"HOME": str(tmp_path), "NO_GCE_CHECK": "true", "CLOUDSDK_CONFIG": str(tmp_path)}
    done = command.finish(*words, **nowhere)
    assert (done.code, "gcloud auth application-default login" in done.err) == (2, True)
