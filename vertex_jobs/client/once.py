"""``--once``: the job of the same content that is there already, instead of another.

For `Client`. Jobs are found by their content labels, one for each place. Clients of one state
directory exclude each other by the journal's lock; between machines there is nothing to lock, so
the later job gives way after it was made.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from vertex_jobs.client.job_calls import Resource
from vertex_jobs.client.journal import Entry
from vertex_jobs.client.settling import has_label, settle
from vertex_jobs.client.submission import OnShort, Submitter
from vertex_jobs.errors import EndpointError, JobNotFoundError, SubmissionUnknownError
from vertex_jobs.job_kinds import kind_of_collection, short_state
from vertex_jobs.names import CONTENT_LABEL

if TYPE_CHECKING:
    from vertex_jobs.requests import Request

#: A job of the same content that ended so, or is about to, is no reason not to run again.
_FRUITLESS = frozenset({"FAILED", "CANCELLING", "CANCELLED", "EXPIRED"})

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Once:
    """The jobs of the same content as some requests, which stand in the order of the places.

    The caller holds the contents in the journal meanwhile.
    """

    submitter: Submitter
    requests: "Sequence[Request]"

    def existing(self, on_short: OnShort | None) -> Resource | None:
        """Return the job that is under way or has succeeded, at whichever place; None without one.

        A submission that its client left after a place was short goes on.

        Raises:
            EndpointError: If the endpoint cannot be asked.
            SubmissionUnknownError: If there may be a job that cannot be found now.
        """
        submitter = self.submitter
        self._check(settle(submitter.journal, submitter.jobs, submitter.timing))
        found = self._first()
        if found is not None:
            return found
        entry = self._latest_entry()
        try:
            resumed = submitter.resume(entry, on_short) if entry is not None else None
        except JobNotFoundError:  # it was deleted
            return None
        return resumed[1] if resumed is not None and _is_fruitful(resumed[1]) else None

    def earliest(self, made: Resource) -> Resource:
        """Return that job, or cancel it for the one that another machine made before it."""
        try:
            first = self._first() or made
            if first["name"] != made["name"]:
                self.submitter.jobs.cancel(str(made["name"]))
        except EndpointError as error:
            _LOG.warning("whether another machine made the same job cannot be seen: %s", error)
            return made
        return first

    def _check(self, settled: Sequence[Entry]) -> None:
        """Refuse to go on where a job of one of the contents may exist unseen."""
        contents = {request.content for request in self.requests}
        for entry in settled:
            if entry.is_open and contents.intersection(entry.contents):
                why = entry.current.detail or "the client was stopped before it came"
                raise SubmissionUnknownError(
                    f"a job of the same content, {entry.display_name!r}, may exist: its create "
                    f"got no answer ({why}); look with: vertex-jobs list; "
                    "to start another all the same, leave out --once"
                )

    def _first(self) -> Resource | None:
        """Return the earliest; every client that looks finds the same one of any number."""
        same = [job for request in self.requests for job in self._same(request)]
        # Jobs of one instant are told apart by their names.
        return min(
            filter(_is_fruitful, same),
            key=lambda job: (str(job.get("createTime", "")).removesuffix("Z"), str(job["name"])),
            default=None,
        )

    def _same(self, request: "Request") -> list[Resource]:
        kind, label = kind_of_collection(request.collection), request.content
        only = f'labels.{CONTENT_LABEL}="{label}"'
        listing = partial(self.submitter.jobs.list, kind, only, request.parent)
        found = self.submitter.timing.ask(listing)
        return [job for job in found if has_label(job, CONTENT_LABEL, label)]

    def _latest_entry(self) -> Entry | None:
        address = self.submitter.jobs.address
        targets = tuple((address(r.parent), r.parent, r.content) for r in self.requests)
        same = (one for one in self.submitter.journal.entries() if one.targets == targets)
        return max(same, key=lambda entry: entry.changed, default=None)


def _is_fruitful(resource: Resource) -> bool:
    return short_state(str(resource.get("state", ""))) not in _FRUITLESS
