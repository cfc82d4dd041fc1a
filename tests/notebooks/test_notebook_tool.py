"""The tool that runs public notebooks, over notebooks written here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from notebook_blanks import fill_in
from notebook_reasons import LIMIT, NOT_REACHED, SUCCEEDED, TRAINING, UNKNOWN
from notebook_runs import run
from notebook_selection import select
from notebook_slices import slice_of
from notebook_verdicts import judge

IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
CELLS = (
    'PROJECT_ID = "[your-project-id]"\nBUCKET_URI = "gs://[your-bucket]"',
    "from google.cloud import aiplatform",
    "import no_such_library  # looks at data",
    "%%writefile task.py\nprint('trained')",
    "aiplatform.init(project=PROJECT_ID, staging_bucket=BUCKET_URI)",
    "job = aiplatform.CustomJob.from_local_script(\n"
    f"    display_name='x', script_path='task.py', container_uri='{IMAGE}')\njob.run()",
    "job.delete()",
)


def commit(folder: Path, name: str, notebooks: dict[str, tuple[str, ...]]) -> None:
    """Make a repository that holds these notebooks."""
    place = folder / name
    for path, cells in notebooks.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        code = [{"cell_type": "code", "source": [cell]} for cell in cells]
        (place / path).write_text(json.dumps({"cells": code}), encoding="utf-8")
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "notebooks"]):
        subprocess.run(["git", *words], cwd=place, check=True)


def test_a_slice_has_what_the_submission_needs() -> None:
    sliced = slice_of(CELLS)
    assert sliced is not None
    assert (sliced.cells, sliced.submitting) == ((0, 1, 3, 4, 5), (5,))


@pytest.mark.parametrize(
    ("cell", "is_needed"),
    [
        ("%%bash\ngcloud auth print-access-token | docker login\ndocker build -t a .", True),
        ("%%writefile Dockerfile\nRUN pip install x", True),
        ("! gsutil cp a.csv $BUCKET", True),
        ("import os\nos.environ['REGION'] = 'us-central1'", True),
        ("! pip install x", False),
        ("%%bash\ngcloud services enable x", False),
        ("data.head()", False),
    ],
)
def test_what_else_a_submission_needs(cell: str, is_needed: bool) -> None:
    sliced = slice_of((cell, "client.create_custom_job()"))
    assert sliced is not None
    assert (0 in sliced.cells) == is_needed


@pytest.mark.parametrize(
    "cell",
    [
        "client.create_custom_job(parent=p, custom_job=j)",
        "def create(j):\n    client.create_study(study=j)\ncreate(1)",
        "! gcloud ai custom-jobs create --region=us-central1",
        "job = aiplatform.HyperparameterTuningJob(x)\njob.run()",
    ],
)
def test_what_submits(cell: str) -> None:
    assert slice_of((cell,)) is not None


@pytest.mark.parametrize(
    "cell",
    [
        "def create(j):\n    client.create_study(study=j)",
        "%%writefile a.py\nclient.create_custom_job()",
        "job = aiplatform.AutoMLTabularTrainingJob()\njob.run()",
        "client.create_training_pipeline(automl)",
    ],
)
def test_what_does_not(cell: str) -> None:
    assert slice_of((cell,)) is None


@pytest.mark.parametrize(
    ("cell", "filled"),
    [
        ('PROJECT_ID = ""', 'PROJECT_ID = "local-project"'),
        ('BUCKET_NAME = "gs://[your-bucket]"', 'BUCKET_NAME = "gs://notebook-bucket"'),
        ("BUCKET_URI = 'gs://' + BUCKET", "BUCKET_URI = 'gs://' + BUCKET"),
        ('REGION = ""  # @param', 'REGION = "us-central1"  # @param'),
        ('REGION = "Region"', 'REGION = "us-central1"'),
        ('REGION = "europe-west4"', 'REGION = "europe-west4"'),
        ('MODEL = "[your-model]"', 'MODEL = "[your-model]"'),
        ('BUCKET = f"gs://{PROJECT_ID}-x"', 'BUCKET = f"gs://{PROJECT_ID}-x"'),
    ],
)
def test_only_blanks_are_filled_in(cell: str, filled: str) -> None:
    assert fill_in(cell) == filled


def test_exercises_with_a_solution_are_left_out(tmp_path: Path) -> None:
    paths = ("a/labs/x.ipynb", "a/solutions/x.ipynb", "b/labs/y.ipynb")
    commit(tmp_path, "owner+name", dict.fromkeys(paths, CELLS))
    selection = select(tmp_path)
    assert (selection.found, selection.chosen[0].notebook.path) == (2, "a/solutions/x.ipynb")


def job(state: str, error: str = "") -> dict[str, object]:
    return {"kind": "customJobs", "state": f"JOB_STATE_{state}", "error": error, "log": []}


@pytest.mark.parametrize(
    ("jobs", "error", "verdict"),
    [
        ([job("SUCCEEDED")], "", SUCCEEDED),
        ([job("SUCCEEDED"), job("RUNNING")], "", TRAINING),
        ([job("FAILED", "nobody knows")], "RuntimeError: Job failed with", UNKNOWN),
        ([], "google.api_core.exceptions.MethodNotImplemented: 501 X.Y is not emulated", UNKNOWN),
        ([], "google.api_core.exceptions.X: AService.B is not emulated", LIMIT),
        ([], "NameError: name 'x' is not defined", NOT_REACHED),
    ],
)
def test_verdicts(jobs: list[object], error: str, verdict: str) -> None:
    cell = {"cell": 1, "submits": True, "error": error, "output": ""}
    assert judge({"cells": [cell], "jobs": jobs, "time_up": False}).verdict == verdict


def test_the_stand_in_of_docker_lays_an_image_out(tmp_path: Path) -> None:
    (tmp_path / "trainer").mkdir()
    (tmp_path / "trainer" / "task.py").write_text("print('here')")
    dockerfile = (
        'FROM x\nWORKDIR /w\nRUN pip install y\nCOPY trainer /w/trainer\nENTRYPOINT ["a", "b"]'
    )
    (tmp_path / "Dockerfile").write_text(dockerfile)
    docker = Path(__file__).parent / "stand_ins" / "docker"
    subprocess.run(
        [sys.executable, docker, "build", "-t", "image:1", "."],
        cwd=tmp_path,
        env={"NOTEBOOK_IMAGES": str(tmp_path / "images.json")},
        check=True,
    )
    image = json.loads((tmp_path / "images.json").read_text())["image:1"]
    assert (image["command"], Path(image["folder"], "trainer", "task.py").exists()) == (
        ["a", "b"],
        True,
    )


def test_a_refusal_after_a_cell_that_failed_is_no_verdict() -> None:
    prepared = {"cell": 0, "submits": False, "error": "NameError: name 'x'", "output": ""}
    submitted = {"cell": 1, "submits": True, "error": "google.api_core.exceptions.X", "output": ""}
    record = {"cells": [prepared, submitted], "jobs": [], "time_up": False}
    assert judge(record).words == "cell 0: NameError"


@pytest.mark.extended
def test_a_notebook_runs_to_its_verdict(tmp_path: Path) -> None:
    commit(tmp_path, "owner+name", {"a/x.ipynb": CELLS})
    chosen = select(tmp_path).chosen[0]
    record = run(chosen.notebook, chosen.slice, 200)
    assert judge(record).words == "customJobs SUCCEEDED", record
