"""The rule on what a job may cost.

For the table in ``rules``.
"""

from collections.abc import Iterator

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject

__all__ = ["MONEY_RULES"]


@rule(
    "error",
    source="the catalog's prices",
    needs=[
        *MACHINE_FIELDS,
        "max_cost_usd",
        "timeout",
        "max_trial_count",
        "parallel_trial_count",
    ],
    cloud_only=True,
)
def cost_ceiling(subject: Subject) -> Iterator[Fault]:
    """The worst case costs no more than max_cost_usd."""
    ceiling = subject.job.max_cost_usd
    if ceiling is None:
        return
    worst = subject.cost.worst_case
    if not worst.is_complete:
        yield Fault(
            "max_cost_usd",
            ceiling,
            f"it cannot be kept: the price of {', '.join(worst.unknown)} is not known",
            "remove max_cost_usd, or take what has a price: vertex-jobs machines",
        )
    elif worst.high > ceiling:
        yield Fault(
            "max_cost_usd",
            ceiling,
            f"the worst case costs {worst}",
            "lower timeout or max_trial_count, take a cheaper machine, or raise it",
        )


MONEY_RULES = (cost_ceiling,)
