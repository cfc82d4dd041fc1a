"""Archives of any origin: files that are unpacked, and files that are refused."""

import gzip
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs.packaging import ArchiveError, extract, unpacking

Member = tuple[str, str, bytes | str]


def tar(path: Path, *members: Member, mode: str = "w:gz", permissions: int = 0o644) -> Path:
    """Write an archive of members: kind (``file``, ``dir``, ``sym``, …), name, content."""
    kinds = {
        "dir": tarfile.DIRTYPE,
        "sym": tarfile.SYMTYPE,
        "link": tarfile.LNKTYPE,
        "fifo": tarfile.FIFOTYPE,
        "device": tarfile.CHRTYPE,
        "unknown": b"Z",
    }
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for kind, name, content in members:
            entry = tarfile.TarInfo(name)
            entry.type = kinds.get(kind, tarfile.REGTYPE)
            entry.mode = permissions
            if isinstance(content, str):
                entry.linkname = content
            else:
                entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content) if isinstance(content, bytes) else None)
    return path


def unpacked(path: Path) -> dict[str, bytes | None]:
    """Unpack an archive, and nothing beside it; return contents of files, None for folders."""
    beside = path.parent / "beside"
    extract(path, beside / "unpacked")
    assert [one.name for one in beside.iterdir()] == ["unpacked"]
    root = beside / "unpacked"
    found = {str(one.relative_to(root)): one for one in root.rglob("*")}
    assert not any(one.is_symlink() for one in found.values())
    return {name: None if one.is_dir() else one.read_bytes() for name, one in found.items()}


