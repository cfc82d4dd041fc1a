"""Wrong words: refused with exit code 2 and the nearest right one. Help: at once, and complete."""

import subprocess
import sys
from pathlib import Path

import pytest

from vertex_jobs.cli import verbs
from vertex_jobs.cli.verbs import SUMMARIES


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["lst"], "there is no verb lst; did you mean list?"),
        (["--on", "vertex", "list"], "there is no option --on"),
        (["run", "x.yaml", "--sed", "3"], "there is no --sed; did you mean --seed?"),
        (["run", "x.yaml", "--dry"], "there is no --dry; did you mean --dry-run?"),
        (["list", "--format", "jsn"], "did you mean json?"),
        (["list", "--on", "vertx"], "did you mean vertex?"),
        (["run"], "arguments are required: CONFIG"),
        (["run", "x.yaml", "--seed", "-1"], "'-1' is not a whole number of 0 or more"),
        (["best", "a", "b"], "one word too many: b"),
        (["best", "a", "--retrain", "--download", "d"], "is nothing that --retrain does"),
        (["best", "a", "--continue", "--register"], "is nothing that --continue does"),
        (["best", "a", "--retrain", "--format", "json"], "drop it: the config is YAML"),
        (["best", "a", "--serving-image", "i"], "add --register"),
        (["best", "a", "--download", "d", "--config", "c"], "add --retrain or --continue"),
        (["emulate", "python", "x.py"], "write -- before the command: -- python x.py"),
        (["emulate", "--"], "there is no command after --"),
        (["emulate", "--", "no-such-program"], "'no-such-program'\n      is no command"),
        (["emulate", "--print-env", "--", "true"], "prints variables for a shell"),
        (["list", "--api-endpoint", "h"], "add --on vertex"),
        (["run", "x.yaml", "--staging-bucket", "mine"], "did you mean gs://mine?"),
        (["run", "x.yaml", "--staging-bucket", "gs://b"], "is not a Cloud Storage URI"),
    ],
)
def test_wrong_words_are_refused_with_a_hint(command, words, answer):
    done = command(*words)
    assert (done.code, done.out, answer in done.err) == (2, "", True), done.err


def test_every_wrong_flag_is_named_at_once(command):
    err = command("run", "x.yaml", "--detatch", "--onse").err
    assert [word in err for word in ("--detach?", "--once?")] == [True, True]


def test_every_option_that_best_would_ignore_is_named_at_once(command):
    words = (
        "--retrain",
        "--register",
        "--download",
        "d",
        "--serving-image",
        "i",
        "--format",
        "csv",
    )
    done = command("best", "a", *words)
    assert (done.code, done.out, "command line: 3 faults" in done.err) == (2, "", True), done.err
    done = command("best", "a", "--trial", "3", "--serving-image", "i", "--config", "c")
    assert (done.code, "command line: 3 faults" in done.err) == (2, True), done.err


def test_the_file_of_a_verb_is_its_name():
    files = Path(verbs.__file__).parent.glob("[!_]*.py")
    assert {path.stem for path in files} == set(SUMMARIES)


def test_help_lists_every_verb(command):
    out = command("--help").out
    assert [verb for verb in SUMMARIES if f"\n  {verb} " not in out] == []


@pytest.mark.parametrize("verb", SUMMARIES)
def test_help_of_a_verb_has_its_examples(command, verb):
    done = command(verb, "--help")
    assert (done.code, "examples:\n  vertex-jobs " + verb in done.out) == (0, True)


@pytest.mark.parametrize("verb", [None, *SUMMARIES])
def test_help_fits_a_narrow_screen_but_for_lines_to_copy(command, monkeypatch, verb):
    monkeypatch.setenv("COLUMNS", "80")
    out = command(*filter(None, [verb]), "--help").out
    wide = [line for line in out.splitlines() if len(line) > 80]
    assert [line for line in wide if not line.startswith("  vertex-jobs ")] == []


def test_no_words_at_all_give_the_overview_as_an_error(command):
    done = command()
    assert (done.code, done.out, done.err.startswith("usage:")) == (2, "", True)


# Not google itself: installed distributions make that empty namespace when Python starts.
HEAVY = ("google.api_core", "google.auth", "google.protobuf", "grpc", "numpy", "pandas")


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["--help"], (*HEAVY, "pydantic", "rich")),
        (["run", "--help"], (*HEAVY, "pydantic", "rich")),
        (["show", "CONFIG"], (*HEAVY, "rich")),
        (["run", "CONFIG", "--dry-run"], (*HEAVY, "rich")),
    ],
)
def test_what_is_not_needed_is_not_imported(config, words, heavy):
    words = [str(config) if word == "CONFIG" else word for word in words]
    program = (
        "import sys; from vertex_jobs.cli import main; code = main(sys.argv[1:]);"
        f"print('loaded', code, [name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded 0 []"
