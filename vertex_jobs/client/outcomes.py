"""How a job ended, as a result or as the error that explains it.

For handles. The error names the replica that failed and what is known to help; its last log lines
are read by the caller, since this module contacts nothing.
"""

import concurrent.futures
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vertex_jobs.client.remedies import remedy_for
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.errors import JobFailedError
from vertex_jobs.job_kinds import CUSTOM_TRAINING_JOB, short_state
from vertex_jobs.names import ResourceName

__all__ = ["Culprit", "JobCancelledError", "culprit", "failure", "log_job_ids", "package_uri"]

_REPLICA = re.compile(r"\breplica (?P<replica>workerpool\d+-\d+)")


class JobCancelledError(JobFailedError, concurrent.futures.CancelledError):
    """The job was cancelled: caught as a failed job, and as a cancelled future."""


@dataclass(frozen=True)
class Culprit:
    """What failed first, as far as the job's resource tells.

    Attributes:
        message: The service's own text.
        replica: E.g. ``workerpool0-0``; empty when the text names none.
        job_ids: Whose log to read for it.
    """

    message: str
    replica: str
    job_ids: tuple[str, ...]


def culprit(snapshot: Snapshot) -> Culprit:
    """The cause of an end without success; in a tuning job that is its last infeasible trial."""
    error = snapshot.error
    message = error[1] if error else "the service gave no reason"
    job_ids = log_job_ids(snapshot)
    infeasible = [t for t in snapshot.resource.get("trials", ()) if t.get("infeasibleReason")]
    if infeasible:
        trial = max(infeasible, key=lambda t: str(t.get("endTime", "")))
        job_ids = _trial_job_ids(trial) or job_ids
        if trial["infeasibleReason"] not in message:
            message = f"{message} (trial {trial.get('id', '?')}: {trial['infeasibleReason']})"
    match = _REPLICA.search(message)
    return Culprit(message, match["replica"] if match else "", job_ids)


def failure(snapshot: Snapshot, last_lines: tuple[str, ...] = ()) -> JobFailedError:
    """The error of a job that ended without success.

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


def log_job_ids(snapshot: Snapshot) -> tuple[str, ...]:
    """The ids under which the job's lines are logged.

    A pipeline logs under its backing custom job, a tuning job under its own id and one custom job
    per trial.
    """
    if snapshot.kind is CUSTOM_TRAINING_JOB:
        backing = snapshot.resource.get("trainingTaskMetadata", {}).get("backingCustomJob", "")
        return (ResourceName.parse(backing).resource_id,) if backing else ()
    trials = snapshot.resource.get("trials", ())
    return (snapshot.job_id, *(job_id for trial in trials for job_id in _trial_job_ids(trial)))


def package_uri(snapshot: Snapshot) -> str | None:
    """Where the job's package lies, which comes after its wheels; None for a container job."""
    pools: Sequence[Mapping[str, Any]] = snapshot.job_spec.get("workerPoolSpecs") or ({},)
    uris = pools[0].get("pythonPackageSpec", {}).get("packageUris")
    return str(uris[-1]) if uris else None


def _trial_job_ids(trial: Mapping[str, Any]) -> tuple[str, ...]:
    name = trial.get("customJob", "")
    return (ResourceName.parse(name).resource_id,) if name else ()
