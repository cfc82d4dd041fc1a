"""Packages and wheels unpacked onto ``sys.path``: what an installation of pure Python would do.

For the proof and for debugging; nothing is built, and no requirement is installed.
"""

import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from vertex_jobs.errors import PackagingError

__all__ = ["unpack"]


def unpack(paths: Sequence[Path], directory: Path) -> list[Path]:
    """Unpack archives that ``write`` wrote, each into a folder of its own.

    Returns:
        The folders for ``sys.path``, in the order of the archives.

    Raises:
        PackagingError: If a file is no such archive, or would write elsewhere.
    """
    return [
        _wheel(path, directory / path.stem)
        if path.suffix == ".whl"
        else _source_distribution(path, directory)
        for path in paths
    ]


def _source_distribution(path: Path, directory: Path) -> Path:
    """Unpack and return the folder that holds the top-level package."""
    try:
        with tarfile.open(path) as archive:
            for member in archive.getmembers():
                content = archive.extractfile(member)
                target = directory / member.name
                if content is None or not target.resolve().is_relative_to(directory.resolve()):
                    raise PackagingError(f"{path}: {member.name} does not belong in a package")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
    except (OSError, tarfile.TarError) as error:
        raise PackagingError(
            f"{path}: it is not a source distribution; build it with `vertex-jobs package`"
        ) from error
    return directory / path.name.removesuffix(".tar.gz")


def _wheel(path: Path, directory: Path) -> Path:
    try:
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(directory)
    except (OSError, zipfile.BadZipFile) as error:
        raise PackagingError(f"{path}: it is not a wheel ({error}); build it again") from error
    return directory
