"""The package as a whole: its names, its bytes, and its installation by a builder."""

import gzip
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vertex_jobs
from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import describe, write
from vertex_jobs.packaging.requirements import RUNTIME_REQUIREMENTS
from vertex_jobs.spec import CustomJob

Job = Callable[..., CustomJob]
HOME = Path(vertex_jobs.__file__).parent
FILES = {"task.py": "import near\n", "near.py": ""}


def user_files(job: CustomJob) -> list[str]:
    return [file.path for file in describe(job).files if not file.path.startswith("vertex_jobs/")]


def unpacked(job: CustomJob, directory: Path) -> Path:
    with tarfile.open(write(describe(job), directory)[-1]) as archive:
        archive.extractall(directory / "unpacked", filter="data")
    return directory / "unpacked" / f"{describe(job).module_name}-0.1.0"


def test_everything_is_named_after_the_hash(job: Job) -> None:
    described = describe(job(FILES))
    assert (described.module_name, described.file_name) == (
        f"vertex_jobs_task_{described.content_hash}",
        f"vertex_jobs_task_{described.content_hash}-0.1.0.tar.gz",
    )


def test_the_hash_has_twelve_hexadecimal_digits(job: Job) -> None:
    content_hash = describe(job(FILES)).content_hash
    assert (len(content_hash), set(content_hash) - set("0123456789abcdef")) == (12, set())


def test_a_script_travels_with_its_siblings(job: Job) -> None:
    assert user_files(job(FILES)) == ["__init__.py", "__main__.py", "near.py", "task.py"]


def test_a_package_travels_below_its_name(job: Job) -> None:
    made = job({"trainer/task.py": "", "trainer/a.csv": ""}, path="trainer", module="trainer.task")
    assert user_files(made) == ["__init__.py", "__main__.py", "trainer/a.csv", "trainer/task.py"]


def test_the_runtime_travels_byte_for_byte(job: Job) -> None:
    copies = {
        file.path.removeprefix("vertex_jobs/"): file.content
        for file in describe(job(FILES)).files
        if file.path.startswith("vertex_jobs/")
    }
    names = ["__init__.py", "errors.py", "names.py", "py.typed"]
    names += [path.relative_to(HOME).as_posix() for path in (HOME / "runtime").rglob("*.py")]
    assert copies == {name: (HOME / name).read_bytes() for name in names}


def test_equal_content_gives_equal_bytes(job: Job, tmp_path: Path) -> None:
    made = job(FILES)
    first = write(describe(made), tmp_path / "a")[-1].read_bytes()
    os.utime(tmp_path / "code" / "near.py", (1, 1))
    (tmp_path / "code" / "near.py").chmod(0o700)
    assert write(describe(made), tmp_path / "b")[-1].read_bytes() == first


def test_a_file_that_stays_does_not_change_the_hash(job: Job) -> None:
    assert describe(job(FILES | {"unused.py": ""})) == describe(job(FILES))


@pytest.mark.parametrize(
    ("files", "options"),
    [
        (FILES | {"near.py": "x = 1"}, {}),
        ({"task.py": "import near\n", "near/__init__.py": ""}, {}),
        (FILES, {"requirements": ("numpy",)}),
    ],
    ids=["bytes", "path", "requirements"],
)
def test_the_hash_follows(files: dict[str, str], options: dict[str, Any], job: Job) -> None:
    before = describe(job(FILES)).content_hash
    (Path(job(FILES).script_path or "").parent / "near.py").unlink()
    assert describe(job(files, **options)).content_hash != before


def test_parts_cannot_run_into_each_other(job: Job) -> None:
    one = describe(job({"task.py": "import a, b", "a.py": "x", "b.py": ""}))
    two = describe(job({"task.py": "import a, b", "a.py": "", "b.py": "x"}))
    assert one.content_hash != two.content_hash


def test_describing_writes_nothing(job: Job, tmp_path: Path) -> None:
    made = job(FILES)
    before = sorted(tmp_path.rglob("*"))
    describe(made)
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_but_the_archive_is_left_in_the_folder(job: Job, tmp_path: Path) -> None:
    path = write(describe(job(FILES)), tmp_path / "dist")[-1]
    assert list((tmp_path / "dist").iterdir()) == [path]


