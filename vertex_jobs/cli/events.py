"""What happened to a job between two looks at it, one line each.

For progress where no screen can be redrawn: in files and in CI. Measurements are no events; a
study of a thousand steps must not print a thousand lines.
"""

from collections.abc import Iterator

from vertex_jobs.cli.words import outcome, parameters
from vertex_jobs.client import Snapshot
from vertex_jobs.job_kinds import short_state
from vertex_jobs.study import Trial

__all__ = ["events"]

_STARTED = frozenset({"ACTIVE", "STOPPING", "SUCCEEDED", "INFEASIBLE"})


def events(before: Snapshot | None, now: Snapshot) -> Iterator[str]:
    """Changes of the job's state, then of its trials'; how the job ended is for the summary."""
    if not now.done and (before is None or before.state != now.state):
        yield short_state(now.state).lower()
    if now.is_study:
        earlier = before.study.trials if before is not None else ()
        yield from _trial_events({trial.id: trial for trial in earlier}, now)


def _trial_events(earlier: dict[str, Trial], now: Snapshot) -> Iterator[str]:
    best = now.best_so_far
    for trial in now.study.trials:
        old = earlier.get(trial.id)
        if old is not None and old.state == trial.state:
            continue
        if trial.state in _STARTED and (old is None or old.state not in _STARTED):
            yield f"trial {trial.id} started: {parameters(trial)}"
        if trial.state == "STOPPING":
            yield f"trial {trial.id} is stopping"
        elif trial.state == "INFEASIBLE":
            yield f"trial {trial.id} infeasible: {trial.infeasible_reason or 'no reason given'}"
        elif trial.state == "SUCCEEDED":
            leads = " (best so far)" if best is not None and best.id == trial.id else ""
            yield f"trial {trial.id} succeeded: {outcome(trial, now.study.objectives)}{leads}"
