"""Random search: every trial is drawn on its own, uniform on the parameters' scales.

For baselines and for studies that ask for it. It learns nothing and may repeat a point.
"""

from collections.abc import Sequence

import numpy as np

from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.space import Assignment, Space
from vertex_jobs.search.trials import Completed, Pending

__all__ = ["RandomSearch"]


class RandomSearch:
    """Draws each trial from its own random stream, which seed and trial id fix."""

    def __init__(self, space: Space, seed: int) -> None:
        self._encoding = Encoding(space)
        self._seed = seed

    def suggest(
        self, trial_ids: Sequence[int], completed: Sequence[Completed], pending: Sequence[Pending]
    ) -> list[Assignment]:
        """Return one draw for each trial id; the trials given do not matter."""
        return [self._draw(trial_id) for trial_id in trial_ids]

    def _draw(self, trial_id: int) -> Assignment:
        random = np.random.default_rng((self._seed, trial_id))
        coordinates = random.random((1, self._encoding.dimension))
        return self._encoding.assignment(self._encoding.values(coordinates)[0])