def test_times_owners_and_order_are_fixed(job: Job, tmp_path: Path) -> None:
    with tarfile.open(write(describe(job(FILES)), tmp_path)[-1]) as archive:
        members = archive.getmembers()
    assert (
        {(entry.mtime, entry.uid, entry.gid, entry.uname, entry.mode) for entry in members},
        [entry.name for entry in members],
    ) == ({(315_619_200, 0, 0, "", 0o644)}, sorted(entry.name for entry in members))


def test_the_compressed_stream_names_no_file_and_no_time(job: Job, tmp_path: Path) -> None:
    path = write(describe(job(FILES)), tmp_path)[-1]
    with gzip.open(path) as stream:
        stream.read(1)
        assert stream.mtime == 0


def test_metadata_declares_the_requirements(job: Job, tmp_path: Path) -> None:
    root = unpacked(job(FILES, requirements=("scikit-learn>=1.4",)), tmp_path)
    assert (root / "PKG-INFO").read_text().splitlines() == [
        "Metadata-Version: 2.1",
        f"Name: {root.name.removesuffix('-0.1.0')}",
        "Version: 0.1.0",
        "Requires-Python: >=3.10",
        "Requires-Dist: argparse-dataclass>=2.0.0",
        "Requires-Dist: cloudml-hypertune==0.1.0.dev6",
        "Requires-Dist: scikit-learn>=1.4",
    ]


def test_the_runtimes_requirements_are_the_projects() -> None:
    pyproject = (HOME.parent / "pyproject.toml").read_text()
    assert [line for line in RUNTIME_REQUIREMENTS if f'"{line}"' not in pyproject] == []


def test_a_requirement_of_the_job_replaces_the_runtimes(job: Job) -> None:
    made = job(FILES, requirements=("Argparse_Dataclass==2.0.0",))
    assert describe(made).requirements == (
        "Argparse_Dataclass==2.0.0",
        "cloudml-hypertune==0.1.0.dev6",
    )


@pytest.mark.parametrize(
    "line",
    [
        "numpy",
        "numpy>=1.26,<3",
        "keras-hub[extra] ~= 0.3",
        'numpy ; python_version < "3.11"',
        "lib @ git+https://host/lib@v1",
        "a.b_c==1.*",
    ],
)
def test_requirements_that_a_package_can_declare(job: Job, line: str) -> None:
    assert line in describe(job(FILES, requirements=(line,))).requirements


@pytest.mark.parametrize(
    "line", ["git+https://host/lib", "./folder", "two words", "-r more.txt", "a\nb", "a==1 --hash"]
)
def test_requirements_that_it_cannot(job: Job, line: str) -> None:
    with pytest.raises(PackagingError, match="is not one that a package can declare; write NAME"):
        describe(job(FILES, requirements=(line,)))


def test_a_builder_gets_every_file_and_quoted_requirements(job: Job, tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    marker = "colorama; platform_system == \"It's a 'test'\""
    made = job(
        {
            "trainer/task.py": "",
            "trainer/no_init/deep.py": "",
            "trainer/[odd] *name?.csv": "",
            "trainer/größe.txt": "",
        },
        path="trainer",
        module="trainer.task",
        requirements=(marker,),
    )
    root = unpacked(made, tmp_path)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build", "--build-lib", str(tmp_path / "built")],
        cwd=root,
        check=True,
        capture_output=True,
    )
    below = tmp_path / "built" / describe(made).module_name
    built = {path.relative_to(below).as_posix() for path in below.rglob("*") if path.is_file()}
    assert built == {file.path for file in describe(made).files}


def test_setup_quotes_what_could_be_code(job: Job, tmp_path: Path) -> None:
    marker = "colorama; extra == '\"]); import os #'"
    root = unpacked(job(FILES, requirements=(marker,)), tmp_path)
    assert f"\n        {marker!a}," in (root / "setup.py").read_text()


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py"])
def test_a_script_cannot_take_the_packages_own_names(job: Job, name: str) -> None:
    with pytest.raises(PackagingError, match=f"{name}: the package has its own {name}; rename"):
        describe(job({name: ""}, path=name))


def test_a_folder_needs_a_module(job: Job) -> None:
    with pytest.raises(PackagingError, match=r"code: a folder needs python_module_name, the modul"):
        describe(job({"task.py": ""}, path="."))


def test_a_job_of_a_container_has_nothing_to_package() -> None:
    made = CustomJob(display_name="x", container_uri="example.com/image", command=["train"])
    with pytest.raises(PackagingError, match="the job has no script_path, so there is nothing to"):
        describe(made)
