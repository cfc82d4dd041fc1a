"""Some of the libraries that are installed here, linked into a folder of their own.

For the proof of a package: what is in the folder is seen by a program, and nothing else of this
interpreter's libraries is. Folders that several libraries share are made anew, with links below.
"""

import importlib.metadata
from collections.abc import Container, Iterator
from pathlib import Path, PurePosixPath

from vertex_jobs.packaging.brought_modules import stands_for


def link_libraries(folder: Path, names: Container[str] | None) -> None:
    """Link the installed distributions of these names, as pip compares them; all for None.

    The folder is then as a ``site-packages`` with these alone.
    """
    wanted: dict[PurePosixPath, Path] = {}
    others: set[PurePosixPath] = set()
    for distribution in importlib.metadata.distributions():
        files = list(_files(distribution))
        if names is None or stands_for(distribution.name) in names:
            for path in files:
                wanted.setdefault(path, Path(str(distribution.locate_file(path))))
        else:
            others.update(parent for path in files for parent in path.parents)
    folder.mkdir()
    for path, source in wanted.items():
        _link(folder, path, source, others)


def _files(distribution: importlib.metadata.Distribution) -> Iterator[PurePosixPath]:
    """Yield what lies in ``site-packages``: no programs, and no caches."""
    for path in distribution.files or ():
        if path.parts[0] not in ("..", "/", "__pycache__"):
            yield PurePosixPath(path)


def _link(
    folder: Path, path: PurePosixPath, source: Path, others: Container[PurePosixPath]
) -> None:
    """Link a file, or the highest folder on the way to it that no other distribution shares."""
    above = path.parents[:-1]  # without the root
    own = next((parent for parent in reversed(above) if parent not in others), path)
    target = folder / own
    if target.is_symlink() or not source.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(_ancestor(source, len(path.parts) - len(own.parts)))


def _ancestor(path: Path, levels: int) -> Path:
    return path.parents[levels - 1] if levels else path
