"""The state directory: where this machine keeps what outlives a command.

Local Vertex and the journal of submissions share it, and each of them takes it here. It is ours
alone, because servers remove what earlier ones left in it, and run programs from it: a directory is
taken only if it is empty, bears our marker, or was made by a release that had no marker; and if it
is the user's own, whom it is then left to alone.
"""

import contextlib
import json
import os
import pwd
import stat
from collections.abc import Mapping
from pathlib import Path

from vertex_jobs.errors import UnsupportedHereError

#: The file by which a state directory is known.
MARKER = ".vertex-jobs-state"
_MARKER_TEXT = (
    "This directory holds the state of vertex-jobs: the jobs and buckets of Local Vertex, and the\n"
    "journal of submissions. Keep no files of your own in it. It can be removed when no job runs.\n"
)
_VARIABLE = "VERTEX_JOBS_STATE_DIR"
_REMEDY = f"name a new or an empty directory with --state-dir or ${_VARIABLE}"
#: Rights of a group and of all users.
_OTHERS = 0o077
_OTHERS_WRITE = 0o022
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
    """Return the directory of that name, which somebody gave at ``source``.

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
        UnsupportedHereError: If the directory is another user's, or has files, and neither a
            marker nor what a release without one wrote.
    """
    if not path.is_dir():
        return
    if path.stat().st_uid != os.geteuid():
        raise UnsupportedHereError(
            f"{path} belongs to {_owner(path)}, and a state directory must be its user's own, "
            f"{_owner_name(os.geteuid())}'s here; {_REMEDY}"
        )
    if not (_is_marked(path) or _is_empty(path) or _is_unmarked_state(path)):
        # Another command may have taken the empty directory since it was looked at.
        if _is_marked(path):
            return
        raise UnsupportedHereError(
            f"{path} is not empty and no state directory: it has no file {MARKER}, so that what "
            f"is in it must be somebody's; {_REMEDY}"
        )


def take_state_directory(path: Path) -> None:
    """Make the directory ours alone, and make it if there is none.

    Raises:
        UnsupportedHereError: If it is not ours to take.
        OSError: If it cannot be made or written.
    """
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(exist_ok=True, mode=0o700)
    check_state_directory(path)
    _close_to_others(path)
    # The marker comes before all else, so that another command finds the directory empty or ours.
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(path / MARKER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(_MARKER_TEXT)


def _close_to_others(path: Path) -> None:
    """Take the rights to the directory from everybody but its owner.

    Raises:
        UnsupportedHereError: If that cannot be done, or another user could write into it before
            and has files in it, which would be run or read as ours.
    """
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & _OTHERS:
        return
    path.chmod(mode & ~_OTHERS)
    if path.stat().st_mode & _OTHERS:
        raise UnsupportedHereError(
            f"{path} is open to other users, and its file system keeps no permissions; {_REMEDY}"
        )
    foreign = _foreign_file(path) if mode & _OTHERS_WRITE else None
    if foreign is not None:
        path.chmod(mode)  # so that the next command sees it too
        raise UnsupportedHereError(
            f"{path} was open to other users, and {foreign} in it belongs to {_owner(foreign)}; "
            f"remove that if you do not trust it, else {_REMEDY}"
        )


def _foreign_file(path: Path) -> Path | None:
    """Return the first thing below the directory that is not ours; None if all is."""
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            if os.lstat(os.path.join(folder, name)).st_uid != os.geteuid():
                return Path(folder, name)
    return None


def _owner(path: Path) -> str:
    return _owner_name(path.lstat().st_uid)


def _owner_name(uid: int) -> str:
    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user {uid}"


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
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return set(form) if isinstance(form, dict) else set()
