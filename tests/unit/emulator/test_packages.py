"""Archives that a job names: what they are taken for, and what is said of those that are none."""

import asyncio
import io
import tarfile
import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from vertex_jobs.emulator.replicas import packages as packages_module
from vertex_jobs.emulator.replicas.packages import Package, Packages
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects import ObjectStore
from vertex_jobs.packaging.sdist import write_sdist

URI = "gs://bucket/trainer-0.1.tar.gz"


def tar(files: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return content.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def encrypted() -> bytes:
    """A zip whose one member says that it is encrypted."""
    content = bytearray(zipped({"trainer/setup.py": b"x"}))
    content[content.index(b"PK\x03\x04") + 6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def store(folder: Path, content: bytes, uri: str = URI) -> Packages:
    objects = ObjectStore(folder / "objects", create_buckets=True)
    bucket, _, path = uri.removeprefix("gs://").partition("/")
    objects.write(bucket, path, content)
    return Packages(folder / "packages", objects)


def read(folder: Path, content: bytes, uri: str = URI) -> Package:
    (package,) = asyncio.run(store(folder, content, uri).read([uri]))
    return package


METADATA = b"Metadata-Version: 2.1\nName: A.Trainer\nVersion: 0.1\n"
INFO = "trainer-0.1.dist-info"
WHEEL: dict[str, bytes] = {
    f"{INFO}/METADATA": b"Metadata-Version: 2.1\nName: trainer\nVersion: 0.1\n",
    f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/RECORD": b"",
    "trainer/__init__.py": b"",
}
WHEEL_URI = "gs://bucket/trainer-0.1-py3-none-any.whl"


def test_a_distribution_is_known_by_its_own_metadata(tmp_path: Path) -> None:
    files = {"t/PKG-INFO": METADATA + b"Requires-Dist: numpy>=1\n", "t/setup.py": b""}
    package = read(tmp_path, tar(files))
    assert (package.name, package.requirements) == ("a-trainer", ("numpy>=1",))


def test_the_requirements_of_extras_are_not_those_of_the_package(tmp_path: Path) -> None:
    more = b"Requires-Dist: numpy\nRequires-Dist: no-such-one; extra == 'gpu'\n"
    assert read(tmp_path, tar({"t/PKG-INFO": METADATA + more})).requirements == ("numpy",)


def test_older_tools_list_requirements_beside_the_metadata(tmp_path: Path) -> None:
    listed = b"numpy\n\n[gpu]\nno-such-one\n"
    files = {"t/PKG-INFO": METADATA, "t/a.egg-info/requires.txt": listed}
    assert read(tmp_path, tar(files)).requirements == ("numpy",)


def test_a_folder_without_metadata_may_become_anything(tmp_path: Path) -> None:
    package = read(tmp_path, tar({"trainer/setup.py": b"", "trainer/trainer/task.py": b""}))
    assert (package.name, package.laid_out, package.folder.name) == ("", False, "trainer")


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "trainer-0.1-py2-none-any.whl"),
        ({}, "trainer-0.2-py3-none-any.whl"),
        ({}, "trainer.whl"),
        ({f"{INFO}/RECORD": None}, "trainer-0.1-py3-none-any.whl"),
        ({"trainer-0.1.data/scripts/run": b""}, "trainer-0.1-py3-none-any.whl"),
        ({f"{INFO}/entry_points.txt": b"[console_scripts]\na = b:c\n"}, ""),
        ({f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"}, ""),
        ({f"{INFO}/WHEEL": b"Wheel-Version: 2.0\nRoot-Is-Purelib: true\n"}, ""),
        ({f"{INFO}/METADATA": METADATA}, ""),
        ({f"{INFO}/METADATA": WHEEL[f"{INFO}/METADATA"] + b"Requires-Python: <3\n"}, ""),
        ({"other-0.1.dist-info/METADATA": METADATA}, ""),
    ],
)
def test_a_wheel_that_is_more_than_its_files_is_for_pip(
    tmp_path: Path, changes: dict[str, bytes | None], name: str
) -> None:
    files = {key: value for key, value in {**WHEEL, **changes}.items() if value is not None}
    uri = f"gs://bucket/{name}" if name else WHEEL_URI
    assert read(tmp_path, zipped(files), uri).laid_out is False


def test_a_plain_wheel_is_laid_out(tmp_path: Path) -> None:
    package = read(tmp_path, zipped(WHEEL), WHEEL_URI)
    assert (package.laid_out, package.name) == (True, "trainer")


@pytest.mark.parametrize("changed", ["setup.py", "pyproject.toml", "PKG-INFO", "more.txt"])
def test_our_own_package_with_a_change_is_for_pip(tmp_path: Path, changed: str) -> None:
    path = tmp_path / "trainer-0.1.tar.gz"
    contents = {"__init__.py": b"", "task.py": b""}
    write_sdist(path, name="trainer", version="0.1", contents=contents, requirements=[])
    assert read(tmp_path / "plain", path.read_bytes()).laid_out is True
    with tarfile.open(path) as archive:
        members = {
            one.name: opened.read()
            for one in archive.getmembers()
            if (opened := archive.extractfile(one)) is not None
        }
    members[f"trainer-0.1/{changed}"] = members.get(f"trainer-0.1/{changed}", b"") + b"\n# more\n"
    assert read(tmp_path / "changed", tar(members)).laid_out is False


def test_equal_content_is_unpacked_once(tmp_path: Path) -> None:
    content = tar({"trainer/setup.py": b""})
    packages = store(tmp_path, content)
    packages._objects.write("bucket", "again.tar.gz", content)
    first, second = asyncio.run(packages.read([URI, "gs://bucket/again.tar.gz"]))
    assert (first.folder, first.digest) == (second.folder, second.digest)


def big() -> dict[str, bytes]:
    return {"t/big": b"\0" * (110 << 20)}


def listing(requirement: bytes) -> bytes:
    return tar({"t/PKG-INFO": METADATA + b"Requires-Dist: " + requirement + b"\n"})


@pytest.mark.parametrize(
    ("content", "uri", "reason"),
    [
        pytest.param(
            lambda: tar({"t/setup.py": b"x" * 9999})[:-30], URI, "it cannot be read", id="cut"
        ),
        pytest.param(encrypted, "gs://bucket/x.zip", "password required", id="encrypted"),
        pytest.param(lambda: b"no archive", URI, "it cannot be read", id="text"),
        pytest.param(lambda: tar(big()), URI, "it unpacks to too many bytes", id="bomb"),
        pytest.param(lambda: zipped(big()), "gs://bucket/x.zip", "too many bytes", id="zip-bomb"),
        pytest.param(lambda: listing(b"\xe4"), URI, "requires", id="not-UTF-8"),
        pytest.param(lambda: listing(b"a b"), URI, "requires 'a b'", id="no-requirement"),
    ],
)
def test_what_is_no_package_is_refused_in_words(
    tmp_path: Path, content: Callable[[], bytes], uri: str, reason: str
) -> None:
    with pytest.raises(ApiError, match=f"^INVALID_ARGUMENT: The package {uri} .*{reason}"):
        read(tmp_path, content(), uri)
    assert list((tmp_path / "packages").glob(".*")) == []


@pytest.mark.parametrize("uri", ["gs://bucket/a/..", "gs://bucket/a/.", "gs://bucket/a/"])
def test_an_object_may_have_any_name(tmp_path: Path, uri: str) -> None:
    package = read(tmp_path, tar({"t/PKG-INFO": METADATA}), uri)
    assert package.name == "a-trainer"


def test_metadata_of_another_encoding_is_read(tmp_path: Path) -> None:
    files = {"t/PKG-INFO": METADATA + "Author: Jürgen\nRequires-Dist: numpy\n".encode("latin-1")}
    assert read(tmp_path, tar(files)).requirements == ("numpy",)


def test_the_server_answers_while_it_unpacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unpacking goes on for as long as nothing else has run."""
    answered, extract = threading.Event(), packages_module.extract

    def extract_late(path: Path, directory: Path) -> None:
        assert answered.wait(60)
        extract(path, directory)

    monkeypatch.setattr(packages_module, "extract", extract_late)

    async def body() -> None:
        reading = asyncio.create_task(store(tmp_path, tar({"t/setup.py": b""})).read([URI]))
        await asyncio.sleep(0)
        answered.set()
        assert len(await reading) == 1

    asyncio.run(body())
