"""The end of a job: the error that explains it, and whether another place may do.

For handles and submissions. The error names the replica that failed and what is known to help; its
last log lines are read by the caller, since this module contacts nothing.

Source: google.rpc.Code; understanding-training-service page of the training documentation.
"""

import concurrent.futures
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.client.log_lines import LogSource
from vertex_jobs.client.remedies import remedy_for
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.tracebacks import own_frame
from vertex_jobs.errors import JobFailedError, RequestRefusedError
from vertex_jobs.job_kinds import short_state
from vertex_jobs.timestamps import read_moment

_REPLICA = re.compile(r"\breplica (?P<replica>workerpool\d+-\d+)")
#: Start and end are whole seconds.
_ROUNDING_SECONDS = 1.0
#: The reason of a trial that was ended because the study was over.
_CANCELLED = re.compile(r"(the )?(trial|job|it)?\s*(was )?cancell?ed\b", re.IGNORECASE)
#: What the service says when a region has no machines left, and when quota is exceeded.
_SHORT = re.compile(
    r"resources are insufficient in region|quota metrics? exceed|exceeds? quota|quota exceeded",
    re.IGNORECASE,
)

#: What it says when machines were taken away or it failed itself, after its own attempts to go on.
_LOST = re.compile(
    r"preempt|machine was lost|spot (VM|machine)s? .*(reclaim|lost)"
    r"|Internal error occurred for the current attempt",
    re.IGNORECASE,
)


class JobCancelledError(JobFailedError, concurrent.futures.CancelledError):
    """The job was cancelled: caught as a failed job, and as a cancelled future."""


#: What the service adds to its own words: the program's traceback, and where the log is.
_ADDED = re.compile(
    r"\s*(?P<traceback>^Traceback \(most recent call last\):.*?)?"
    r"\s*To find out more about why your job exited please check the logs: \S+",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Culprit:
    """The first failure, as far as the job's resource tells.

    Attributes:
        message: The service's own words.
        traceback: The lines of the program's traceback that the service gives with them.
        replica: E.g. ``workerpool0-0``; empty when the text names none.
        trial: The id of the trial that failed first; empty without one.
        job_ids: Whose log to read for it.
        source: Which lines of that log.
    """

    message: str
    traceback: tuple[str, ...]
    replica: str
    trial: str
    job_ids: tuple[str, ...]
    source: LogSource


def culprit(snapshot: Snapshot) -> Culprit:
    """Return why a job ended without success; a tuning job, for the trial that failed first."""
    error = snapshot.error
    message, traceback = _own_words(error[1] if error else _without_reason(snapshot))
    failed = [trial for trial in snapshot.resource.get("trials", ()) if _has_failed(trial)]
    reason, trial = message, ""
    if failed:
        first = min(failed, key=lambda trial: _order(trial, message))
        reason, trial = first["infeasibleReason"], str(first.get("id", ""))
        if reason not in message:
            message = f"{message} (trial {trial}: {reason})"
    match = _REPLICA.search(reason) or _REPLICA.search(message)
    replica = match["replica"] if match else ""
    return Culprit(message, traceback, replica, trial, *snapshot.log_source(replica, trial))


def _without_reason(snapshot: Snapshot) -> str:
    if short_state(snapshot.state) == "EXPIRED":
        return "no machines were found within its max_wait_duration"
    return "the service gave no reason"


def _own_words(message: str) -> tuple[str, tuple[str, ...]]:
    """Return the service's words, and the lines of the traceback that stands among them."""
    added = _ADDED.search(message)
    if added is None:
        return message, ()
    words = message[: added.start()].rstrip() + message[added.end() :]
    return words, tuple((added["traceback"] or "").splitlines())


def _has_failed(trial: Mapping[str, Any]) -> bool:
    """Return whether a trial failed by itself: one that was cancelled is a consequence."""
    reason = trial.get("infeasibleReason", "")
    return bool(reason) and not _CANCELLED.match(reason)


def _order(trial: Mapping[str, Any], message: str) -> tuple[bool, str, bool, bool, str]:
    """Return the key that sorts failed trials by their ends, which are whole seconds.

    Of those that ended in the same second, the one that the job's own message names counts.
    """
    # Without the Z, text order is time order even where one time has decimals and one has none.
    end = str(trial.get("endTime", "")).removesuffix("Z")
    trial_id = str(trial.get("id", ""))
    unnamed = re.search(rf"\btrial {re.escape(trial_id)}\b", message, re.IGNORECASE) is None
    unquoted = trial["infeasibleReason"] not in message
    return not end, end, unnamed, unquoted, trial_id.zfill(9)


def failure(snapshot: Snapshot, last_lines: tuple[str, ...] = ()) -> JobFailedError:
    """Return the error of a job that ended without success.

    ``last_lines`` are those of the culprit's log, oldest first; without them the traceback of the
    job's error stands there.
    """
    state = short_state(snapshot.state)
    if state == "CANCELLED":
        return _cancelled(snapshot)
    cause = culprit(snapshot)
    last_lines = last_lines or cause.traceback
    log = f"vertex-jobs logs {snapshot.job_id}"
    return JobFailedError(
        snapshot.name,
        snapshot.state,
        cause.message,
        replica=cause.replica,
        trial=cause.trial,
        raised_at=own_frame(last_lines),
        last_lines=last_lines,
        remedy=remedy_for(
            cause.message,
            output=last_lines,
            log=f"{log} --trial {cause.trial}" if cause.trial else log,
        ),
    )


def _cancelled(snapshot: Snapshot) -> JobCancelledError:
    """Return the error of a cancelled job: by a person, or by the service at its time limit.

    Source: tensorflow/tfx issue 6223: a job over its time limit is shown as cancelled.
    """
    limit = _timeout_seconds(snapshot)
    start, end = snapshot.start_time, snapshot.end_time
    ran = (read_moment(end) - read_moment(start)).total_seconds() if start and end else 0.0
    if snapshot.is_study or ran + _ROUNDING_SECONDS < limit:  # a study's limit is each trial's
        return JobCancelledError(snapshot.name, snapshot.state, "it was cancelled")
    text = f"it was cancelled at its time limit: it ran longer than its timeout of {limit:g} s"
    return JobCancelledError(snapshot.name, snapshot.state, text, remedy=remedy_for(text))


def _timeout_seconds(snapshot: Snapshot) -> float:
    given = str((snapshot.job_spec.get("scheduling") or {}).get("timeout") or "")
    seconds = float(given.removesuffix("s") or 0)
    return seconds or float(catalog.load().limits.default_timeout_seconds)


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


def was_lost(snapshot: Snapshot) -> bool:
    """Return whether the job has ended because its machines were taken away, not by its program.

    Source: page "Understand the custom training service": an internal error comes after three
    attempts; how a preemption is worded after them was not seen.
    """
    if not snapshot.done or snapshot.succeeded or short_state(snapshot.state) == "CANCELLED":
        return False
    return _LOST.search(culprit(snapshot).message) is not None
