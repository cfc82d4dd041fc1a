"""Requirements in files: what is read is what pip and uv themselves would install."""

import subprocess
import sys
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.requirement_sources import expand
from vertex_jobs.spec.requirement_files import requirements_file

#: In a process of its own: pip and setuptools do not bear each other's distutils.
BY_PIP = """\
import sys
from pip._internal.network.session import PipSession
from pip._internal.req.req_file import parse_requirements
for one in parse_requirements(sys.argv[1], PipSession()):
    print(one.requirement)
"""
TEXT = """\
# what the script needs
keras==3.15.1  # pinned
scikit-learn>=1.4 ; python_version >= "3.10"
numpy \\
    ==2.4.6 --hash=sha256:00
-r more/other.txt
lib @ https://host/lib-1.0-py3-none-any.whl#sha256=00
"""
PROJECT = """\
[project]
name = "digits"
version = "1"
dependencies = ["keras>=3.12"]
[project.optional-dependencies]
GPU_train = ["tensorflow[and-cuda]==2.21.*"]
"""
LOCK = """\
version = 1
requires-python = ">=3.10"

[[package]]
name = "digits"
version = "1"
source = { virtual = "." }
dependencies = [
    { name = "jax", version = "0.6.2", marker = "python_full_version < '3.11'" },
    { name = "jax", version = "0.10.2", marker = "python_full_version >= '3.11'" },
    { name = "colorama", marker = "sys_platform == 'win32'" },
]
[package.optional-dependencies]
gpu = [{ name = "tensorflow", extra = ["and-cuda"] }]

[[package]]
name = "colorama"
version = "0.4"
source = { registry = "R" }

[[package]]
name = "jax"
version = "0.6.2"
source = { registry = "R" }

[[package]]
name = "jax"
version = "0.10.2"
source = { registry = "R" }
dependencies = [{ name = "numpy" }]

[[package]]
name = "numpy"
version = "2.4.6"
source = { registry = "R" }

[[package]]
name = "own"
version = "1"
source = { git = "https://host/own?rev=main#0123abc" }

[[package]]
name = "cublas"
version = "12"
source = { registry = "R" }

[[package]]
name = "tensorflow"
version = "2.21.0"
source = { registry = "R" }
dependencies = [{ name = "numpy" }, { name = "own" }]
[package.optional-dependencies]
and-cuda = [{ name = "cublas" }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "other.txt").write_text("optuna\n")
    for name, text in (
        ("requirements.txt", TEXT),
        ("pyproject.toml", PROJECT),
        ("uv.lock", LOCK),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_requirements_file_is_read_as_pip_reads_it(folder: Path) -> None:
    path = str(folder / "requirements.txt")
    asked = subprocess.run(
        [sys.executable, "-c", BY_PIP, path], capture_output=True, text=True, check=True
    )
    assert [line.replace(" ", "") for line in expand([path], "")] == [
        line.replace(" ", "") for line in asked.stdout.splitlines()
    ]


def test_what_is_no_file_stays_in_its_place(folder: Path) -> None:
    lines = ["a==1", str(folder / "more" / "other.txt"), "b"]
    assert expand(lines, "") == ("a==1", "optuna", "b")


@pytest.mark.parametrize(
    ("extras", "lines"),
    [
        ("", ("keras>=3.12",)),
        ("[gpu-train]", ("keras>=3.12", "tensorflow[and-cuda]==2.21.*")),
    ],
)
def test_a_project_has_dependencies_and_extras(
    extras: str, lines: tuple[str, ...], folder: Path
) -> None:
    assert expand([f"{folder / 'pyproject.toml'}{extras}"], "") == lines


@pytest.mark.parametrize(
    ("extras", "python", "lines"),
    [
        ("", "3.10", ("jax==0.6.2",)),
        ("", "3.11", ("jax==0.10.2", "numpy==2.4.6")),
        (
            "[gpu]",
            "3.10",
            (
                "jax==0.6.2",
                "tensorflow==2.21.0",
                "numpy==2.4.6",
                "own @ git+https://host/own@0123abc",
                "cublas==12",
            ),
        ),
    ],
)
def test_a_lock_gives_the_versions_for_the_images_python(
    extras: str, python: str, lines: tuple[str, ...], folder: Path
) -> None:
    assert expand([f"{folder / 'uv.lock'}{extras}"], python) == lines


def test_a_lock_is_read_as_uv_exports_it(tmp_path: Path) -> None:
    """A project of two folders: uv makes the lock of it without an index."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "digits"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = []\n'
    )
    made = subprocess.run(
        [sys.executable, "-m", "uv", "lock", "--offline", "--quiet"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert expand([str(tmp_path / "uv.lock")], "3.11") == ()


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        ("none.txt", None, "the requirements cannot be read (No such file or directory)"),
        ("x.txt", "--extra-index-url https://host\n", ":1: --extra-index-url is an option of pip"),
        ("x.txt", "-r x.txt\n", "it names itself with -r"),
        ("pyproject.toml", "[tool]\n", "it has no table [project]"),
        ("pyproject.toml", "[project\n", "it is no TOML"),
        ("pyproject.toml", '[project]\ndynamic = ["dependencies"]\n', "its dependencies are dynam"),
        ("pyproject.toml[cuda]", PROJECT, "it has no extra 'cuda'; it has gpu-train"),
        ("uv.lock", "version = 1\n", "it is no lock of a project"),
    ],
)
def test_what_cannot_be_read_is_named(
    line: str, text: str | None, message: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / line.partition("[")[0]).write_text(text)
    with pytest.raises(PackagingError) as refused:
        expand([str(tmp_path / line)], "")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("line", "is_file"),
    [
        ("requirements.txt", True),
        ("deps/gpu.in", True),
        ("pyproject.toml[gpu,train]", True),
        ("uv.lock", True),
        ("keras", False),
        ("tensorflow[and-cuda]==2.21.0", False),
        ("lib @ https://host/lib.txt", False),
        ("mine.whl", False),
    ],
)
def test_files_are_told_by_their_names(line: str, is_file: bool) -> None:
    assert (requirements_file(line) is not None) is is_file
