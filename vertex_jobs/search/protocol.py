"""The input and output of a search algorithm, for every algorithm and its caller."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from vertex_jobs.search.space import Assignment

AlgorithmName = Literal["grid", "random", "gaussian_process"]


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
    """A trial that was suggested and still runs."""

    trial_id: int
    assignment: Assignment


class Algorithm(Protocol):
    """Suggests trials from the trials known so far; keeps no state that affects a result."""

    def suggest(
        self, trial_ids: Sequence[int], completed: Sequence[Completed], pending: Sequence[Pending]
    ) -> list[Assignment]:
        """Return one assignment for each trial id, in that order; fewer when the space runs out.

        The answer follows from the seed, the trial ids and the trials given, whatever their order.
        """
        ...
