"""Archives of any origin, unpacked into one folder and nowhere else.

For the proof and for debugging, where unpacking onto ``sys.path`` replaces an installation of pure
Python, and for Local Vertex, which runs any uploaded archive. ``tarfile``'s own filter is not in
every Python that we support: 3.10 has it since 3.10.12, 3.11 since 3.11.4.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import IO, cast

from vertex_jobs.errors import PackagingError

#: Limits of one archive. Packages of code stay far below; a zip bomb of a megabyte exceeds them.
MOST_FILES = 100_000
MOST_BYTES = 4 << 30
#: Bytes that any archive may unpack to, and for larger content the bytes per byte of the archive.
FREE_BYTES = 100 << 20
MOST_RATIO = 200
_BLOCK_BYTES = 1 << 20
#: Longest read at once; headers are read whole.
_MOST_READ_BYTES = 16 << 20
_ZIP_SUFFIXES = (".whl", ".zip")
#: First bytes of compressed files.
_COMPRESSIONS = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ\x00": lzma}


class ArchiveError(ValueError):
    """An archive is damaged, too large, or holds what does not belong in a package."""


def extract(path: Path, directory: Path) -> None:
    """Unpack an archive: zip if its name ends in ``.zip`` or ``.whl``, else tar.

    Only regular files and folders are made, with the umask's modes and the execute bit. A link to
    another file or folder of the archive becomes a copy of it. The directory is new or empty; after
    an error it may hold some of the files.

    Raises:
        ArchiveError: If the archive cannot be read, is too large, or has a name, a link or a device
            that does not belong in a package.
    """
    most = min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * path.stat().st_size))
    target = _Target(directory, most, MOST_FILES)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if path.suffix in _ZIP_SUFFIXES:
            _extract_zip(path, target)
        else:
            _extract_tar(path, target)
    except ArchiveError:
        raise
    except Exception as error:  # the standard library's errors for damaged files are not documented
        raise ArchiveError(f"it cannot be read ({type(error).__name__}: {error})") from error


@dataclass
class _Target:
    """The folder that an archive is unpacked into, and its remaining limits."""

    directory: Path
    bytes_left: int
    files_left: int

    def place(self, name: str) -> Path:
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts:
            raise _misplaced(name, "it would be written elsewhere")
        return self.directory / pure

    def make_folder(self, path: Path) -> None:
        self._count_file()
        path.mkdir(parents=True, exist_ok=True)

    def write(self, path: Path, content: IO[bytes], *, executable: bool) -> None:
        self._count_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            while block := content.read(_BLOCK_BYTES):
                self.bytes_left -= len(block)
                if self.bytes_left < 0:
                    raise ArchiveError("it unpacks to too many bytes for its size")
                file.write(block)
        if executable:
            mode = path.stat().st_mode
            path.chmod(mode | (mode & 0o444) >> 2)

    def copy(self, source: Path, path: Path) -> None:
        """Put a copy of an unpacked file or folder in the place of a link to it."""
        if source.is_dir() and path.is_relative_to(source):
            raise ArchiveError(f"{path.relative_to(self.directory)} links to its own folder")
        for one in sorted(source.rglob("*")) if source.is_dir() else [source]:
            place = path / one.relative_to(source)
            if one.is_dir():
                self.make_folder(place)
            else:
                with one.open("rb") as content:
                    self.write(place, content, executable=bool(one.stat().st_mode & 0o100))

    def _count_file(self) -> None:
        self.files_left -= 1
        if self.files_left < 0:
            raise ArchiveError(f"it holds more than {MOST_FILES} files and folders")


def _extract_zip(path: Path, target: _Target) -> None:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            place = target.place(member.filename)
            if member.is_dir():
                target.make_folder(place)
                continue
            with archive.open(member) as content:
                executable = bool(member.external_attr >> 16 & 0o100)
                target.write(place, content, executable=executable)


def _extract_tar(path: Path, target: _Target) -> None:
    links = {}
    with (
        path.open("rb") as file,
        _decompressed(file) as stream,
        tarfile.open(fileobj=cast(IO[bytes], _SmallReads(stream)), mode="r:") as archive,
    ):
        for member in archive:
            place = target.place(member.name)
            if member.isdir():
                target.make_folder(place)
            elif member.issym():
                links[place] = _linked(member, str(PurePosixPath(member.name).parent), target)
            elif member.islnk():
                links[place] = _linked(member, "", target)
            elif member.isreg():
                content = archive.extractfile(member)
                assert content is not None
                target.write(place, content, executable=bool(member.mode & 0o100))
            else:
                raise _misplaced(member.name, "it is no file, folder or link")
    _resolve(links, target)


def _linked(member: tarfile.TarInfo, folder: str, target: _Target) -> Path:
    """Return the target of a link, whose name is relative to the folder."""
    name = normpath(PurePosixPath(folder, member.linkname))
    if name.startswith(("/", "..")):
        raise _misplaced(member.name, f"it links to {member.linkname!r}, which is not in it")
    return target.place(name)


def _resolve(links: dict[Path, Path], target: _Target) -> None:
    """Replace links by copies of their targets, links to links last; drop dangling ones."""
    while ready := {place: source for place, source in links.items() if source.exists()}:
        for place, source in ready.items():
            target.copy(source, place)
            del links[place]


def _misplaced(name: str, reason: str) -> ArchiveError:
    return ArchiveError(f"{name} does not belong in a package: {reason}")


def _decompressed(file: io.BufferedReader) -> IO[bytes]:
    start = file.peek(6)
    for magic, module in _COMPRESSIONS.items():
        if start.startswith(magic):
            return cast(IO[bytes], module.open(file))
    return file


class _SmallReads:
    """A file that refuses large reads, which come from damaged headers."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek = file.seek
        self.tell = file.tell

    def read(self, size: int) -> bytes:
        if size > _MOST_READ_BYTES:
            raise ArchiveError(f"a header of {size} bytes does not belong in a package")
        return self._file.read(size)


def unpack(paths: Sequence[Path], directory: Path) -> list[Path]:
    """Unpack archives that ``write`` wrote, and return a folder for ``sys.path`` for each in turn.

    Raises:
        PackagingError: If a file is no such archive, or would write elsewhere.
    """
    return [_unpack(path, directory) for path in paths]


def _unpack(path: Path, directory: Path) -> Path:
    """Unpack and return the folder that holds the top-level package."""
    is_wheel = path.suffix == ".whl"
    folder = directory / (path.stem if is_wheel else path.name.removesuffix(".tar.gz"))
    kind, remedy = (
        ("wheel", "build it again")
        if is_wheel
        else ("source distribution", "build it with `vertex-jobs package`")
    )
    try:
        extract(path, folder if is_wheel else directory)
    except (ArchiveError, OSError) as error:
        raise PackagingError(f"{path}: {error}, so it is not a {kind}; {remedy}") from error
    return folder
