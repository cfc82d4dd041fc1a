"""The files of a folder that do not travel: build leftovers, and files excluded by git or config.

For ``sources``. It decides by name alone and reads only ``.gitignore`` files; ``secrets`` then
checks the content of the files that are left.
"""

import fnmatch
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.errors import PackagingError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_LEFTOVER_FOLDERS = (
    "*.egg-info", ".git", ".hg", ".idea", ".ipynb_checkpoints", ".mypy_cache", ".nox",
    ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__",
    "node_modules",
)  # fmt: skip
_LEFTOVER_FILES = ("*.pyc", "*.pyo", ".DS_Store", ".coverage", ".gitignore", "*.swp", "*~")


class Exclusions:
    """The rules for one job's files, and the reasons for those that they have left out, by path."""

    def __init__(self, root: Path, patterns: Sequence[str] = ()) -> None:
        """Take patterns as in a ``.gitignore`` of ``root``, which override every other rule."""
        self.left_out: dict[Path, str] = {}
        self._root = root.absolute()
        self._own = _rules(patterns) if patterns else None
        self._ignores: dict[Path, GitIgnoreSpec | None] = {}
        self._top = self._repository()

    def walk(self, directory: Path, *, named: bool = False) -> Iterator[Path]:
        """Yield every file of a folder that travels, sorted by path.

        In a folder that the config names, git's rules do not count.

        Raises:
            PackagingError: If a link leads to a folder or to nothing, or an entry is no file.
        """
        for above, folders, names in os.walk(directory):
            here = Path(above)
            folders[:] = [
                name
                for name in sorted(folders)
                if self.allows(here / name, named=named, folder=True)
            ]
            for name in folders:
                if (here / name).is_symlink():
                    raise PackagingError(
                        f"{here / name}: it is a link to a folder, which a package cannot hold; "
                        "put a copy in its place, or leave it out with exclude_files"
                    )
            for name in sorted(names):
                if self.allows(here / name, named=named):
                    yield _checked(here / name)

    def allows(self, path: Path, *, named: bool = False, folder: bool = False) -> bool:
        """Return whether a file or folder travels; note the reason if not."""
        reason = self._reason(path, named, folder)
        if reason:
            self.left_out[path] = reason
        return not reason

    def _reason(self, path: Path, named: bool, folder: bool) -> str:
        if self._own is not None and _matches(self._own, path, self._root, folder):
            return "exclude_files"
        if folder and (
            _named_like(path.name, _LEFTOVER_FOLDERS) or (path / "pyvenv.cfg").is_file()
        ):
            return "build leftover"  # every virtual environment has that file at its top
        if not folder and _named_like(path.name, _LEFTOVER_FILES):
            return "build leftover"
        if not named and self._is_ignored(path.absolute(), folder):
            return ".gitignore"
        return ""

    def _repository(self) -> Path:
        """Return the topmost folder whose ``.gitignore`` counts: the working tree or the root."""
        top = next(
            (one for one in (self._root, *self._root.parents) if (one / ".git").exists()), None
        )
        if top is None:
            return self._root
        # Git ignores everything in an ignored folder, but the user wants to package this one.
        self._top = top
        return self._root if top != self._root and self._is_ignored(self._root, True) else top

    def _is_ignored(self, path: Path, folder: bool) -> bool:
        """Return whether git would ignore it: the nearest file with a matching rule decides."""
        for above in path.parents:
            rules = self._rules_in(above)
            verdict = None if rules is None else _matches(rules, path, above, folder)
            if verdict is not None:
                return verdict
            if above == self._top:
                break
        return False

    def _rules_in(self, folder: Path) -> "GitIgnoreSpec | None":
        if folder not in self._ignores:
            try:
                lines = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
                self._ignores[folder] = _rules(lines.splitlines())
            except OSError:
                self._ignores[folder] = None
        return self._ignores[folder]


def _rules(lines: Sequence[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise PackagingError(
            f"{error}; write patterns as in a .gitignore, e.g. notes/ or *.csv"
        ) from error


def _matches(rules: "GitIgnoreSpec", path: Path, base: Path, folder: bool) -> bool | None:
    """Return whether the rules match the path or exempt it; None when no rule applies."""
    absolute = path.absolute()
    if not absolute.is_relative_to(base):
        return None
    relative = absolute.relative_to(base).as_posix()
    return rules.check_file(f"{relative}/" if folder else relative).include


def _named_like(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _checked(path: Path) -> Path:
    if not path.is_file():
        what = "link to nothing" if path.is_symlink() else "socket, pipe or device"
        raise PackagingError(
            f"{path}: it is a {what}; move it out of the package, or leave it out with "
            "exclude_files"
        )
    return path
