"""Injected faults and what followed them: the record by which a drill is judged.

Kept in memory: it starts empty with each server, as the counts of the rules do.
"""

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Incident:
    """One line of the record.

    Attributes:
        kind: ``fault``, ``restart`` (of a replica or of all of them) or ``read`` (of what an
            earlier attempt had written).
        subject: The call, the replica or the object concerned.
        detail: Which fault, or why there was a restart.
        job: Number of the submitted job; empty for calls, which belong to none.
    """

    kind: str
    subject: str
    detail: str = ""
    job: str = ""


@dataclass
class Incidents:
    """The record of one server."""

    _noted: list[Incident] = field(default_factory=list)
    _watched: dict[str, str] = field(default_factory=dict)

    def note(self, incident: Incident) -> None:
        """Add a line."""
        self._noted.append(incident)

    def watch_reads(self, prefix: str, job: str) -> None:
        """Note the first read of each object under that URI from now on."""
        self._watched[prefix] = job

    def note_read(self, uri: str) -> None:
        """Note that an object was read, if reads of it are watched and this is the first."""
        for prefix, job in self._watched.items():
            incident = Incident("read", uri, "after a restart", job)
            if uri.startswith(prefix) and incident not in self._noted:
                self._noted.append(incident)

    def forget_calls(self) -> None:
        """Drop the lines about calls, whose faults were taken back."""
        self._noted = [one for one in self._noted if one.job]

    def of_job(self, job: str) -> list[dict[str, str]]:
        """Return the lines of that job and of no job in particular, oldest first."""
        return [asdict(one) for one in self._noted if one.job in ("", job)]
