"""The public names: all there, loaded late, honest about what did not travel."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vertex_jobs
from vertex_jobs import errors

ROOT = Path(vertex_jobs.__file__).parent

TRAVELLED = """
import sys
sys.path.insert(0, {folder!r})
import vertex_jobs
assert vertex_jobs.__file__.startswith({folder!r})
{statement}
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture(scope="module")
def travelled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with what stands beside a script in the container."""
    folder = tmp_path_factory.mktemp("container")
    target = folder / "vertex_jobs"
    shutil.copytree(ROOT / "runtime", target / "runtime")
    for name in ("__init__.py", "errors.py", "names.py"):
        shutil.copy(ROOT / name, target / name)
    return str(folder)


@pytest.mark.parametrize("name", vertex_jobs.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(vertex_jobs, name) is not None


def test_public_names_are_sorted_and_unique() -> None:
    assert vertex_jobs.__all__ == sorted(set(vertex_jobs.__all__))


def test_every_error_is_public() -> None:
    assert set(errors.__all__) <= set(vertex_jobs.__all__)


def test_completion_sees_names_before_they_are_loaded() -> None:
    assert set(vertex_jobs.__all__) <= set(dir(vertex_jobs))


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'vertex_jobs' has no attribute 'Job'"):
        vertex_jobs.Job  # noqa: B018


def test_version_is_the_projects() -> None:
    pyproject = (ROOT.parent / "pyproject.toml").read_text()
    assert f'version = "{vertex_jobs.__version__}"' in pyproject


def test_import_loads_nothing_of_others() -> None:
    code = (
        "import sys; before = set(sys.modules); import vertex_jobs; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    assert run(code).stdout.strip() == "['vertex_jobs']"


def test_runtime_modules_load_the_standard_library_alone(travelled: str) -> None:
    paths = (path.relative_to(ROOT.parent) for path in (ROOT / "runtime").rglob("*.py"))
    names = [".".join(path.with_suffix("").parts) for path in paths if path.stem != "callbacks"]
    statement = (
        f"import {', '.join(name.removesuffix('.__init__') for name in names)}\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(tops & {'argparse_dataclass', 'hypertune', 'keras', 'numpy', 'pydantic', "
        "'tensorflow', 'yaml'}))"
    )
    assert run(TRAVELLED.format(folder=travelled, statement=statement)).stdout.strip() == "[]"


def test_errors_travel(travelled: str) -> None:
    statement = "from vertex_jobs import PackagingError; print(PackagingError.__module__)"
    done = run(TRAVELLED.format(folder=travelled, statement=statement))
    assert done.stdout.strip() == "vertex_jobs.errors"


@pytest.mark.parametrize("name", ["local", "CustomJob", "Study"])
def test_a_name_that_did_not_travel_says_so(travelled: str, name: str) -> None:
    done = run(TRAVELLED.format(folder=travelled, statement=f"from vertex_jobs import {name}"))
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: vertex_jobs.{name} is not available inside the training package; "
        "a file that also submits itself uses it only outside a job: import vertex_jobs, and ask "
        "vertex_jobs.runtime.environment.current().in_job first"
    )


def test_runtime_imports_only_names_and_errors() -> None:
    imported = {
        match
        for path in (ROOT / "runtime").rglob("*.py")
        for match in re.findall(r"^\s*(?:from|import) (vertex_jobs[\w.]*)", path.read_text(), re.M)
    }
    allowed = ("vertex_jobs.runtime", "vertex_jobs.names", "vertex_jobs.errors")
    assert [name for name in imported if not name.startswith(allowed)] == []
