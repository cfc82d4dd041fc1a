"""What a search algorithm is given and what it gives back, for every algorithm here and its caller.

Plain data and one protocol. Nothing here knows jobs, protos or files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vertex_jobs.search.space import Assignment

__all__ = ["Algorithm", "Completed", "Pending"]


@dataclass(frozen=True)
class Completed:
    """A trial that has ended.

    Attributes:
        trial_id: Positive and unique within the study.
        assignment: Values of the active parameters.
        objectives: Final value of each metric in the study's order; None for an infeasible trial.
            A value that is not finite makes the trial infeasible.
    """

    trial_id: int
    assignment: Assignment
    objectives: tuple[float, ...] | None


@dataclass(frozen=True)
class Pending:
    """A trial that was suggested and has not ended."""

    trial_id: int
    assignment: Assignment


class Algorithm(Protocol):
    """Suggests trials from what is known; holds no state that a result depends on."""

    def suggest(
        self, trial_ids: Sequence[int], completed: Sequence[Completed], pending: Sequence[Pending]
    ) -> list[Assignment]:
        """Return one assignment for each trial id, in that order; fewer when the space is used up.

        The answer follows from the seed, the trial ids and the trials given, whatever their order.
        """
        ...
