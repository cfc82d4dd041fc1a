"""Submit once: a create is sent a single time, and its outcome is found out rather than guessed.

For `Client`. The service has no request id, so a create that is sent again makes a second job, and
a second bill. Instead every request carries a nonce as a label and is journalled before it is
sent; after an ambiguous failure the jobs are listed by that label. A submission goes from place to
place only after a certain answer: the last one was short of machines or quota.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vertex_jobs.client.api_errors import is_definite
from vertex_jobs.client.job_calls import Jobs, Resource
from vertex_jobs.client.journal import (
    CREATED,
    REFUSED,
    SENT,
    SHORT,
    UNKNOWN,
    UPLOADED,
    Create,
    Entry,
    Journal,
)
from vertex_jobs.client.outcomes import failure, is_short, lacks_capacity
from vertex_jobs.client.settling import look_for
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.timing import Timing
from vertex_jobs.errors import (
    EndpointError,
    JobRefusedError,
    RequestRefusedError,
    SubmissionUnknownError,
    UnsupportedHereError,
)
from vertex_jobs.job_kinds import kind_of_collection
from vertex_jobs.names import SUBMISSION_LABEL

if TYPE_CHECKING:
    from vertex_jobs.requests import Request

#: Told of the submission when a place was short: its create at hand is the next one.
OnShort = Callable[[Entry], None]

#: Statuses of a create that speak of the job: invalid, not possible here, not implemented.
_JOB_IS_WRONG = (400, 501)


@dataclass(frozen=True)
class Submitter:
    """Carries submissions out and on, each step journalled.

    The caller holds their contents in the journal meanwhile.
    """

    jobs: Jobs
    journal: Journal
    timing: Timing

    def begin(
        self,
        requests: Sequence["Request"],
        nonce: Callable[[], str],
        *,
        upload: Callable[[], object],
        headers: Mapping[str, str],
    ) -> Entry:
        """Journal the requests, and upload what all of them need.

        There is one request for each place, with the placeholder of the nonce still in it. The
        ``nonce`` makes at least 16 lower-case hexadecimal digits that were never used before.

        Raises:
            EndpointError: If the upload failed: there is no job.
        """
        creates = tuple(self._create(request, nonce()) for request in requests)
        entry = Entry(creates, self.timing.now(), dict(headers))
        self.journal.write(entry)
        try:
            upload()
        except EndpointError as error:
            self._record_all(entry, REFUSED, f"the package was not uploaded: {error}")
            raise
        return self._record_all(entry, UPLOADED)

    def send(self, entry: Entry, on_short: OnShort | None = None) -> tuple[Entry, Resource]:
        """Create the job at the place at hand, or where that one is short at the next.

        The entry's create at hand was never sent. The submission after it is returned, and the job
        as it was created; ``on_short`` is told of each place that is short.

        Raises:
            EndpointError: If the endpoint refused or was never reached: there is no job.
            SubmissionUnknownError: If there may be one that cannot be found now.
            UnsupportedHereError: If the installed SDK cannot send it: there is no job.
        """
        resource = None
        while resource is None:
            entry, resource = self._send_one(entry, on_short)
        return entry, resource

    def resume(
        self, entry: Entry, on_short: OnShort | None = None
    ) -> tuple[Entry, Resource] | None:
        """Go on with a submission where it stands: at the next place, if the last one was short.

        Returns:
            The submission after it, and the job that stands for it: one that was made now, or the
            one that was there, running or ended. None if a place refused for another reason.

        Raises:
            EndpointError: As `send`; or if the job is gone.
            SubmissionUnknownError: If there may be a job that cannot be found now.
        """
        if entry.is_open:
            return self._found(entry)
        if entry.stopped_between:
            return self.send(entry, on_short)
        if entry.current.state != CREATED:
            return None
        resource = self.timing.ask(lambda: self.jobs.get(entry.current.name))
        ended = Snapshot(resource)
        if not (entry.has_next and is_short(ended)):
            return entry, resource
        return self.send(self._pass_on(entry, failure(ended).message, on_short), on_short)

    def _found(self, entry: Entry) -> tuple[Entry, Resource]:
        resource = self._find_or_give_up(entry, entry.current.detail or "the client was stopped")
        return self._record(entry, CREATED, name=str(resource["name"])), resource

    def _send_one(self, entry: Entry, on_short: OnShort | None) -> tuple[Entry, Resource | None]:
        """Send one create; without a job the place was short, and the next is at hand."""
        entry = self._record(entry, SENT)
        create = entry.current
        kind = kind_of_collection(create.collection)
        try:
            resource = self.jobs.create(kind, create.parent, create.body, entry.headers)
        except UnsupportedHereError as error:
            self._record(entry, REFUSED, detail=f"it was never sent: {error}")
            raise
        except EndpointError as error:
            if not is_definite(error):
                resource = self._find_or_give_up(entry, str(error), error)
            elif (
                entry.has_next and isinstance(error, RequestRefusedError) and lacks_capacity(error)
            ):
                return self._pass_on(entry, error.message, on_short), None
            else:
                self._record(entry, REFUSED, detail=str(error))
                raise _of_the_job(error) from error
        return self._record(entry, CREATED, name=str(resource["name"])), resource

    def _pass_on(self, entry: Entry, reason: str, on_short: OnShort | None) -> Entry:
        entry = self._record(entry, SHORT, detail=reason)
        if on_short is not None:
            on_short(entry)
        return entry

    def _find_or_give_up(
        self, entry: Entry, why: str, cause: EndpointError | None = None
    ) -> Resource:
        found = look_for(self.jobs, entry.current, self.timing)
        if found is not None:
            return found
        if entry.current.state != UNKNOWN:  # its age counts from the first time
            self._record(entry, UNKNOWN, detail=why)
        raise SubmissionUnknownError(
            f"it is unknown whether {entry.display_name!r} was created: the answer was lost "
            f"({why}) and no job with label {SUBMISSION_LABEL}={entry.current.nonce} was found; "
            "nothing is sent again by itself, because that could start and bill a second job; "
            "to find out: vertex-jobs list"
        ) from cause

    def _create(self, request: "Request", nonce: str) -> Create:
        sent = request.with_submission(nonce)
        address = self.jobs.address(sent.parent)
        return Create(nonce, address, sent.parent, sent.collection, sent.body)

    def _record(self, entry: Entry, state: str, *, name: str = "", detail: str = "") -> Entry:
        changed = entry.recorded(state, at=self.timing.now(), name=name, detail=detail)
        self.journal.write(changed)
        return changed

    def _record_all(self, entry: Entry, state: str, detail: str = "") -> Entry:
        creates = tuple(replace(create, state=state, detail=detail) for create in entry.creates)
        changed = replace(entry, creates=creates, changed=self.timing.now())
        self.journal.write(changed)
        return changed


@dataclass(frozen=True)
class Succession:
    """One submission's way from place to place; ``on_short`` is told of each that is short."""

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

    def after(self, ended: Snapshot) -> Snapshot | None:
        """Return the job that takes its place; None at the last place, or for another reason.

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
        return Snapshot(resumed[1])


def _of_the_job(error: EndpointError) -> EndpointError:
    """Return the refusal of a create; one of the job itself has a class of its own."""
    if isinstance(error, RequestRefusedError) and error.code in _JOB_IS_WRONG:
        return JobRefusedError(error.message, code=error.code, status=error.status)
    return error
