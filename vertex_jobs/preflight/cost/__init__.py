"""The cost of a job: per hour, per trial, in the worst case, and so far.

For the verbs ``check``, ``run``, ``describe`` and ``watch``. Every amount is a range in US dollars
computed from the catalog's list prices, or from the user's own; an unknown price is named and never
counted as 0. Discounts, taxes, storage and network are not included. It contacts nothing.
"""

from vertex_jobs.preflight.cost.estimates import Estimate, Leg, estimate
from vertex_jobs.preflight.cost.own_prices import price_faults, priced_catalog, user_file
from vertex_jobs.preflight.cost.rates import CostRange, PriceLine, Rate, rate
from vertex_jobs.preflight.cost.running import so_far

__all__ = [
    "CostRange",
    "Estimate",
    "Leg",
    "PriceLine",
    "Rate",
    "estimate",
    "price_faults",
    "priced_catalog",
    "rate",
    "so_far",
    "user_file",
]
