"""The proof of a package, with real packages in real processes."""

import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import Proof, describe, seen_libraries, verify, write
from vertex_jobs.spec import CustomJob

Job = Callable[..., CustomJob]

SCRIPT = """
import os, sys
import near
from vertex_jobs.runtime import arguments
import vertex_jobs
print(__name__, os.path.basename(sys.argv[0]), sys.argv[1:], near.WHERE)
print(sorted(name for name in os.environ if name.startswith("PROOF")), os.listdir())
print(os.path.relpath(vertex_jobs.__file__, os.path.dirname(__file__)))
"""


def proof(job: CustomJob, directory: Path, **options: float) -> Proof:
    return verify(write(describe(job), directory)[-1], **options)  # type: ignore[arg-type]


def test_a_script_runs_as_under_python(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOF_OF_LEAK", "1")
    made = job({"task.py": SCRIPT, "near.py": "WHERE = __name__"})
    assert proof(made, tmp_path) == Proof(
        describe(made).module_name,
        0,
        "__main__ task.py ['--help'] near\n[] []\nvertex_jobs/__init__.py\n",
    )


def test_a_package_is_named_from_here(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = job({"task.py": "print('here')"})
    assert proof(made, Path("dist")).output == "here\n"


def test_a_packages_module_runs_as_under_python_m(job: Job, tmp_path: Path) -> None:
    files = {
        "trainer/__init__.py": "",
        "trainer/task.py": "from trainer import far\nfrom . import far as same\nprint(__package__)",
        "trainer/far.py": "",
    }
    made = job(files, path="trainer", module="trainer.task")
    assert proof(made, tmp_path).output == "trainer\n"


def test_a_script_that_fails_does_not_pass(job: Job, tmp_path: Path) -> None:
    made = job({"task.py": "import surely_not_installed"})
    failed = proof(made, tmp_path)
    assert (failed.passed, "No module named 'surely_not_installed'" in failed.output) == (
        False,
        True,
    )


def test_a_library_that_only_this_machine_has_is_not_seen(job: Job, tmp_path: Path) -> None:
    made = job({"task.py": "import numpy\nprint('numpy', flush=True)\nimport optuna"})
    libraries = seen_libraries(describe(made), ["tensorflow"])
    failed = verify(write(describe(made), tmp_path)[-1], libraries=libraries)
    assert (failed.passed, failed.output.splitlines()[0], failed.output.splitlines()[-1]) == (
        False,
        "numpy",
        "ModuleNotFoundError: No module named 'optuna'",
    )


def test_a_library_that_is_required_is_seen(job: Job, tmp_path: Path) -> None:
    made = job({"task.py": "import optuna, sqlalchemy\nprint('both')"})
    libraries = seen_libraries(describe(made), ["tensorflow", "optuna"])
    assert verify(write(describe(made), tmp_path)[-1], libraries=libraries).output == "both\n"


def test_a_sibling_named_like_a_library_is_seen(job: Job, tmp_path: Path) -> None:
    made = job({"task.py": "import optuna\nprint(optuna.OWN)", "optuna.py": "OWN = 'sibling'"})
    libraries = seen_libraries(describe(made), [])
    assert verify(write(describe(made), tmp_path)[-1], libraries=libraries).output == "sibling\n"


def test_a_script_that_trains_instead_is_stopped(job: Job, tmp_path: Path) -> None:
    made = job({"task.py": "import time\nprint('training', flush=True)\ntime.sleep(600)"})
    assert proof(made, tmp_path, timeout_seconds=2).exit_code is None


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x-0.1.0.tar.gz"
    path.write_text("no")
    with pytest.raises(PackagingError, match="it is not a source distribution; build it with `ver"):
        verify(path)


def test_an_archive_cannot_write_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "x-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../escaped"))
    with pytest.raises(PackagingError, match=r"\.\./escaped does not belong in a package"):
        verify(path)


def test_a_library_that_shares_its_folder_is_seen_alone(job: Job, tmp_path: Path) -> None:
    text = "import google.auth\nprint('auth', flush=True)\nimport google.cloud.storage"
    made = job({"task.py": text}, requirements=("google-auth",))
    failed = verify(
        write(describe(made), tmp_path)[-1], libraries=seen_libraries(describe(made), [])
    )
    assert failed.output.splitlines()[0] == "auth", failed.output
    assert "No module named 'google.cloud" in failed.output


def test_the_environment_has_the_package_and_its_libraries_alone(job: Job, tmp_path: Path) -> None:
    text = "import importlib.metadata as m\nprint(*sorted(one.name for one in m.distributions()))"
    made = job({"task.py": text})
    found = verify(write(describe(made), tmp_path)[-1], libraries=frozenset({"numpy"})).output
    assert found.split() == ["numpy", describe(made).module_name]


def test_what_pip_refuses_does_not_pass(job: Job, tmp_path: Path) -> None:
    made = job({"task.py": "print('never')"})
    wheel = tmp_path / "broken-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("broken.py", "")
    with pytest.raises(PackagingError, match=r"(?s)pip does not install .*dist-info directory not"):
        verify(write(describe(made), tmp_path)[-1], [wheel])
