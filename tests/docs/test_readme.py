"""What the pages show is what runs: README's example, every config, every YAML snippet."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from vertex_jobs.emulator.joining import join
from vertex_jobs.spec import from_mapping

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


SNIPPETS = [
    pytest.param(text, id=f"{page.name}-{number}")
    for page in PAGES
    for number, text in enumerate(blocks(page, "yaml"), start=1)
]


@pytest.mark.parametrize("text", SNIPPETS)
def test_a_yaml_snippet_is_a_valid_config(text: str) -> None:
    form = yaml.safe_load(text)
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
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.tensorflow
def test_the_python_example_finds_a_best_trial(environment: dict[str, str]) -> None:
    example = next(text for text in blocks(PAGES[0], "python") if "local()" in text)
    output = run(environment, sys.executable, "-c", example)
    assert "has the highest accuracy" in output


# A TPU's config ends with exit 1 where there is none: its row in tests/systems looks at that.
@pytest.mark.tensorflow
@pytest.mark.parametrize(
    "config",
    [one for one in sorted((ROOT / "configs").glob("*.yaml")) if not one.stem.endswith("_tpu")],
    ids=lambda one: one.stem,
)
def test_every_config_runs(environment: dict[str, str], config: Path) -> None:
    settings = ["--set", "args.epochs=2"]
    if yaml.safe_load(config.read_text())["kind"] == "hyperparameter_tuning_job":
        settings += ["--set", "max_trial_count=2"]
    command = (sys.executable, "-m", "vertex_jobs", "run", str(config), *settings)
    assert "gs://local-staging/" in run(environment, *command)


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    "script", sorted((ROOT / "trial_scripts").glob("*.py")), ids=lambda one: one.stem
)
def test_every_script_explains_its_options(environment: dict[str, str], script: Path) -> None:
    assert "--learning_rate" in run(environment, sys.executable, str(script), "--help")
