"""``--once``: the job of the same content that is there already, instead of another.

For `Client`. Jobs are found by their content label. Clients of one state directory exclude each
other by the journal's lock; between machines there is nothing to lock, so the later job gives way
after it was made.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vertex_jobs.client.journal import Entry
from vertex_jobs.client.kinds import kind_of_collection, short_state
from vertex_jobs.client.submission import JobCollections, Resource, has_label
from vertex_jobs.client.timing import Timing, persist
from vertex_jobs.errors import SubmissionUnknownError
from vertex_jobs.names import CONTENT_LABEL

if TYPE_CHECKING:
    from vertex_jobs.requests import Request

__all__ = ["check_open_entries", "first_of_content"]

#: Of a single question; a person waits for the answer.
_PATIENCE_SECONDS = 20.0
#: A job of the same content that ended so, or is about to, is no reason not to run again.
_FRUITLESS = frozenset({"FAILED", "CANCELLING", "CANCELLED", "EXPIRED"})


def check_open_entries(entries: Sequence[Entry], content: str) -> None:
    """Refuse to go on where a job of that content may exist unseen.

    Args:
        entries: What settling the journal gave.
        content: Value of the content label.

    Raises:
        SubmissionUnknownError: If one of them is open and has that content.
    """
    for entry in entries:
        if entry.is_open and entry.body["labels"].get(CONTENT_LABEL) == content:
            raise SubmissionUnknownError(
                f"a job of the same content, {entry.display_name!r}, may exist: its create "
                f"got no answer ({entry.detail or 'the client was stopped before it came'}); "
                "look with: vertex-jobs list; to start another all the same, leave out --once"
            )


def first_of_content(
    jobs: JobCollections, timing: Timing, request: "Request", content: str
) -> Resource | None:
    """The earliest job of that content that is under way or has succeeded; None without one.

    Every client that looks finds the same one, however many there are.

    Raises:
        EndpointError: If the endpoint cannot be asked.
    """
    kind = kind_of_collection(request.collection)
    same = persist(
        lambda: jobs.list(kind, f'labels.{CONTENT_LABEL}="{content}"', request.parent),
        patience_seconds=_PATIENCE_SECONDS,
        timing=timing,
    )
    fruitful = [
        resource
        for resource in same
        if has_label(resource, CONTENT_LABEL, content)
        and short_state(str(resource.get("state", ""))) not in _FRUITLESS
    ]
    # Jobs of one instant are told apart by their names.
    return min(
        fruitful,
        key=lambda job: (str(job.get("createTime", "")).removesuffix("Z"), str(job["name"])),
        default=None,
    )
