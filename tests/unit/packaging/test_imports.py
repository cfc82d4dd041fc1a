"""The imports of sources that are read and never run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import third_party_imports
from vertex_jobs.packaging.imports import parse

SCRIPT = """
import json, keras
import os.path
import sklearn.datasets as data
from numpy import array
from typing import TYPE_CHECKING
import helper
from folder.deep import thing
from . import nothing
from vertex_jobs.runtime import arguments

if TYPE_CHECKING:
    import only_typed
try:
    import tensorflow as tf
except ImportError:
    import fallback
with open("x") as file:
    import within

def late():
    import pandas

class Inside:
    import in_class

if __name__ == "__main__":
    import only_main
"""


def third_party(root: Path) -> tuple[str, ...]:
    return third_party_imports(sorted(root.rglob("*.py")))


def test_what_a_parent_may_import_ahead(write: Callable[..., Path]) -> None:
    root = write({"task.py": SCRIPT, "helper.py": "import scipy.stats", "folder/deep/thing.py": ""})
    assert third_party(root) == (
        "fallback",
        "keras",
        "numpy",
        "scipy.stats",
        "sklearn.datasets",
        "tensorflow",
        "within",
    )


def test_the_runtime_that_travels_does_not_count(write: Callable[..., Path]) -> None:
    root = write({"p/task.py": "import numpy", "p/vertex_jobs/runtime/x.py": "import keras"})
    assert third_party(root / "p") == ("numpy",)


def test_a_folder_above_may_have_any_name(write: Callable[..., Path]) -> None:
    root = write({"keras/vertex_jobs/scripts/task.py": "import keras"})
    assert third_party(root / "keras" / "vertex_jobs" / "scripts") == ("keras",)


@pytest.mark.parametrize(
    "change",
    [
        'os.environ["KERAS_BACKEND"] = "jax"',
        'os.environ.setdefault("KERAS_BACKEND", "jax")',
        'os.environ.update(KERAS_BACKEND="jax")',
        'os.environ[name] = "jax"',
        'del os.environ["KERAS_BACKEND"]',
        'os.putenv("KERAS_BACKEND", "jax")',
        'if here:\n    environ["KERAS_BACKEND"] = "jax"',
    ],
)
def test_what_follows_a_change_of_the_environment_does_not_count(
    write: Callable[..., Path], change: str
) -> None:
    root = write({"task.py": f"import os, numpy\n{change}\nimport keras"})
    assert third_party(root) == ("numpy",)


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["KERAS_BACKEND"] = "jax"',
        'os.environ.setdefault("KERAS_BACKEND", "torch")',
        'settings["KERAS_BACKEND"] = "torch"',
        'print(os.environ["KERAS_BACKEND"])',
    ],
)
def test_what_leaves_the_environment_as_it_is_does_not_matter(
    write: Callable[..., Path], line: str
) -> None:
    root = write({"task.py": f"import os\n{line}\nimport keras"})
    assert third_party_imports([root / "task.py"], {"KERAS_BACKEND": "jax"}) == ("keras",)


def test_what_is_not_python_is_passed_over(write: Callable[..., Path]) -> None:
    assert third_party(write({"bad.py": "import (", "good.py": "import numpy"})) == ("numpy",)


def test_no_files_import_nothing() -> None:
    assert third_party_imports([]) == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x = 1\nimport (\n", r"task\.py:2: .*; it would fail at the start of the job"),
        (b"x = '\x00'", r"task\.py:1: .*null bytes"),
        (b"# coding: nonsense\n", r"task\.py:1: unknown encoding: nonsense"),
    ],
)
def test_what_is_not_python_is_refused_with_its_line(content: bytes, message: str) -> None:
    with pytest.raises(PackagingError, match=message):
        parse(content, Path("task.py"))


@pytest.mark.parametrize("expression", ["keras.callbacks.TensorBoard(logs)", "TensorBoard(logs)"])
def test_what_is_imported_at_its_first_use_counts(
    write: Callable[..., Path], expression: str
) -> None:
    root = write({"task.py": f"import keras\ndef main(logs):\n    return {expression}"})
    assert third_party(root) == ("keras", "tensorboard.summary.v2")


def test_what_is_imported_at_its_first_use_comes_after_its_library(
    write: Callable[..., Path],
) -> None:
    """TensorBoard would import TensorFlow before the script has set its environment."""
    change = 'os.environ["TF_USE_LEGACY_KERAS"] = "1"'
    root = write({"task.py": f"import os\n{change}\nimport keras\nkeras.callbacks.TensorBoard()"})
    assert third_party(root) == ()
