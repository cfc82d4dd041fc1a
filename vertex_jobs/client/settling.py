"""What became of submissions whose create got no answer, found out later by their label.

For `Client`. It asks and writes the journal; it sends nothing.
"""

from functools import partial

from vertex_jobs.client.journal import CREATED, REFUSED, Entry, Journal
from vertex_jobs.client.submission import JobCollections, Resource, find_submission
from vertex_jobs.client.timing import Timing

__all__ = ["settle"]

#: An unanswered create that has left no job after this time has made none. The API has long been
#: consistent by then; 60 s is what a request may take.
_SETTLED_SECONDS = 600.0
#: How long a settled entry is kept, for whoever wants to know what was sent.
_KEPT_SECONDS = 30 * 86400.0


def settle(journal: Journal, jobs: JobCollections, timing: Timing) -> list[Entry]:
    """Find out what became of submissions without an answer; what stays open is returned too.

    Args:
        journal: Its open entries are looked up where they were sent, and rewritten.
        jobs: The collections of one endpoint; the entries of others are left to them.
        timing: Clock, and sleep between attempts.

    Raises:
        EndpointError: If the endpoint cannot be asked; entries keep their state.
    """
    settled, now = [], timing.now()
    for entry in journal.open_entries():
        create = entry.current
        if create.endpoint != jobs.address(create.parent):
            continue
        found = timing.ask(partial(find_submission, jobs, create))
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
