"""What a job costs: per hour, per trial, in the worst case, and so far.

For the verbs ``check``, ``run``, ``describe`` and ``watch``. Every amount is a range in US dollars
made of the catalog's list prices; a price that nobody knows is named and never counted as 0.
Discounts, taxes, storage and network are not in it. It contacts nothing.
"""

from vertex_jobs.preflight.cost.estimates import Estimate, Leg, estimate
from vertex_jobs.preflight.cost.rates import CostRange, PriceLine, Rate, rate
from vertex_jobs.preflight.cost.running import so_far

__all__ = [
    "CostRange",
    "Estimate",
    "Leg",
    "PriceLine",
    "Rate",
    "estimate",
    "rate",
    "so_far",
]
