"""What was about to be sent, on disk before it is sent, so that no crash can lose a job.

For `submission`. One file per submission, written aside and renamed; a reader sees the old entry or
the new one, never a part. Requests can hold secrets in their environment variables, so the files
are their owner's alone.
"""

import fcntl
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "CREATED",
    "PREPARED",
    "REFUSED",
    "SENT",
    "UNKNOWN",
    "UPLOADED",
    "Entry",
    "Journal",
]

PREPARED = "prepared"
"""Nothing has left this machine."""
UPLOADED = "uploaded"
"""The package is in its bucket; nothing has been created."""
SENT = "sent"
"""The create request may be on its way: from here on the job may exist."""
CREATED = "created"
"""The job exists; the entry has its name."""
UNKNOWN = "unknown"
"""The answer was lost and the job was not found; it may yet turn up."""
REFUSED = "refused"
"""The job is known not to exist; the entry says why."""

_OPEN = frozenset({SENT, UNKNOWN})
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """One submission.

    Attributes:
        nonce: The value of the submission label.
        state: One of this module's constants.
        endpoint: Where it went; an entry is settled at the same endpoint only.
        parent: ``projects/P/locations/L``.
        collection: E.g. ``customJobs``.
        body: The request's body as it was or will be sent.
        changed: When the state was written, seconds since the epoch.
        name: Resource name, once known.
        detail: Why it was refused, or why it is unknown.
    """

    nonce: str
    state: str
    endpoint: str
    parent: str
    collection: str
    body: dict[str, Any]
    changed: float
    name: str = ""
    detail: str = ""

    @property
    def display_name(self) -> str:
        """The job's display name."""
        return str(self.body.get("displayName", ""))

    @property
    def is_open(self) -> bool:
        """Whether it is not known if the job exists."""
        return self.state in _OPEN


class Journal:
    """The entries in one directory, which is made when the first is written."""

    def __init__(self, directory: Path) -> None:
        """Keep the directory; nothing is read yet."""
        self.directory = directory

    def write(self, entry: Entry) -> None:
        """Write the entry; when this returns it survives a power cut."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = self._path(entry.nonce)
        aside = target.with_suffix(f".{os.getpid()}.aside")
        text = json.dumps(asdict(entry), indent=1, sort_keys=True)
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, target)
        _sync_directory(self.directory)

    def read(self, nonce: str) -> Entry:
        """The entry of one submission.

        Raises:
            FileNotFoundError: If there is none.
        """
        return Entry(**json.loads(self._path(nonce).read_text("utf-8")))

    def entries(self) -> Iterator[Entry]:
        """Every entry, in no order; a damaged file is reported to the log and left alone."""
        for path in self.directory.glob("*.json"):
            try:
                yield Entry(**json.loads(path.read_text("utf-8")))
            except (OSError, TypeError, ValueError) as error:
                _LOG.warning("%s is not a journal entry (%s); it is left as it is", path, error)

    def open_entries(self, endpoint: str) -> list[Entry]:
        """The submissions to that endpoint whose outcome is not known, oldest first."""
        entries = (entry for entry in self.entries() if entry.endpoint == endpoint)
        return sorted((entry for entry in entries if entry.is_open), key=lambda e: e.changed)

    @contextmanager
    def exclusive(self, content: str) -> Iterator[None]:
        """Hold that content alone among the clients of this directory; others wait.

        The kernel lets go when the holder dies, so a crash locks nobody out.

        Args:
            content: Value of the content label, hexadecimal digits.
        """
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        # One file per first two digits: files of single contents would pile up, since a lock's
        # file cannot be removed safely.
        with open(self.directory / f"once-{content[:2]}.lock", "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def forget(self, before: float) -> None:
        """Remove what was settled before that time, in seconds since the epoch."""
        for entry in list(self.entries()):
            if not entry.is_open and entry.changed < before:
                self._path(entry.nonce).unlink(missing_ok=True)

    def _path(self, nonce: str) -> Path:
        return self.directory / f"{nonce}.json"


def _sync_directory(directory: Path) -> None:
    """Make a rename durable: the directory's own data must reach the disk too."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
