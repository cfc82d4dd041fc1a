"""The files that travel with a script and with a package folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.sources import collect_package, collect_script

Write = Callable[..., Path]


def travelling(root: Path) -> list[str]:
    return sorted(collect_script(root / "task.py").contents)


@pytest.mark.parametrize(
    ("script", "siblings", "expected"),
    [
        ("import near", {"near.py": "", "unused.py": ""}, ["near.py"]),
        ("from near import x", {"near.py": ""}, ["near.py"]),
        ("import near", {"near.py": "import far", "far.py": ""}, ["far.py", "near.py"]),
        ("import near", {"near.py": "import task"}, ["near.py"]),
        ("def f():\n    import near", {"near.py": ""}, ["near.py"]),
        ("import importlib\nimportlib.import_module('near')", {"near.py": ""}, ["near.py"]),
        ("import json", {"json.py": ""}, ["json.py"]),
        ("import tensorflow", {"near.py": ""}, []),
    ],
    ids=["used", "from", "far", "circle", "late", "literal", "shadow", "library"],
)
def test_modules_beside_the_script(
    write: Write, script: str, siblings: dict[str, str], expected: list[str]
) -> None:
    assert travelling(write({"task.py": script} | siblings)) == sorted([*expected, "task.py"])


def test_a_package_travels_whole(write: Write) -> None:
    root = write(
        {
            "task.py": "from net import layers",
            "net/__init__.py": "",
            "net/layers.py": "import beside",
            "net/words.txt": "a",
            "net/parts/deep.py": "",
            "beside.py": "",
        }
    )
    assert travelling(root) == [
        "beside.py",
        "net/__init__.py",
        "net/layers.py",
        "net/parts/deep.py",
        "net/words.txt",
        "task.py",
    ]


@pytest.mark.parametrize(
    "script", ["import net.layers", "from net import layers", "from net.layers import x"]
)
def test_a_folder_without_init_travels_when_a_module_in_it_is_named(
    write: Write, script: str
) -> None:
    root = write({"task.py": script, "net/layers.py": "", "net/words.txt": ""})
    assert travelling(root) == ["net/layers.py", "net/words.txt", "task.py"]


@pytest.mark.parametrize("script", ["import datasets", "from datasets import load_dataset"])
def test_a_folder_named_like_a_library_stays(write: Write, script: str) -> None:
    assert travelling(write({"task.py": script, "datasets/prepare.py": ""})) == ["task.py"]


def test_our_own_name_beside_the_script_never_travels(write: Write) -> None:
    root = write({"task.py": "import vertex_jobs", "vertex_jobs/__init__.py": ""})
    assert travelling(root) == ["task.py"]


@pytest.mark.parametrize(
    "leftover",
    ["__pycache__/x.pyc", ".git/config", ".venv/a.py", "env/pyvenv.cfg", "a.pyc", ".DS_Store"],
)
def test_leftovers_are_passed_over(write: Write, leftover: str) -> None:
    root = write({"trainer/task.py": "", f"trainer/{leftover}": ""})
    assert list(collect_package(root / "trainer", "trainer.task").contents) == ["trainer/task.py"]


def test_other_json_is_data(write: Write) -> None:
    root = write({"trainer/task.py": "", "trainer/vocabulary.json": '{"a": 1}'})
    assert "trainer/vocabulary.json" in collect_package(root / "trainer", "trainer.task").contents


def test_a_link_to_a_folder_is_refused(write: Write) -> None:
    root = write({"trainer/task.py": "", "elsewhere/x.py": ""})
    (root / "trainer" / "linked").symlink_to(root / "elsewhere")
    with pytest.raises(PackagingError, match="linked: it is a link to a folder, which a package"):
        collect_package(root / "trainer", "trainer.task")


def test_a_link_to_nothing_is_refused(write: Write) -> None:
    root = write({"trainer/task.py": ""})
    (root / "trainer" / "gone.csv").symlink_to(root / "nowhere")
    with pytest.raises(PackagingError, match=r"gone\.csv: it is a link to nothing"):
        collect_package(root / "trainer", "trainer.task")


@pytest.mark.parametrize(
    ("folder", "module", "entry"),
    [
        ("trainer", "trainer.task", "trainer/task.py"),
        ("trainer", "trainer", "trainer/__main__.py"),
        ("trainer", "task", "task.py"),
        (".", "trainer.task", "trainer/task.py"),
    ],
)
def test_a_folder_is_the_package_or_holds_it(
    write: Write, folder: str, module: str, entry: str
) -> None:
    root = write({"trainer/task.py": "", "trainer/__main__.py": ""})
    assert collect_package(root / folder, module).entry == entry


def test_a_module_that_is_not_there_is_refused(write: Write) -> None:
    root = write({"trainer/task.py": ""})
    with pytest.raises(
        PackagingError, match=r"no module trainer\.tusk in it or under its own name"
    ):
        collect_package(root / "trainer", "trainer.tusk")


@pytest.mark.parametrize("name", ["vertex_jobs/x.py", "vertex_jobs.py"])
def test_our_own_name_in_a_package_folder_is_refused(write: Write, name: str) -> None:
    root = write({"task.py": "", name: ""})
    with pytest.raises(PackagingError, match="the name vertex_jobs is taken by the runtime"):
        collect_package(root, "task")


def test_a_package_file_that_is_not_python_is_refused(write: Write) -> None:
    root = write({"trainer/task.py": "", "trainer/old.py": "print 1"})
    with pytest.raises(PackagingError, match=r"old\.py:1: Missing parentheses in call to 'print'"):
        collect_package(root / "trainer", "trainer.task")


def test_a_script_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackagingError, match=r"task\.py: there is no such script; check script_p"):
        collect_script(tmp_path / "task.py")