@pytest.mark.parametrize("mode", ["w:", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_of_every_compression(tmp_path: Path, mode: str) -> None:
    path = tar(tmp_path / "x.tar.gz", ("file", "a/b.py", b"1"), ("dir", "a/c", b""), mode=mode)
    assert unpacked(path) == {"a": None, "a/b.py": b"1", "a/c": None}


@pytest.mark.parametrize("suffix", ["zip", "whl"])
def test_a_zip(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/b.py", "1")
        archive.writestr("a/c/", "")
    assert unpacked(path) == {"a": None, "a/b.py": b"1", "a/c": None}


@pytest.mark.parametrize("size", [511, 512, (1 << 20) + 1])
def test_contents_of_every_size(tmp_path: Path, size: int) -> None:
    content = os.urandom(size)
    path = tar(tmp_path / "x.tar.gz", ("file", "a", content), ("file", "b", content))
    assert unpacked(path) == {"a": content, "b": content}


@pytest.mark.parametrize(
    ("kind", "name", "target"),
    [
        ("sym", "a/same.py", "b.py"),
        ("sym", "a/c/up.py", "../b.py"),
        ("link", "hard.py", "a/b.py"),
        ("sym", "chained.py", "hard-later.py"),
    ],
)
def test_a_link_within_becomes_a_copy(tmp_path: Path, kind: str, name: str, target: str) -> None:
    later: Member = ("link", "hard-later.py", "a/b.py")
    path = tar(tmp_path / "x.tar.gz", (kind, name, target), ("file", "a/b.py", b"1"), later)
    assert unpacked(path)[name] == b"1"


def test_a_link_to_a_folder_becomes_a_copy(tmp_path: Path) -> None:
    path = tar(tmp_path / "x.tar.gz", ("sym", "b", "a"), ("file", "a/c/d.py", b"1"))
    assert unpacked(path)["b/c/d.py"] == b"1"


def test_a_link_to_nothing_is_left_out(tmp_path: Path) -> None:
    path = tar(tmp_path / "x.tar.gz", ("sym", "a", "nothing"), ("sym", "b", "a"))
    assert unpacked(path) == {}


def test_rights_are_the_umasks(tmp_path: Path) -> None:
    path = tar(tmp_path / "x.tar.gz", ("file", "a/run", b""), permissions=0o6777)
    before = os.umask(0o027)
    try:
        extract(path, tmp_path / "unpacked")
    finally:
        os.umask(before)
    made = [tmp_path / "unpacked" / name for name in ("a", "a/run")]
    assert [f"{one.stat().st_mode & 0o7777:o}" for one in made] == ["750", "750"]


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (("file", "/etc/passwd", b""), "it would be written elsewhere"),
        (("file", "a/../../b", b""), "it would be written elsewhere"),
        (("dir", "../b", b""), "it would be written elsewhere"),
        (("sym", "a", "/etc/passwd"), "it links to '/etc/passwd', which is not in it"),
        (("sym", "a/b", "../../c"), "which is not in it"),
        (("link", "a", "../c"), "which is not in it"),
        (("sym", "a/b/c", ".."), "links to its own folder"),
        (("fifo", "a", b""), "it is no file, folder or link"),
        (("device", "a", b""), "it is no file, folder or link"),
        (("unknown", "a", b""), "it is no file, folder or link"),
    ],
)
def test_what_does_not_belong_in_a_package(tmp_path: Path, member: Member, message: str) -> None:
    path = tar(tmp_path / "x.tar.gz", ("file", "a/x.py", b""), member)
    with pytest.raises(ArchiveError, match=message):
        unpacked(path)


@pytest.mark.parametrize("name", ["/a", "../a", "a/../../b"])
def test_a_zip_that_would_write_elsewhere(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "")
    with pytest.raises(ArchiveError, match="it would be written elsewhere"):
        unpacked(path)


def test_a_file_below_a_link_writes_nothing_elsewhere(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = tar(tmp_path / "x.tar.gz", ("file", "a/b", b"1"), ("sym", "a/b", str(elsewhere)))
    with pytest.raises(ArchiveError):
        unpacked(path)
    assert list(elsewhere.iterdir()) == []


def truncated(path: Path) -> None:
    tar(path, ("file", "a", os.urandom(5000)))
    path.write_bytes(path.read_bytes()[:2000])


def conflicting(path: Path) -> None:
    tar(path, ("file", "a", b""), ("file", "a/b", b""))


def not_compressed(path: Path) -> None:
    path.write_bytes(b"\x1f\x8bno")


def with_a_huge_header(path: Path) -> None:
    header = tarfile.TarInfo("a")
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    with gzip.open(path, "wb") as file:
        file.write(header.tobuf())


def with_headers_without_end(path: Path) -> None:
    header = tarfile.TarInfo("a")
    header.type = tarfile.XHDTYPE
    path.write_bytes(header.tobuf() * 5000)


@pytest.mark.parametrize(
    "make",
    [
        truncated,
        conflicting,
        not_compressed,
        with_a_huge_header,
        with_headers_without_end,
        lambda path: path.write_bytes(b"no archive"),
        lambda path: path.write_bytes(b""),
    ],
)
def test_a_damaged_tar(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "x.tar.gz")
    with pytest.raises(ArchiveError):
        extract(tmp_path / "x.tar.gz", tmp_path / "unpacked")


def test_an_encrypted_zip(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "1")
    content = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match="encrypted"):
        extract(path, tmp_path / "unpacked")


@pytest.mark.parametrize("name", ["x.tar.gz", "x.zip"])
def test_a_bomb(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "FREE_BYTES", 1 << 20)
    path, zeros = tmp_path / name, b"\0" * (4 << 20)
    if name == "x.zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a", zeros)
    else:
        tar(path, ("file", "a", zeros))
    with pytest.raises(ArchiveError, match="it unpacks to too many bytes for its size"):
        extract(path, tmp_path / "unpacked")
    assert (tmp_path / "unpacked" / "a").stat().st_size <= 3 << 20


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_FILES", 4)
    path = tar(tmp_path / "x.tar.gz", *(("file", str(n), b"") for n in range(5)))
    with pytest.raises(ArchiveError, match="it holds more than 4 files and folders"):
        extract(path, tmp_path / "unpacked")


#: ``tarfile`` as it is in Python 3.11.3, without filters.
WITHOUT_FILTERS = """
import tarfile
for name in [name for name in vars(tarfile) if name.endswith("_filter")]:
    delattr(tarfile, name)
for name in ("extract", "extractall"):
    def refuse(self, *arguments, filter=None, _known=getattr(tarfile.TarFile, name), **options):
        if filter is not None:
            raise TypeError("TarFile.extractall() got an unexpected keyword argument 'filter'")
        return _known(self, *arguments, **options)
    setattr(tarfile.TarFile, name, refuse)
import asyncio, sys
from pathlib import Path
from vertex_jobs.emulator.replicas.packages import Packages
from vertex_jobs.emulator.storage.objects import ObjectStore
folder = Path(sys.argv[1])
objects = ObjectStore(folder / "objects", create_buckets=True)
objects.write("bucket", "x.tar.gz", (folder / "x.tar.gz").read_bytes())
(package,) = asyncio.run(Packages(folder / "packages", objects).read(["gs://bucket/x.tar.gz"]))
print([path.name for path in package.folder.rglob("*.py")])
"""


def test_a_package_on_a_python_whose_tarfile_knows_no_filters(tmp_path: Path) -> None:
    tar(tmp_path / "x.tar.gz", ("file", "x-0.1/PKG-INFO", b""), ("file", "x-0.1/x/task.py", b""))
    words = [sys.executable, "-c", WITHOUT_FILTERS, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("['task.py']\n", 0), done.stderr
