"""An estimate of cost, as lines for a person.

For `checking`, `confirmation` and whoever shows what a job will cost.
"""

from collections.abc import Iterator

from vertex_jobs.cli.words import count, number
from vertex_jobs.preflight.cost import Estimate, PriceLine

__all__ = ["price_lines", "total_lines"]


def total_lines(cost: Estimate) -> Iterator[str]:
    """What an hour, a trial and the worst case cost."""
    one = "trial" if cost.is_study else "job"
    hours = f"{number(cost.timeout_hours)} h"
    chosen = "the default timeout" if cost.timeout_is_default else "its timeout"
    yield f"an hour of one {one}: {cost.hourly}"
    yield f"one {one} that runs into {chosen}, {hours}: {cost.trial}"
    if cost.is_study:
        yield (
            f"worst case: {count(cost.trial_count, 'trial')} x {hours} = {cost.worst_case}, "
            f"over within {number(cost.longest_hours)} h"
        )
    elif len(cost.legs) > 1:
        yield f"worst case, in the dearest place: {cost.worst_case}"


def price_lines(cost: Estimate) -> Iterator[str]:
    """Every price in the estimate, how sure it is, and what it does not say."""
    for leg in cost.legs:
        if len(cost.legs) > 1:
            yield f"{leg.path or 'first'}, {leg.location}:"
        for line in leg.rate.lines:
            yield f"{number(float(line.quantity))} x {line.item}: {_price(line)}"
        yield from leg.rate.notes


def _price(line: PriceLine) -> str:
    if line.usd_per_hour is None:
        return "price unknown"
    when = f" {line.date}" if line.date else ", no date"
    return f"{line.usd_per_hour:.4g} USD/h ({line.confidence} confidence, {line.basis}{when})"
