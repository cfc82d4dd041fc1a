"""Private wheels: read, named, refused; and the request and proof that include them."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs import requests
from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import describe, verify, write
from vertex_jobs.requests import Place
from vertex_jobs.spec import CustomJob, from_mapping

Job = Callable[..., CustomJob]
PLACE = Place("p", "us-central1", "gs://bucket")
NAME = "private_lib-1.2-py3-none-any.whl"
METADATA = {
    "METADATA": "Metadata-Version: 2.1\nName: private-lib\nVersion: 1.2\n",
    "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "RECORD": "private_lib.py,,\n",
}


@pytest.fixture
def wheel(tmp_path: Path) -> Callable[..., Path]:
    """Write a wheel with one module that says hello."""

    def make(name: str = NAME, text: str = "WORD = 'hello'") -> Path:
        path = tmp_path / "wheels" / name
        path.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("private_lib.py", text)
            for file, content in METADATA.items():
                archive.writestr(f"private_lib-1.2.dist-info/{file}", content)
        return path

    return make


def test_a_wheel_travels_beside_the_package(job: Job, wheel: Callable[..., Path]) -> None:
    made = describe(job({"task.py": ""}, requirements=("numpy", str(wheel()))))
    assert ([one.file_name for one in made.wheels], "numpy" in made.requirements) == ([NAME], True)
    assert not any("private" in line for line in made.requirements)


def test_a_wheels_content_is_part_of_the_hash(job: Job, wheel: Callable[..., Path]) -> None:
    made = job({"task.py": ""}, requirements=(str(wheel()),))
    before = describe(made).content_hash
    wheel(text="WORD = 'other'")
    assert describe(made).content_hash != before


def test_wheels_are_installed_before_the_package(job: Job, wheel: Callable[..., Path]) -> None:
    package = describe(job({"task.py": ""}, requirements=(str(wheel()),)))
    folder = "gs://bucket/vertex-jobs/packages"
    assert requests.package_uris(PLACE, package) == (
        f"{folder}/{package.wheels[0].content_hash}/{NAME}",
        f"{folder}/{package.file_name}",
    )


def test_an_image_of_ones_own_installs_both_at_once() -> None:
    uris = ("gs://b/x/lib-1-py3-none-any.whl", "gs://b/task.tar.gz")
    command = requests.container_command(uris, "task")[2]
    assert " install --quiet /gcs/b/x/lib-1-py3-none-any.whl /gcs/b/task.tar.gz && " in command


def test_the_proof_sees_the_wheel(job: Job, wheel: Callable[..., Path], tmp_path: Path) -> None:
    script = "import private_lib\nprint(private_lib.WORD)"
    package = describe(job({"task.py": script}, requirements=(str(wheel()),)))
    *wheels, path = write(package, tmp_path / "dist")
    assert (verify(path, wheels).output, verify(path).passed) == ("hello\n", False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("private.whl", "keep the name that the build gave it"),
        ("lib-1-cp311-cp311-macosx_11_0_arm64.whl", "it is built for macosx_11_0_arm64, and the j"),
        ("lib-1-cp311-cp311-win_amd64.whl", "it is built for win_amd64, and the job runs on Linux"),
        (
            "lib-1-cp312-cp312-manylinux_2_17_x86_64.whl",
            r"it is built for cp312, and the image has Python 3\.10; build it with that Python",
        ),
        ("lib-1-py27-none-any.whl", r"it is built for py27, and the image has Python 3\.10"),
        ("lib-1-cp311-cp311-manylinux_2_17_aarch64.whl", "it is built for manylinux_2_17_aarch64"),
    ],
)
def test_wheels_that_cannot_be_installed_there(
    job: Job, wheel: Callable[..., Path], name: str, message: str
) -> None:
    with pytest.raises(PackagingError, match=message):
        describe(job({"task.py": ""}, requirements=(str(wheel(name)),)))


@pytest.mark.parametrize(
    "tag",
    [
        *("cp310-cp310-manylinux_2_17_x86_64", "cp310-cp310-manylinux2014_x86_64"),
        *("cp310-cp310-linux_x86_64", "cp38-abi3-manylinux_2_28_x86_64"),
        *("py3-none-any", "py2.py3-none-any", "py39-none-any"),
    ],
)
def test_wheels_for_the_services_machines(job: Job, wheel: Callable[..., Path], tag: str) -> None:
    path = wheel(f"lib-1-{tag}.whl")
    assert describe(job({"task.py": ""}, requirements=(str(path),))).wheels[0].content


def test_a_wheel_that_is_not_there_is_refused(job: Job) -> None:
    with pytest.raises(PackagingError, match=r"gone-1-py3-none-any\.whl: the wheel cannot be read"):
        describe(job({"task.py": ""}, requirements=("gone-1-py3-none-any.whl",)))


def test_a_config_names_its_wheel_relative_to_itself(
    wheel: Callable[..., Path], tmp_path: Path
) -> None:
    path = wheel()
    (tmp_path / "task.py").write_text("")
    made = from_mapping(
        {
            "kind": "custom_job",
            "display_name": "x",
            "script_path": "task.py",
            "requirements": [f"wheels/{NAME}"],
        },
        source="test",
        base_directory=tmp_path,
    )
    assert list(made.requirements) == [str(path)]


@pytest.mark.parametrize(
    "line", ["lib @ https://me:word@host/lib", "lib @ git+https://t0ken@host/x"]
)
def test_a_password_in_a_requirement_is_refused(job: Job, line: str) -> None:
    with pytest.raises(PackagingError, match="the requirement of lib holds a password, and a pack"):
        describe(job({"task.py": ""}, requirements=(line,)))
