"""How a job stands, in a few lines for a person: state, replicas, trials, time and cost so far.

For ``describe`` and the block that ``watch`` redraws. Pure functions of what the endpoint said.
"""

from collections.abc import Iterator
from datetime import datetime

from vertex_jobs.cli.details import replica_count
from vertex_jobs.cli.words import ago, count, duration, outcome, parameters, seconds_between
from vertex_jobs.client import Snapshot
from vertex_jobs.job_kinds import short_state
from vertex_jobs.preflight.cost import so_far

__all__ = ["cost_so_far", "summary_lines"]


def summary_lines(snapshot: Snapshot, now: datetime) -> Iterator[str]:
    """How the job stands.

    Args:
        snapshot: The job.
        now: For the times that have passed.
    """
    state = short_state(snapshot.state).lower()
    ran = seconds_between(snapshot.start_time, snapshot.end_time, now)
    ran_for = f", ran for {duration(ran)}" if snapshot.start_time else ""
    yield f"{snapshot.display_name}: {state}{ran_for}, created {ago(snapshot.create_time, now)}"
    replicas = count(replica_count(snapshot), "replica")
    yield f"{replicas} in each trial" if snapshot.is_study else replicas
    if snapshot.is_study:
        yield from _study_lines(snapshot)
    cost = cost_so_far(snapshot, now)
    if cost:
        yield f"estimated cost {'' if snapshot.done else 'so far '}on Vertex AI: {cost}"


def cost_so_far(snapshot: Snapshot, now: datetime) -> str:
    """What the job has cost in list prices; empty before it has cost anything."""
    cost = so_far(snapshot.resource, now)
    return str(cost) if cost.high or cost.unknown else ""


def _study_lines(snapshot: Snapshot) -> Iterator[str]:
    trials = snapshot.study.trials
    finished = sum(trial.finished for trial in trials)
    total = snapshot.resource.get("maxTrialCount", "?")
    yield f"{finished} of {total} trials, {len(trials) - finished} running"
    best = snapshot.best_so_far
    if best is not None:
        value = outcome(best, snapshot.study.objectives)
        word = "best" if snapshot.done else "best so far"
        yield f"{word}: trial {best.id}, {value} ({parameters(best)})"
