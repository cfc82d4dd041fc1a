"""Grid search and random search, which learn nothing from the trials."""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.protocol import Completed, Pending
from vertex_jobs.search.space import Assignment, Space


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


class RandomSearch:
    """Draws each trial from its own random stream, which seed and trial id fix."""

    def __init__(self, space: Space, seed: int) -> None:
        self._encoding = Encoding(space)
        self._seed = seed

    def suggest(
        self, trial_ids: Sequence[int], completed: Sequence[Completed], pending: Sequence[Pending]
    ) -> list[Assignment]:
        """Return one draw for each trial id, whatever the given trials are."""
        return [self._draw(trial_id) for trial_id in trial_ids]

    def _draw(self, trial_id: int) -> Assignment:
        random = np.random.default_rng((self._seed, trial_id))
        coordinates = random.random((1, self._encoding.dimension))
        return self._encoding.assignment(self._encoding.values(coordinates)[0])
