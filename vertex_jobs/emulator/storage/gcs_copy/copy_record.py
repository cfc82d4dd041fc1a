"""What was copied in, so that what has changed can be told from it, by another process too."""

import json
import os
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "file"
LINK = "link"
FOLDER = "folder"


@dataclass(frozen=True)
class Buckets:
    """The buckets that a copy is of.

    Attributes:
        named: Those that the program names; one that the first write would make is a folder, too.
        everything: Whether all others that exist are copied as well.
    """

    named: Set[str] = frozenset()
    everything: bool = False


@dataclass(frozen=True)
class Copied:
    """One entry of the folder, as it was copied in.

    Attributes:
        kind: ``FILE``, ``LINK`` or ``FOLDER``.
        name: The object's; that of its marker for a folder.
        generation: The object's; 0 for a folder without a marker.
        changed_ns: When the entry last changed, which no program can set; 0 for a folder.
    """

    kind: str
    bucket: str
    name: str
    generation: int = 0
    size: int = 0
    mtime_ns: int = 0
    changed_ns: int = 0
    crc32c: str = ""


@dataclass(frozen=True)
class CopyRecord:
    """All entries by their path below the folder, and when the first was copied in."""

    entries: Mapping[str, Copied]
    begun_ns: int

    def save(self, path: Path) -> None:
        """Write the record aside, then put it into place."""
        entries = {name: asdict(entry) for name, entry in self.entries.items()}
        aside = path.with_suffix(".new")
        aside.write_text(
            json.dumps({"entries": entries, "begun_ns": self.begun_ns}), encoding="utf-8"
        )
        os.replace(aside, path)

    @classmethod
    def load(cls, path: Path) -> "CopyRecord | None":
        """Read a record; None if there is none, because nothing was copied in to its end."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        entries = {name: Copied(**entry) for name, entry in content["entries"].items()}
        return cls(entries, content["begun_ns"])
