"""Entries of ``requirements`` that name a file: a requirements file, a project, a lock.

For the loader, which finds the file, and for ``packaging``, which reads it.
"""

import re
from typing import NamedTuple

_FILE = re.compile(r"(?P<path>[^\s@=<>!~;\[]+\.(?:txt|in|toml|lock))(?:\[(?P<extras>[\w., -]*)\])?")


class RequirementsFile(NamedTuple):
    """A file that holds requirements, and the extras that are wanted of it."""

    path: str
    extras: tuple[str, ...]

    def at(self, path: str) -> str:
        """Return the entry for the file at another path."""
        return f"{path}[{','.join(self.extras)}]" if self.extras else path


def requirements_file(line: str) -> RequirementsFile | None:
    """Return the file that an entry names; None for a requirement or a wheel."""
    match = _FILE.fullmatch(line)
    if match is None:
        return None
    extras = (one.strip() for one in (match["extras"] or "").split(","))
    return RequirementsFile(match["path"], tuple(one for one in extras if one))
