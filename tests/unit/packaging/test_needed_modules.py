"""The libraries that a program needs: found in its sources, where it cannot do without them."""

import pytest

from vertex_jobs.packaging.needed_modules import NeededModule, needed_modules


def needed(source: str, **others: str) -> list[str]:
    """The modules that a script needs, those in functions in brackets."""
    files = {"train.py": source.encode()}
    files |= {f"{name.replace('__', '/')}.py": text.encode() for name, text in others.items()}
    found = needed_modules(files, "train.py")
    return [one.name if one.at_start else f"({one.name})" for one in found]


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import optuna", ["optuna"]),
        ("import google.cloud.storage as s, json", ["google.cloud.storage"]),
        ("from sklearn.datasets import load_digits", ["sklearn.datasets"]),
        ("def f():\n    import optuna", ["(optuna)"]),
        ("class A:\n    import optuna", ["optuna"]),
        ("def f():\n    import optuna\nimport optuna", ["optuna"]),
        ("if __name__ == '__main__':\n    import optuna", ["optuna"]),
        ("try:\n    import optuna\nexcept ImportError:\n    optuna = None", []),
        ("try:\n    import a\nexcept (KeyError, ModuleNotFoundError):\n    import b", []),
        ("try:\n    import optuna\nexcept KeyError:\n    pass", ["optuna"]),
        ("try:\n    pass\nexcept ImportError:\n    pass\nelse:\n    import optuna", ["optuna"]),
        ("import contextlib\nwith contextlib.suppress(ImportError):\n    import optuna", []),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import optuna", []),
        ("import sys\nif sys.platform == 'win32':\n    import winning", []),
        ("from vertex_jobs.runtime import metrics", []),
        ("import keras\nkeras.callbacks.TensorBoard('x')", ["keras", "tensorboard"]),
        (
            "from keras.callbacks import TensorBoard\nTensorBoard('x')",
            ["keras.callbacks", "tensorboard"],
        ),
        ("import tensorflow as tf\ntf.summary.scalar('a', 1)", ["tensorflow", "tensorboard"]),
        ("import tensorflow as tf\ntf.summary.create_file_writer('x')", ["tensorflow"]),
    ],
)
def test_what_a_script_needs(source: str, modules: list[str]) -> None:
    assert needed(source) == modules


def test_a_sibling_is_followed() -> None:
    assert needed("import near", near="import far", far="import optuna") == ["optuna"]


def test_a_sibling_that_only_a_call_loads_is_needed_by_the_call() -> None:
    assert needed("def f():\n    import near", near="import optuna") == ["(optuna)"]


def test_a_file_that_nothing_imports_needs_nothing() -> None:
    assert needed("import near", near="", test_near="import pytest") == []


def test_packages_and_relative_imports_are_followed() -> None:
    files = {"trainer__task": "from . import far", "trainer__far": "from .deep import x"}
    files["trainer__deep"] = "import optuna"
    assert needed("import trainer.task", trainer____init__="", **files) == ["optuna"]


def test_the_place_is_where_it_is_first_asked_for() -> None:
    files = {"train.py": b"import near\nimport optuna\n", "near.py": b"\n\nimport optuna\n"}
    assert needed_modules(files, "train.py") == (NeededModule("optuna", "train.py", 2, True),)
