"""Times, machines and trials as short text.

For tables, progress and summaries. Pure functions.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from vertex_jobs.timestamps import read_second
from vertex_jobs.wording import number

if TYPE_CHECKING:
    from vertex_jobs.spec.pools import WorkerPoolSpec
    from vertex_jobs.study import Objective, Trial


def percent(share: float) -> str:
    """Return ``42 %``."""
    return f"{100 * share:.0f} %"


def duration(seconds: float) -> str:
    """Return ``0:42``, ``12:05``, ``3:00:10``."""
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def seconds_between(start: str | None, end: str | None, now: datetime) -> float:
    """Return the seconds from one time of the API to another, or to now; 0 before the start."""
    if start is None:
        return 0.0
    return ((read_second(end) if end else now) - read_second(start)).total_seconds()


def ago(text: str | None, now: datetime) -> str:
    """Return ``12 s ago``, ``3 min ago``, ``5 h ago``, ``2 d ago``."""
    if not text:
        return ""
    seconds = max(0.0, (now - read_second(text)).total_seconds())
    for unit, size, limit in (("s", 1, 60), ("min", 60, 3600), ("h", 3600, 172_800)):
        if seconds < limit:
            return f"{seconds // size:.0f} {unit} ago"
    return f"{seconds // 86_400:.0f} d ago"


def machine(pool: "WorkerPoolSpec") -> str:
    """Return ``n1-standard-4 with 2 x NVIDIA_TESLA_T4``."""
    if not pool.accelerator_type:
        return pool.machine_type
    return f"{pool.machine_type} with {pool.accelerator_count} x {pool.accelerator_type}"


def parameters(trial: "Trial") -> str:
    """Return ``learning_rate=0.00284 n_units=141``."""
    return " ".join(f"{key}={number(value)}" for key, value in trial.parameters.items())


def metrics(values: Mapping[str, float], objectives: "Sequence[Objective]") -> str:
    """Return ``accuracy 0.9889``: the metrics that count, as far as there are any."""
    present = [goal.metric_id for goal in objectives if goal.metric_id in values]
    return " ".join(f"{metric} {number(values[metric])}" for metric in present)


def outcome(trial: "Trial", objectives: "Sequence[Objective]") -> str:
    """Return the final metrics that count; empty where there are none yet."""
    return metrics(trial.metrics, objectives)
