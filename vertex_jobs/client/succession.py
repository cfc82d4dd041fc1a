"""What a handle does when its job came to nothing for want of machines: it takes the next place.

For `Tracker`, of jobs that were submitted from this directory. The journal holds all that is
needed, so of several clients that see the job end one goes on and the others follow it.
"""

from dataclasses import dataclass

from vertex_jobs.client.capacity import is_short
from vertex_jobs.client.journal import Entry
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.submission import OnShort, Resource, Submitter

__all__ = ["Succession"]


@dataclass(frozen=True)
class Succession:
    """One submission's way from place to place.

    Attributes:
        submitter: Carries the submission on.
        nonce: Of the submission.
        on_short: Told of each place that is short.
    """

    submitter: Submitter
    nonce: str
    on_short: OnShort | None = None

    @property
    def entry(self) -> Entry | None:
        """The submission as the journal has it; None if it is so old that it was forgotten."""
        try:
            return self.submitter.journal.read(self.nonce)
        except FileNotFoundError:
            return None

    def after(self, ended: Snapshot) -> Resource | None:
        """The job that takes its place; None if it is the last, or ended for another reason.

        Raises:
            EndpointError: If the next place refused.
            SubmissionUnknownError: If the job may be there, but cannot be found.
        """
        entry = self.entry if is_short(ended) else None
        if entry is None:
            return None
        with self.submitter.journal.exclusive(entry.contents):
            # Read again: another client may have gone on while this one waited.
            resumed = self.submitter.resume(self.entry or entry, self.on_short)
        if resumed is None or resumed[1]["name"] == ended.name:
            return None
        return resumed[1]
