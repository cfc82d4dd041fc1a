"""Submit once: a create is sent a single time, and its outcome is found out rather than guessed.

For `Client`. The service has no request id, so a create that is sent again makes a second job, and
a second bill. Instead every request carries a nonce as a label and is journalled before it is
sent; after an ambiguous failure the jobs are listed by that label.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from vertex_jobs.client.failures import is_definite, is_transient
from vertex_jobs.client.journal import (
    CREATED,
    PREPARED,
    REFUSED,
    SENT,
    UNKNOWN,
    UPLOADED,
    Entry,
    Journal,
)
from vertex_jobs.client.kinds import JobKind, kind_of_collection
from vertex_jobs.client.timing import Timing
from vertex_jobs.errors import (
    EndpointError,
    JobRefusedError,
    RequestRefusedError,
    SubmissionUnknownError,
    UnsupportedHereError,
)
from vertex_jobs.names import SUBMISSION_LABEL

if TYPE_CHECKING:
    from vertex_jobs.requests import Request

__all__ = ["JobCollections", "Submitter", "has_label", "settle"]

#: Statuses of a create that speak of the job: invalid, not possible here, not implemented.
_JOB_IS_WRONG = (400, 501)
#: How long to look for a job whose create was not answered.
_LOOK_SECONDS = 60.0
#: An unanswered create that has left no job after this time has made none. The API has long been
#: consistent by then; 60 s is what a request may take.
_SETTLED_SECONDS = 600.0
#: How long a settled entry is kept, for whoever wants to know what was sent.
_KEPT_SECONDS = 30 * 86400.0

Resource = dict[str, Any]


class JobCollections(Protocol):
    """What submitting needs of `Jobs`."""

    def create(
        self, kind: JobKind, parent: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Resource:
        """Send one create request, once."""

    def list(self, kind: JobKind, filter_text: str = "", parent: str = "") -> list[Resource]:
        """Every job of one kind below that parent that the filter accepts."""


@dataclass(frozen=True)
class Submitter:
    """Sends requests to one endpoint.

    Attributes:
        jobs: The collections there.
        journal: Written before and after every step.
        endpoint: The endpoint's address, as the journal keeps it.
        timing: Clock and sleep of the search for a lost job.
    """

    jobs: JobCollections
    journal: Journal
    endpoint: str
    timing: Timing

    def submit(
        self,
        request: "Request",
        nonce: str,
        *,
        upload: Callable[[], object],
        headers: Mapping[str, str],
    ) -> Resource:
        """Upload, create once, and return the job as it was created.

        Args:
            request: With the placeholder of the nonce still in it.
            nonce: At least 16 lower-case hexadecimal digits, never used before.
            upload: Puts the package where the request says it is.
            headers: Sent with the create.

        Raises:
            EndpointError: If the endpoint refused or was never reached: there is no job.
            SubmissionUnknownError: If there may be one that cannot be found now.
            UnsupportedHereError: If the installed SDK cannot send it: there is no job.
        """
        sent = request.with_submission(nonce)
        kind = kind_of_collection(sent.collection)
        entry = Entry(
            nonce, PREPARED, self.endpoint, sent.parent, sent.collection, sent.body, self._now()
        )
        self.journal.write(entry)
        try:
            upload()
        except EndpointError as error:
            self._record(entry, REFUSED, detail=f"the package was not uploaded: {error}")
            raise
        self._record(entry, UPLOADED)
        self._record(entry, SENT)
        try:
            resource = self.jobs.create(kind, sent.parent, sent.body, headers)
        except UnsupportedHereError as error:
            self._record(entry, REFUSED, detail=f"it was never sent: {error}")
            raise
        except EndpointError as error:
            if is_definite(error):
                self._record(entry, REFUSED, detail=str(error))
                raise _of_the_job(error) from error
            resource = self._find_or_give_up(entry, error)
        self._record(entry, CREATED, name=str(resource["name"]))
        return resource

    def _find_or_give_up(self, entry: Entry, cause: EndpointError) -> Resource:
        found = self._look(entry)
        if found is not None:
            return found
        self._record(entry, UNKNOWN, detail=str(cause))
        raise SubmissionUnknownError(
            f"it is unknown whether {entry.display_name!r} was created: the answer was lost "
            f"({cause}) and no job with label {SUBMISSION_LABEL}={entry.nonce} was found; "
            "nothing is sent again by itself, because that could start and bill a second job; "
            "to find out: vertex-jobs list"
        ) from cause

    def _look(self, entry: Entry) -> Resource | None:
        """List by label until the job appears, for a minute; None if it does not."""
        started = self.timing.clock()
        delays = self.timing.delays(0.5, 8.0)
        while True:
            try:
                found = find_submission(self.jobs, entry)
            except EndpointError as error:
                if not is_transient(error):
                    return None
                found = None
            if found is not None:
                return found
            delay = next(delays)
            if self.timing.clock() - started + delay > _LOOK_SECONDS:
                return None
            self.timing.sleep(delay)

    def _record(self, entry: Entry, state: str, *, name: str = "", detail: str = "") -> None:
        changed = replace(entry, state=state, name=name, detail=detail, changed=self._now())
        self.journal.write(changed)

    def _now(self) -> float:
        return self.timing.now()


def find_submission(jobs: JobCollections, entry: Entry) -> Resource | None:
    """The job that this entry's create made; None if there is none (yet)."""
    kind = kind_of_collection(entry.collection)
    try:
        found = jobs.list(kind, f'labels.{SUBMISSION_LABEL}="{entry.nonce}"', entry.parent)
    except RequestRefusedError as error:
        if error.code != 400:
            raise
        # The service's filter language is not documented in full; without a filter it must answer.
        found = jobs.list(kind, parent=entry.parent)
    return next((job for job in found if has_label(job, SUBMISSION_LABEL, entry.nonce)), None)


def has_label(resource: Resource, key: str, value: str) -> bool:
    """Whether the job carries the label: a filter that was not honoured must not cost a mix-up."""
    labels: Mapping[str, str] = resource.get("labels", {})
    return labels.get(key) == value


def settle(journal: Journal, jobs: JobCollections, endpoint: str, now: float) -> list[Entry]:
    """Find out what became of submissions without an answer; what stays open is returned too.

    Args:
        journal: Its open entries for that endpoint are looked up and rewritten.
        jobs: The collections there.
        endpoint: As the entries keep it.
        now: Seconds since the epoch.

    Raises:
        EndpointError: If the endpoint cannot be asked; entries keep their state.
    """
    settled = []
    for entry in journal.open_entries(endpoint):
        answer = _settled(entry, find_submission(jobs, entry), now)
        if not answer.is_open:
            journal.write(answer)
        settled.append(answer)
    journal.forget(now - _KEPT_SECONDS)
    return settled


def _of_the_job(error: EndpointError) -> EndpointError:
    """The refusal of a create, told apart when the job itself is what was refused."""
    if isinstance(error, RequestRefusedError) and error.code in _JOB_IS_WRONG:
        return JobRefusedError(error.message, code=error.code, status=error.status)
    return error


def _settled(entry: Entry, found: Resource | None, now: float) -> Entry:
    if found is not None:
        return replace(entry, state=CREATED, name=str(found["name"]), detail="", changed=now)
    age = now - entry.changed
    if age > _SETTLED_SECONDS:
        detail = f"no such job {age:.0f} s after it was sent"
        return replace(entry, state=REFUSED, detail=detail, changed=now)
    return entry
