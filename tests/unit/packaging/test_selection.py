"""Data files, .gitignore and exclude_files: the files that travel besides the code."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.sources import Selection, collect_package, collect_script

Write = Callable[..., Path]


def travelling(root: Path, **selection: list[str]) -> list[str]:
    return sorted(collect_script(root / "task.py", Selection(**selection)).contents)


DATA = {"task.py": "", "labels.csv": "", "words/en.txt": "", "words/deep/de.txt": "", "x.md": ""}


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["labels.csv"], ["labels.csv"]),
        (["*.csv", "x.*"], ["labels.csv", "x.md"]),
        (["words/*.txt"], ["words/en.txt"]),
        (["words"], ["words/deep/de.txt", "words/en.txt"]),
        (["words/"], ["words/deep/de.txt", "words/en.txt"]),
        (["**/*.txt"], ["words/deep/de.txt", "words/en.txt"]),
    ],
)
def test_data_files_travel_by_pattern(
    write: Write, patterns: list[str], expected: list[str]
) -> None:
    assert travelling(write(DATA), data_files=patterns) == sorted([*expected, "task.py"])


def test_a_pattern_that_matches_nothing_is_refused(write: Write) -> None:
    with pytest.raises(PackagingError, match=r"data_files: '\*\.parquet' matches no file in "):
        travelling(write(DATA), data_files=["*.parquet"])


@pytest.mark.parametrize("pattern", ["/etc/hosts", "../secret.txt", "words/../../x"])
def test_a_pattern_cannot_leave_the_scripts_folder(write: Write, pattern: str) -> None:
    with pytest.raises(
        PackagingError, match=r"leaves .*; a package holds what lies below the scri"
    ):
        travelling(write(DATA), data_files=[pattern])


def test_what_is_excluded_does_not_travel_even_when_named(write: Write) -> None:
    named = travelling(write(DATA), data_files=["words"], exclude_files=["deep/"])
    assert named == ["task.py", "words/en.txt"]


REPOSITORY = {
    ".gitignore": "*.log\n/data/\ngenerated.py\n",
    "trainer/.gitignore": "!kept.log\n",
    "trainer/task.py": "",
    "trainer/a.log": "",
    "trainer/kept.log": "",
    "trainer/generated.py": "",
    "trainer/data/here.csv": "",
}


def packaged(root: Path, **selection: list[str]) -> Mapping[str, bytes]:
    return collect_package(root / "trainer", "trainer.task", Selection(**selection)).contents


def test_what_git_ignores_stays_behind(write: Write) -> None:
    root = write(REPOSITORY)
    (root / ".git").mkdir()
    assert list(packaged(root)) == [
        "trainer/data/here.csv",
        "trainer/kept.log",
        "trainer/task.py",
    ]


def test_git_itself_is_of_the_same_opinion(write: Write) -> None:
    root = write(REPOSITORY)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "trainer"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert sorted(packaged(root)) == sorted(set(listed) - {"trainer/.gitignore"})


def test_naming_a_file_is_stronger_than_git(write: Write) -> None:
    root = write(REPOSITORY)
    (root / ".git").mkdir()
    assert "trainer/generated.py" in packaged(root, data_files=["trainer/generated.py"])


def test_an_imported_module_travels_whatever_git_thinks_of_it(write: Write) -> None:
    root = write({"task.py": "import settings", "settings.py": "", ".gitignore": "settings.py"})
    assert travelling(root) == ["settings.py", "task.py"]


def test_a_folder_that_git_ignores_as_a_whole_can_be_packaged(write: Write) -> None:
    root = write({".gitignore": "scratch/\n", "scratch/trainer/task.py": ""})
    (root / ".git").mkdir()
    sources = collect_package(root / "scratch" / "trainer", "task")
    assert list(sources.contents) == ["task.py"]


def test_rules_above_the_repository_do_not_count(write: Write) -> None:
    root = write({".gitignore": "*.py\n", "code/trainer/task.py": ""})
    assert list(packaged(root / "code")) == ["trainer/task.py"]


def test_each_thing_left_out_has_its_reason(write: Write) -> None:
    root = write(REPOSITORY | {"trainer/__pycache__/x.pyc": "", "trainer/notes/a": ""})
    (root / ".git").mkdir()
    selection = Selection(exclude_files=["notes/"])
    assert collect_package(root / "trainer", "trainer.task", selection).left_out == {
        "trainer/.gitignore": "build leftover",
        "trainer/__pycache__/": "build leftover",
        "trainer/a.log": ".gitignore",
        "trainer/generated.py": ".gitignore",
        "trainer/notes/": "exclude_files",
    }
