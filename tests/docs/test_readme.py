"""What the pages show is what runs: README's example, every config, every YAML snippet."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from vertex_jobs.emulator.joining import join
from vertex_jobs.spec import from_mapping, load

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
#: What a snippet leaves out.
REST = {
    "kind": "custom_job",
    "display_name": "snippet",
    "script_path": "trial_scripts/digits_mlp.py",
    "replica_count": 2,
}


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


#: Its configs read a script of its own: see test_space_in_the_script.
WITH_A_SCRIPT = "space-in-the-script.md"
SNIPPETS = [
    pytest.param(text, id=f"{page.name}-{number}")
    for page in PAGES
    if page.name != WITH_A_SCRIPT
    for number, text in enumerate(blocks(page, "yaml"), start=1)
]


@pytest.mark.parametrize("text", SNIPPETS)
def test_a_yaml_snippet_is_a_valid_config(text: str, tmp_path: Path) -> None:
    form = yaml.safe_load(text)
    if "base" in form:
        base = ROOT / "configs" / form["base"]
        path = tmp_path / "snippet.yaml"
        path.write_text(text.replace(f"base: {form['base']}", f"base: {base}"))
        assert load(path).display_name == form["display_name"]
        return
    whole = form if "kind" in form else {**REST, **form}
    assert from_mapping(whole, source="snippet", base_directory=ROOT).kind == whole["kind"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One state directory for all, so that TensorFlow is imported once."""
    state = tmp_path_factory.mktemp("readme")
    server = join(state)
    server.hold(os.getpid())
    yield {**os.environ, "VERTEX_JOBS_STATE_DIR": str(state)}
    server.stop()


def run(environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=580, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.tensorflow
def test_the_python_example_finds_a_best_trial(environment: dict[str, str]) -> None:
    example = next(text for text in blocks(PAGES[0], "python") if "local()" in text)
    output = run(environment, sys.executable, "-c", example)
    assert "has the highest accuracy" in output


SCRIPTS = sorted((ROOT / "trial_scripts").glob("*.py"))
#: What the whole numbers of scripts count. A seed counts nothing, and a rate has no unit.
UNITS = (
    "devices|epochs|files|images|layers|MiB|models|operations|pairs|paragraphs|parts|passes"
    "|replicas|sequences|steps|texts|threads|trials|units|visits|width|widest"
)


#: Runs each script with --help in a child of one process that has imported TensorFlow.
ASK_ALL = """
import json, os, runpy, sys, tempfile
import tensorflow

answers = {}
for script in sys.argv[1:]:
    with tempfile.TemporaryFile("w+") as answer:
        child = os.fork()
        if child == 0:
            os.dup2(answer.fileno(), 1)
            sys.argv, sys.path[0] = [script, "--help"], os.path.dirname(script)
            runpy.run_path(script, run_name="__main__")
        assert os.waitpid(child, 0)[1] == 0, script
        answer.seek(0)
        answers[script] = answer.read()
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def helps(environment: dict[str, str]) -> dict[str, str]:
    """Every script's --help, by its path."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # so that it may fork
    wide = {**environment, **one_thread, "COLUMNS": "400"}
    answers = run(wide, sys.executable, "-c", ASK_ALL, *map(str, SCRIPTS))
    return dict(json.loads(answers.splitlines()[-1]))


def described_options(text: str) -> dict[str, tuple[str, str]]:
    """What stands for the value of each option, and what is said about it."""
    found = {}
    for entry in re.split(r"\n  (?=--)", text)[1:]:
        form, words = re.split(r"\s{2,}", entry.strip(), maxsplit=1)
        name, _, value = form.partition(",")[0].partition(" ")
        found[name] = (value, words)
    return found


@pytest.mark.tensorflow
@pytest.mark.timeout(600)  # the first of them asks all scripts, where other work shares the cores
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: one.stem)
def test_every_script_explains_its_options(helps: dict[str, str], script: Path) -> None:
    options = described_options(helps[str(script)])
    assert "--output_dir" in options
    silent = [name for name, (_, words) in options.items() if words.startswith("(default")]
    assert not silent
    numbers = {name: words for name, (value, words) in options.items() if value in ("INT", "FLOAT")}
    boundless = [name for name, words in numbers.items() if not re.search("from .* to ", words)]
    assert not boundless
    counts = {name: words for name, (value, words) in options.items() if value == "INT"}
    counts.pop("--seed", None)
    unitless = {
        name: text for name, text in counts.items() if not re.search(rf"\b({UNITS})\b", text)
    }
    assert not unitless
    texts = {name: words for name, (value, words) in options.items() if value == "TEXT"}
    vague = {
        name: words
        for name, words in texts.items()
        if not re.search("directory|outside a job|e[.]g[.]|model of KerasHub", words)
    }
    assert not vague


@pytest.mark.slow
@pytest.mark.tensorflow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: one.stem)
def test_every_script_runs_bare(environment: dict[str, str], script: Path, tmp_path: Path) -> None:
    few = ["--epochs=2"] if "    epochs: " in script.read_text() else []
    run(environment, sys.executable, str(script), f"--output_dir={tmp_path}", *few)
    assert any((tmp_path / "model").iterdir())
