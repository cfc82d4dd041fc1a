"""The cost of a job that does not exist yet: per hour, per trial, and at worst.

For the verbs ``check`` and ``run``. The worst case is that every trial runs into its timeout and
that the dearest of the job's places is the one that has room.
"""

import math
from dataclasses import dataclass

from vertex_jobs import catalog
from vertex_jobs.preflight.cost.rates import CostRange, Rate, rate
from vertex_jobs.spec import HyperparameterTuningJob, JobSpec, attempts

__all__ = ["Estimate", "Leg", "estimate"]


@dataclass(frozen=True)
class Leg:
    """What the job costs in one of the places where it may run.

    Attributes:
        path: Where the place stands in the config; empty for the job's own.
        location: Region.
        rate: Per hour of one trial, or of the job if it has no trials.
    """

    path: str
    location: str
    rate: Rate


@dataclass(frozen=True)
class Estimate:
    """What a job will cost.

    Attributes:
        legs: The job's own place, then its fallbacks.
        trial_count: Trials at most; 1 for a job without trials.
        parallel_trial_count: At the same time; 1 for a job without trials.
        is_study: Whether there are trials.
        timeout_hours: Longest time of one trial.
        timeout_is_default: Whether nobody chose that time.
    """

    legs: tuple[Leg, ...]
    trial_count: int
    parallel_trial_count: int
    is_study: bool
    timeout_hours: float
    timeout_is_default: bool

    @property
    def hourly(self) -> CostRange:
        """An hour of one trial, or of the job, in its own place."""
        return self.legs[0].rate.hourly

    @property
    def trial(self) -> CostRange:
        """One trial, or the job, that runs into its timeout."""
        return self.hourly.times(self.timeout_hours)

    @property
    def worst_case(self) -> CostRange:
        """Every trial runs into its timeout, in the dearest place; the ceiling counts this."""
        factor = self.timeout_hours * self.trial_count
        possible = [leg.rate.hourly.times(factor) for leg in self.legs]
        unknown = dict.fromkeys(name for one in possible for name in one.unknown)
        dearest = max(possible, key=lambda one: one.high)
        return CostRange(min(one.low for one in possible), dearest.high, tuple(unknown))

    @property
    def longest_hours(self) -> float:
        """When all trials have ended at the latest, counted from the first one's start."""
        return math.ceil(self.trial_count / self.parallel_trial_count) * self.timeout_hours


def estimate(job: JobSpec, location: str) -> Estimate:
    """Estimate a job's cost.

    Args:
        job: The job.
        location: Where it is submitted first.
    """
    prices = catalog.load()
    legs = []
    for attempt in attempts(job):
        there = attempt.location or location
        uses = [pool.machine_use for pool in attempt.job.worker_pools_resolved()]
        strategy = attempt.job.scheduling_strategy
        hourly = rate(uses, location=there, strategy=strategy, catalog=prices)
        legs.append(Leg(attempt.path, there, hourly))
    trials, parallel = 1, 1
    if isinstance(job, HyperparameterTuningJob):
        trials, parallel = job.max_trial_count, job.parallel_trial_count
    timeout, default = job.timeout, prices.limits.default_timeout_seconds
    return Estimate(
        legs=tuple(legs),
        trial_count=trials,
        parallel_trial_count=parallel,
        is_study=isinstance(job, HyperparameterTuningJob),
        timeout_hours=(timeout if timeout is not None else default) / 3600,
        timeout_is_default=timeout is None,
    )
