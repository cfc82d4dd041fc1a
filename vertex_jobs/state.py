"""The state directory: where this machine keeps what outlives a command.

Local Vertex and the journal of submissions share it, and each of them takes it here. It is ours
alone, because servers remove what earlier ones left in it: a directory is taken only if it is
empty, bears our marker, or was made by a release that had no marker.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from vertex_jobs.errors import UnsupportedHereError

__all__ = [
    "MARKER",
    "check_state_directory",
    "named_directory",
    "state_directory",
    "take_state_directory",
]

#: The file by which a state directory is known.
MARKER = ".vertex-jobs-state"
_MARKER_TEXT = (
    "This directory holds the state of vertex-jobs: the jobs and buckets of Local Vertex, and the\n"
    "journal of submissions. Keep no files of your own in it. It can be removed when no job runs.\n"
)
_VARIABLE = "VERTEX_JOBS_STATE_DIR"
_REMEDY = f"name a new or an empty directory with --state-dir or ${_VARIABLE}"
#: What releases without a marker wrote, and no other program writes.
_ENDPOINT_FIELDS = {"port", "pid", "token", "project", "location"}
_ENTRY_FIELDS = {"creates", "changed", "headers"}


def state_directory(
    named: str | Path | None = None, environ: Mapping[str, str] = os.environ
) -> Path:
    """Return the named directory, else ``$VERTEX_JOBS_STATE_DIR``, else the user's own.

    That is ``~/.local/state/vertex-jobs``. The path is absolute; nothing is looked at or made.

    Raises:
        UnsupportedHereError: If the name or the variable is empty.
    """
    if named is not None:
        return named_directory(named, "state_dir")
    if _VARIABLE in environ:
        return named_directory(environ[_VARIABLE], f"${_VARIABLE}")
    return Path.home() / ".local" / "state" / "vertex-jobs"


def named_directory(name: str | Path, source: str) -> Path:
    """Return the directory of that name.

    Args:
        name: As somebody gave it.
        source: Where it stands, for the message.

    Raises:
        UnsupportedHereError: If it is empty. That would be the current directory, and comes of a
            variable that is not set.
    """
    if not str(name).strip():
        raise UnsupportedHereError(
            f"{source} is {str(name)!r}, which names no directory; name one, or leave it out for "
            "~/.local/state/vertex-jobs"
        )
    return Path(name).absolute()


def check_state_directory(path: Path) -> None:
    """Refuse a directory that is not ours; nothing is made or changed.

    Raises:
        UnsupportedHereError: If the directory has files, and neither a marker nor what a release
            without one wrote.
    """
    if path.is_dir() and not (_is_marked(path) or _is_empty(path) or _is_unmarked_state(path)):
        # Another command may have taken the empty directory since it was looked at.
        if _is_marked(path):
            return
        raise UnsupportedHereError(
            f"{path} is not empty and no state directory: it has no file {MARKER}, so that what "
            f"is in it must be somebody's; {_REMEDY}"
        )


def take_state_directory(path: Path) -> None:
    """Make the directory ours, and make it if there is none.

    Raises:
        UnsupportedHereError: If it is not ours to take.
        OSError: If it cannot be made or written.
    """
    check_state_directory(path)
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The marker comes first, so that another command finds the directory empty or ours.
    with contextlib.suppress(FileExistsError), (path / MARKER).open("x", encoding="ascii") as file:
        file.write(_MARKER_TEXT)


def _is_marked(path: Path) -> bool:
    return (path / MARKER).is_file()


def _is_empty(path: Path) -> bool:
    with os.scandir(path) as entries:
        return next(entries, None) is None


def _is_unmarked_state(path: Path) -> bool:
    """Return whether a release without a marker made it: a server's record, or a submission's."""
    if _fields(path / "endpoint.json") == _ENDPOINT_FIELDS:
        return True
    return any(_fields(entry) == _ENTRY_FIELDS for entry in path.glob("submissions/*.json"))


def _fields(path: Path) -> set[str]:
    """Return the names in a JSON object; none if the file holds something else."""
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return set(form) if isinstance(form, dict) else set()
