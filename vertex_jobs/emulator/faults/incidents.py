"""Injected faults and what followed them: the record by which a drill is judged.

Kept in memory: it starts empty with each server, as the counts of the rules do. Reads through
``/gcs`` happen in the process that mounts it, and come through a file.
"""

import contextlib
import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

#: File of `MountReads` in the directory of the object store.
READS_OF_MOUNT = "reads-of-mount"


@dataclass(frozen=True)
class Incident:
    """One line of the record.

    Attributes:
        kind: ``fault``, ``restart`` (of a replica or of all of them), ``read`` (of what an earlier
            attempt had written) or ``step`` (that a trial reported).
        subject: The call, the replica, the object or the step concerned.
        detail: Which fault, or why there was a restart.
        job: Number of the submitted job; empty for calls, which belong to none.
        trial: Number of the trial; empty outside a study.
        time: When, in seconds since 1970; 0 where it does not matter.
        written: For a read, when the object had been written; for a restart, when the newest
            checkpoint had been, 0 without one.
    """

    kind: str
    subject: str
    detail: str = ""
    job: str = ""
    trial: str = ""
    time: float = 0.0
    written: float = 0.0


@dataclass(frozen=True)
class ReadWatch:
    """The objects whose reads are noted: those below ``prefix``, written before ``until``."""

    prefix: str
    job: str
    trial: str
    until: float


@dataclass(frozen=True)
class MountReads:
    """The file in which the process behind ``/gcs`` notes reads while somebody wants to know."""

    path: Path

    def want(self) -> None:
        """Have reads noted from now on."""
        self.path.touch(mode=0o600)

    def stop(self) -> None:
        """Have none noted any more, and forget those that were."""
        self.path.unlink(missing_ok=True)

    def note(self, uri: str, written: float) -> None:
        """Note a read, in the process that mounts; ``written`` is when the object had been."""
        with contextlib.suppress(FileNotFoundError):
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(file, f"{json.dumps([uri, written, time.time()])}\n".encode())
            finally:
                os.close(file)

    def noted(self) -> list[tuple[str, float, float]]:
        """Return the reads: URI, when the object had been written, when it was read."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [(uri, written, at) for uri, written, at in map(json.loads, lines)]


@dataclass
class Incidents:
    """The record of one server."""

    mount_reads: MountReads | None = None
    _noted: list[Incident] = field(default_factory=list)
    _watched: list[ReadWatch] = field(default_factory=list)

    def note(self, incident: Incident) -> None:
        """Add a line."""
        self._noted.append(incident)

    def watch_reads(self, watch: ReadWatch) -> None:
        """Note the first read of each such object from now on, through ``/gcs`` as well."""
        self._watched.append(watch)
        if self.mount_reads is not None:
            self.mount_reads.want()

    def watches(self, uri: str) -> bool:
        """Return whether reads of that object may be noted."""
        return any(uri.startswith(watch.prefix) for watch in self._watched)

    def note_read(self, uri: str, written: float, at: float) -> None:
        """Note that an object was read, if reads of it are watched and this is the first."""
        for watch in self._watched:
            if uri.startswith(watch.prefix) and written <= watch.until <= at:
                seen = [one for one in self._noted if one.kind == "read" and one.subject == uri]
                if not any(one.job == watch.job and one.time >= watch.until for one in seen):
                    detail = "after a restart"
                    self.note(Incident("read", uri, detail, watch.job, watch.trial, at, written))

    def forget_calls(self) -> None:
        """Drop the lines about calls, whose faults were taken back."""
        self._noted = [one for one in self._noted if one.job]

    def forget_watches(self) -> None:
        """Note no more reads: nothing is rehearsed any more."""
        self._watched.clear()
        if self.mount_reads is not None:
            self.mount_reads.stop()

    def of_job(self, job: str) -> list[dict[str, Any]]:
        """Return the lines of that job and of no job in particular, oldest first."""
        if self.mount_reads is not None:
            for read in self.mount_reads.noted():
                self.note_read(*read)
        return [asdict(one) for one in self._noted if one.job in ("", job)]
