"""The end of a job: the error that explains it, and whether another place may do.

For handles and submissions. The error names the replica that failed and what is known to help; its
last log lines are read by the caller, since this module contacts nothing.

Source: google.rpc.Code; understanding-training-service page of the training documentation.
"""

import concurrent.futures
import re
from dataclasses import dataclass

from vertex_jobs.client.remedies import remedy_for
from vertex_jobs.client.snapshots import Snapshot, trial_job_ids
from vertex_jobs.errors import JobFailedError, RequestRefusedError
from vertex_jobs.job_kinds import short_state

_REPLICA = re.compile(r"\breplica (?P<replica>workerpool\d+-\d+)")
#: What the service says when a region has no machines left, and when quota is exceeded.
_SHORT = re.compile(
    r"resources are insufficient in region|quota metrics? exceed|exceeds? quota|quota exceeded",
    re.IGNORECASE,
)


class JobCancelledError(JobFailedError, concurrent.futures.CancelledError):
    """The job was cancelled: caught as a failed job, and as a cancelled future."""


@dataclass(frozen=True)
class Culprit:
    """The first failure, as far as the job's resource tells.

    Attributes:
        message: The service's own text.
        replica: E.g. ``workerpool0-0``; empty when the text names none.
        job_ids: Whose log to read for it.
    """

    message: str
    replica: str
    job_ids: tuple[str, ...]


def culprit(snapshot: Snapshot) -> Culprit:
    """Return why a job ended without success; a tuning job, for its last infeasible trial."""
    error = snapshot.error
    message = error[1] if error else "the service gave no reason"
    job_ids = snapshot.log_job_ids
    infeasible = [t for t in snapshot.resource.get("trials", ()) if t.get("infeasibleReason")]
    if infeasible:
        trial = max(infeasible, key=lambda t: str(t.get("endTime", "")))
        job_ids = trial_job_ids(trial) or job_ids
        if trial["infeasibleReason"] not in message:
            message = f"{message} (trial {trial.get('id', '?')}: {trial['infeasibleReason']})"
    match = _REPLICA.search(message)
    return Culprit(message, match["replica"] if match else "", job_ids)


def failure(snapshot: Snapshot, last_lines: tuple[str, ...] = ()) -> JobFailedError:
    """Return the error of a job that ended without success.

    Args:
        snapshot: Of a job that has ended.
        last_lines: Of the culprit's log, oldest first.
    """
    state = short_state(snapshot.state)
    if state == "CANCELLED":
        return JobCancelledError(snapshot.name, snapshot.state, "it was cancelled")
    cause = culprit(snapshot)
    return JobFailedError(
        snapshot.name,
        snapshot.state,
        cause.message,
        replica=cause.replica,
        last_lines=last_lines,
        remedy=remedy_for(cause.message, output=last_lines),
    )


def lacks_capacity(error: RequestRefusedError) -> bool:
    """Return whether a refused create, which has made nothing, lacked machines or quota."""
    return error.code == 429 or _SHORT.search(error.message) is not None


def is_short(snapshot: Snapshot) -> bool:
    """Return whether the job has ended because there were no machines for it.

    A program that ran out of memory is not such a case, although it has the same code.
    """
    if not snapshot.done or snapshot.succeeded:
        return False
    return _SHORT.search(failure(snapshot).message) is not None
