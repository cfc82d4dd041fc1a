"""Grid search: every point of a finite space once, in a fixed order.

For integer, discrete and categorical parameters. It refuses a continuous range rather than cut
it into steps that nobody chose.
"""

from collections.abc import Sequence
from itertools import islice

from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.space import Assignment, Space
from vertex_jobs.search.trials import Completed, Pending

__all__ = ["GridSearch"]


class GridSearch:
    """Suggests the points that no trial has had yet; the last parameter changes fastest.

    Raises:
        ValueError: A parameter is continuous.

    Source: StudySpec.Algorithm, GRID_SEARCH.
    """

    def __init__(self, space: Space) -> None:
        for parameter in space.parameters:
            if parameter.kind == "double":
                raise ValueError(
                    f"parameter {parameter.id!r} is a double: a grid takes only integer, discrete "
                    "and categorical parameters; list its values as discrete, or search randomly"
                )
        self._space = space
        self._encoding = Encoding(space)

    def suggest(
        self, trial_ids: Sequence[int], completed: Sequence[Completed], pending: Sequence[Pending]
    ) -> list[Assignment]:
        """Return the next points of the grid, fewer than asked for near its end."""
        had = [trial.assignment for trial in completed] + [trial.assignment for trial in pending]
        taken = {row.tobytes() for row in self._encoding.rows(had)}
        fresh = (
            point
            for point in self._space.assignments()
            if self._encoding.rows([point]).tobytes() not in taken
        )
        return list(islice(fresh, len(trial_ids)))
