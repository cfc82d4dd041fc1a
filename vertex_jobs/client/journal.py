"""The journal of submissions: on disk before they are sent, so that no crash loses a job.

For `submission`. One file per submission, written aside and renamed; a reader sees the old entry or
the new one, never a part. Requests can hold secrets in their environment variables, so the files
are their owner's alone.
"""

import fcntl
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from vertex_jobs.names import CONTENT_LABEL, location_of
from vertex_jobs.state import take_state_directory

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
"""The job is known not to exist; ``detail`` says why."""
SHORT = "short"
"""The place had no machines or quota for the job, whether it took it first or not; the next one is
tried."""

_OPEN = frozenset({SENT, UNKNOWN})
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Create:
    """One create request of a submission: what is sent, and what became of it.

    Attributes:
        nonce: The value of the submission label.
        endpoint: Where it goes; it is settled at the same endpoint only.
        parent: ``projects/P/locations/L``.
        collection: E.g. ``customJobs``.
        state: One of this module's constants.
        name: Resource name of the job, once known.
        detail: Why it was refused, short or unknown.
    """

    nonce: str
    endpoint: str
    parent: str
    collection: str
    body: dict[str, Any]
    state: str = PREPARED
    name: str = ""
    detail: str = ""

    @property
    def location(self) -> str:
        """The region of the job."""
        return location_of(self.parent)

    @property
    def content(self) -> str:
        """The value of the content label; empty without one."""
        return str(self.body.get("labels", {}).get(CONTENT_LABEL, ""))


@dataclass(frozen=True)
class Entry:
    """One submission: its create at each place, in the order in which the places are tried.

    Attributes:
        creates: The first is the job's own place, the others are its fallbacks.
        changed: When it was written, seconds since the epoch.
    """

    creates: tuple[Create, ...]
    changed: float
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def nonce(self) -> str:
        """The first create's nonce, by which the submission is known."""
        return self.creates[0].nonce

    @property
    def display_name(self) -> str:
        """The job's display name."""
        return str(self.creates[0].body.get("displayName", ""))

    @property
    def contents(self) -> tuple[str, ...]:
        """The contents of the creates, in order."""
        return tuple(create.content for create in self.creates)

    @property
    def targets(self) -> tuple[tuple[str, str, str], ...]:
        """The endpoint, parent and content of each create: equal for the same job and fallbacks."""
        return tuple((create.endpoint, create.parent, create.content) for create in self.creates)

    @property
    def position(self) -> int:
        """The index of the create at hand: the first whose place was not short."""
        return next(n for n, create in enumerate(self.creates) if create.state != SHORT)

    @property
    def current(self) -> Create:
        """The create at hand."""
        return self.creates[self.position]

    @property
    def is_open(self) -> bool:
        """True while it is not known whether the job exists."""
        return self.current.state in _OPEN

    @property
    def has_next(self) -> bool:
        """True if there is another place to try."""
        return self.position + 1 < len(self.creates)

    @property
    def stopped_between(self) -> bool:
        """True if a place was short and the next was not tried."""
        return self.position > 0 and self.current.state == UPLOADED

    def recorded(self, state: str, *, at: float, name: str = "", detail: str = "") -> "Entry":
        """Return the submission after something happened to the create at hand.

        ``at`` is in seconds since the epoch; a name that is known stays, ``detail`` says why.
        """
        now = self.position
        changed = replace(
            self.creates[now], state=state, name=name or self.creates[now].name, detail=detail
        )
        creates = (*self.creates[:now], changed, *self.creates[now + 1 :])
        return replace(self, creates=creates, changed=at)


class Journal:
    """The entries below a state directory, which is taken when the first is written."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self.directory = state / "submissions"

    def write(self, entry: Entry) -> None:
        """Write the entry; when this returns it survives a power cut."""
        self._make_directory()
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
        """Return the entry of one submission.

        Raises:
            FileNotFoundError: If there is none.
        """
        return _entry(self._path(nonce).read_text("utf-8"))

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, in no order; a damaged file is logged and left alone."""
        for path in self.directory.glob("*.json"):
            try:
                yield _entry(path.read_text("utf-8"))
            except (KeyError, OSError, TypeError, ValueError) as error:
                _LOG.warning("%s is not a journal entry (%s); it is left as it is", path, error)

    def open_entries(self) -> list[Entry]:
        """Return the submissions whose outcome is not known, oldest first."""
        entries = (entry for entry in self.entries() if entry.is_open)
        return sorted(entries, key=lambda entry: entry.changed)

    def of_job(self, name: str) -> Entry | None:
        """Return the submission whose create at hand made that job; None without one."""
        return next((entry for entry in self.entries() if entry.current.name == name), None)

    @contextmanager
    def exclusive(self, contents: Iterable[str]) -> Iterator[None]:
        """Hold those contents alone among the clients of this directory; others wait.

        The kernel lets go when the holder dies, so a crash locks nobody out. Contents are values of
        the content label, hexadecimal digits.
        """
        self._make_directory()
        # One file per first two digits: files of single contents would pile up, since a lock's
        # file cannot be removed safely. In one order, so that no two wait for each other.
        names = sorted({f"once-{content[:2]}.lock" for content in contents})
        with ExitStack() as stack:
            for name in names:
                descriptor = os.open(self.directory / name, os.O_WRONLY | os.O_CREAT, 0o600)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield

    def forget(self, before: float) -> None:
        """Remove what was settled before that time, in seconds since the epoch."""
        for entry in list(self.entries()):
            if not entry.is_open and entry.changed < before:
                self._path(entry.nonce).unlink(missing_ok=True)

    def _make_directory(self) -> None:
        take_state_directory(self._state)
        self.directory.mkdir(exist_ok=True, mode=0o700)

    def _path(self, nonce: str) -> Path:
        return self.directory / f"{nonce}.json"


def _entry(text: str) -> Entry:
    form = json.loads(text)
    creates = tuple(Create(**create) for create in form["creates"])
    if not creates:
        raise ValueError("it has no create")
    return Entry(**{**form, "creates": creates})


def _sync_directory(directory: Path) -> None:
    """Make a rename durable: the directory's own data must reach the disk too."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
