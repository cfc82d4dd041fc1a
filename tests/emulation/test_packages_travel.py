"""What travels arrives in the replica: notebooks, data, private wheels; and each is sent once."""

import json

import pytest
from wheelhouse import put_wheel

from vertex_jobs import JobFailedError, packaging
from vertex_jobs.errors import RequestRefusedError
from vertex_jobs.spec import from_mapping

CELLS = [
    "%matplotlib inline\nfrom pathlib import Path\nimport near, private_lib",
    "!pip install something\nwords = Path(__file__).parent / 'words' / 'en.txt'",
    "print('arrived:', near.WHERE, private_lib.WORD, words.read_text())",
]
IMAGES = {
    "prebuilt": "us-docker.pkg.dev/vertex-ai/training/ray-cpu.2-47.py311:latest",
    "own": "us-docker.pkg.dev/my-project/images/mine:1",
}


@pytest.fixture
def notebook(tmp_path):
    """Makes the job of a notebook with a sibling, a data file and a private wheel."""
    cells = [{"cell_type": "code", "source": text} for text in CELLS]
    (tmp_path / "train.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    (tmp_path / "near.py").write_text("WHERE = 'beside'")
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "en.txt").write_text("hello")
    put_wheel(tmp_path / "wheels", "private_lib", {"private_lib.py": "WORD = 'private'"})

    def make(**fields):
        config = {
            "kind": "custom_job",
            "display_name": "notebook",
            "script_path": "train.ipynb",
            "data_files": ["words"],
            "requirements": ["wheels/private_lib-0.1-py3-none-any.whl"],
            "container_uri": IMAGES["prebuilt"],
            **fields,
        }
        return from_mapping(config, source="test", base_directory=tmp_path)

    return make


@pytest.mark.parametrize("image", IMAGES)
def test_a_notebook_with_all_it_needs_runs(local_vertex, notebook, image):
    handle = local_vertex.submit(notebook(container_uri=IMAGES[image]))
    handle.result(timeout=120)
    assert "arrived: beside private hello" in [entry.text for entry in handle.logs()]


def test_without_its_wheel_it_would_fail(local_vertex, notebook):
    handle = local_vertex.submit(notebook(requirements=[]), check=False)
    with pytest.raises(JobFailedError) as failed:
        handle.result(timeout=120)
    assert "No module named 'private_lib'" in "\n".join(failed.value.last_lines)


def test_equal_content_is_not_sent_again(local_vertex, notebook):
    """While storage refuses every upload, a job whose package lies there still runs."""
    first = notebook(environment_variables={"ONCE": "yes"})
    local_vertex.submit(first).result(timeout=120)
    server = local_vertex.server
    server.inject([{"call": "storage.objects.insert", "fault": 403, "times": None}])
    try:
        local_vertex.submit(first).result(timeout=120)
        with pytest.raises(RequestRefusedError):
            local_vertex.submit(notebook(data_files=["words", "*.ipynb"]))
    finally:
        server.clear_faults()


def test_equal_content_has_an_equal_name_wherever_it_lies(notebook):
    assert packaging.describe(notebook()) == packaging.describe(notebook(exclude_files=["x"]))
