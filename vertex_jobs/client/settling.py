"""Jobs found by the label of their submission, when a create got no answer.

For `submission`, which looks at once, and for `Client`, which settles later what stayed open. It
asks and writes the journal; it creates nothing.
"""

from collections.abc import Mapping
from functools import partial

from vertex_jobs.client.api_errors import is_transient
from vertex_jobs.client.job_calls import Jobs, Resource
from vertex_jobs.client.journal import CREATED, REFUSED, Create, Entry, Journal
from vertex_jobs.client.timing import Deadline, Timing
from vertex_jobs.errors import EndpointError, RequestRefusedError
from vertex_jobs.job_kinds import kind_of_collection
from vertex_jobs.names import SUBMISSION_LABEL

#: How long to look for a job whose create was not answered.
_LOOK_SECONDS = 60.0
#: An unanswered create that has left no job after this time has made none. The API has long been
#: consistent by then; 60 s is what a request may take.
_SETTLED_SECONDS = 600.0
#: How long a settled entry is kept, for whoever wants to know what was sent.
_KEPT_SECONDS = 30 * 86400.0


def look_for(jobs: Jobs, create: Create, timing: Timing) -> Resource | None:
    """Return the job that a create made, looked for until it appears; None if it does not."""
    deadline = Deadline(timing, _LOOK_SECONDS, first=0.5, longest=8.0)
    while True:
        try:
            found = _find(jobs, create)
        except EndpointError as error:
            if not is_transient(error):
                return None
            found = None
        if found is not None:
            return found
        if not deadline.pause():
            return None


def settle(journal: Journal, jobs: Jobs, timing: Timing) -> list[Entry]:
    """Find out what became of submissions without an answer, and return all that were open.

    Entries are looked up where they were sent, and rewritten; those of other endpoints than that of
    ``jobs`` are left to them.

    Raises:
        EndpointError: If the endpoint cannot be asked; entries keep their state.
    """
    settled, now = [], timing.now()
    for entry in journal.open_entries():
        create = entry.current
        if create.endpoint != jobs.address(create.parent):
            continue
        found = timing.ask(partial(_find, jobs, create))
        answer = _settled(entry, found, now)
        if not answer.is_open:
            journal.write(answer)
        settled.append(answer)
    journal.forget(now - _KEPT_SECONDS)
    return settled


def _settled(entry: Entry, found: Resource | None, now: float) -> Entry:
    if found is not None:
        return entry.recorded(CREATED, name=str(found["name"]), at=now)
    age = now - entry.changed
    if age > _SETTLED_SECONDS:
        return entry.recorded(REFUSED, detail=f"no such job {age:.0f} s after it was sent", at=now)
    return entry


def _find(jobs: Jobs, create: Create) -> Resource | None:
    kind = kind_of_collection(create.collection)
    try:
        found = jobs.list(kind, f'labels.{SUBMISSION_LABEL}="{create.nonce}"', create.parent)
    except RequestRefusedError as error:
        if error.code != 400:
            raise
        # The service's filter language is not documented in full; without a filter it must answer.
        found = jobs.list(kind, parent=create.parent)
    return next((job for job in found if has_label(job, SUBMISSION_LABEL, create.nonce)), None)


def has_label(resource: Resource, key: str, value: str) -> bool:
    """Return whether the job has the label: a filter that was ignored must not cost a mix-up."""
    labels: Mapping[str, str] = resource.get("labels", {})
    return labels.get(key) == value
