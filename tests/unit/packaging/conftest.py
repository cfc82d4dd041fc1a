"""Jobs whose code is written by the test."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from vertex_jobs.spec import CustomJob

Write = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files by relative path into a folder, and return the folder."""

    def write_files(contents: Mapping[str, str]) -> Path:
        root = tmp_path / "code"
        for name, text in contents.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    return write_files


@pytest.fixture
def job(write: Write) -> Callable[..., CustomJob]:
    """Make a job of the given files, with ``task.py`` as its script unless a module is named."""

    def make(
        contents: Mapping[str, str],
        *,
        module: str | None = None,
        path: str = "task.py",
        requirements: tuple[str, ...] = (),
    ) -> CustomJob:
        return CustomJob(
            display_name="task",
            container_uri="us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
            script_path=str(write(contents) / path),
            python_module_name=module,
            requirements=list(requirements),
        )

    return make
