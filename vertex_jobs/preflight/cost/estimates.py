"""Estimate the cost of a job before it is submitted: per hour, per trial, and in the worst case.

For the verbs ``check`` and ``run``. In the worst case every trial runs into its timeout, and only
the dearest of the job's places has machines.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs.preflight.cost.own_prices import priced_catalog
from vertex_jobs.preflight.cost.rates import CostRange, Rate, rate
from vertex_jobs.spec import HyperparameterTuningJob, JobSpec, attempts
from vertex_jobs.wording import count, number


@dataclass(frozen=True)
class Leg:
    """The price of a job in one of the places where it may run.

    Attributes:
        path: Of the place in the config; empty for the job's own.
        rate: Per hour of one trial, or of the job if it has no trials.
    """

    path: str
    location: str
    rate: Rate


@dataclass(frozen=True, repr=False)
class Estimate:
    """The estimated cost of a job; ``print`` shows an hour, a trial and the worst case.

    Attributes:
        legs: The job's own place, then its fallbacks.
        trial_count: The most trials; it and the parallel ones are 1 for a job without trials.
        timeout_hours: The longest time of one trial.
        timeout_is_default: True when the config does not set that time.
        resubmissions: How often the job may be submitted again.
    """

    legs: tuple[Leg, ...]
    trial_count: int
    parallel_trial_count: int
    is_study: bool
    timeout_hours: float
    timeout_is_default: bool
    resubmissions: int

    @property
    def hourly(self) -> CostRange:
        """The cost of an hour of one trial, or of the job, in its own place."""
        return self.legs[0].rate.hourly

    @property
    def trial(self) -> CostRange:
        """The cost of one trial, or of the job, that runs into its timeout."""
        return self.hourly.times(self.timeout_hours)

    @property
    def worst_case(self) -> CostRange:
        """The cost if every trial runs into its timeout in the dearest place, for the ceiling."""
        factor = self.timeout_hours * self.trial_count * (1 + self.resubmissions)
        possible = [leg.rate.hourly.times(factor) for leg in self.legs]
        unknown = dict.fromkeys(name for one in possible for name in one.unknown)
        dearest = max(possible, key=lambda one: one.high)
        return CostRange(min(one.low for one in possible), dearest.high, tuple(unknown))

    @property
    def longest_hours(self) -> float:
        """The longest time from the start of the first trial to the end of the last."""
        return math.ceil(self.trial_count / self.parallel_trial_count) * self.timeout_hours

    def total_lines(self) -> Iterator[str]:
        """Yield the cost of an hour, of a trial and of the worst case."""
        one = "trial" if self.is_study else "job"
        hours = f"{number(self.timeout_hours)} h"
        chosen = "the default timeout" if self.timeout_is_default else "its timeout"
        yield f"an hour of one {one}: {self.hourly}"
        yield f"one {one} that runs into {chosen}, {hours}: {self.trial}"
        if self.is_study:
            yield (
                f"worst case: {count(self.trial_count, 'trial')} x {hours} = {self.worst_case}, "
                f"over within {number(self.longest_hours)} h"
            )
        elif len(self.legs) > 1:
            yield f"worst case, in the dearest place: {self.worst_case}"
        elif self.resubmissions:
            again = count(self.resubmissions, "resubmission")
            yield f"worst case, with {again}: {self.worst_case}"

    def price_lines(self) -> Iterator[str]:
        """Yield every price in it, how sure it is, and what is not in it."""
        for leg in self.legs:
            if len(self.legs) > 1:
                yield f"{leg.path or 'first'}, {leg.location}:"
            yield from map(str, leg.rate.lines)
            yield from leg.rate.notes

    def __str__(self) -> str:
        """The totals, a line each."""
        return "\n".join(self.total_lines())

    def __repr__(self) -> str:
        return f"<at worst {self.worst_case}>"


def estimate(job: JobSpec, location: str) -> Estimate:
    """Return the estimated cost of a job that is submitted to the location first."""
    prices = priced_catalog(job.prices)
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
        resubmissions=job.max_resubmissions,
    )
