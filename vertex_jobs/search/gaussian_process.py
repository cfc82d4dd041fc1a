"""The default search: a Gaussian process learns the objective, a confidence bound picks trials.

For expensive trials, run one by one or many at a time, in every kind of space, with one metric or
several. Nothing is kept between calls: each answer follows from the seed, the trial id and the
trials given.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search.acquisition import Acquisition
from vertex_jobs.search.candidates import Candidates
from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.models import Models, Observations, fit_models
from vertex_jobs.search.quasi_random import spread_point
from vertex_jobs.search.space import Assignment, Space
from vertex_jobs.search.trials import Completed, Pending

__all__ = ["GaussianProcessSearch"]

Floats = NDArray[np.float64]

#: Least gain, in standard deviations of the targets, for which a trial joins others that run near
#: an optimum which is already known well. Every other trial refines it all the same.
WORTHWHILE = 0.05
#: Trials per parameter with which a study has settled.
SETTLED = 12


class GaussianProcessSearch:
    """Bayesian optimisation with parallel trials in mind."""

    def __init__(self, space: Space, maximize: tuple[bool, ...], seed: int) -> None:
        self._encoding = Encoding(space)
        self._candidates = Candidates(self._encoding)
        self._maximize = maximize
        self._seed = seed
        self._start_count = min(max(2 * self._encoding.dimension, 4), 8)

    def suggest(
        self, trial_ids: Sequence[int], completed: Sequence[Completed], pending: Sequence[Pending]
    ) -> list[Assignment]:
        """Return one assignment for each trial id, fewer where a finite space is used up.

        No point of a finite space is suggested that a trial has had or has now.
        """
        observations = Observations.of(self._encoding, self._maximize, completed)
        ordered = sorted(pending, key=lambda trial: trial.trial_id)
        running = self._encoding.rows([trial.assignment for trial in ordered])
        taken = {row.tobytes() for row in (*observations.values, *running)}
        rows = []
        learns = observations.feasible.any() and len(observations.values) >= self._start_count
        models = fit_models(self._encoding, observations) if learns else None
        if models:
            models.add_pending(running)
        for trial_id in trial_ids:
            if models:
                row = self._promising(trial_id, models, observations, running, taken)
            else:
                row = self._start(trial_id, taken)
            if row is None:
                break
            if models:
                models.add_pending(row[None, :])
                running = np.vstack([running, row])
            taken.add(row.tobytes())
            rows.append(row)
        return [self._encoding.assignment(row) for row in rows]

    def _promising(
        self,
        trial_id: int,
        models: Models,
        observations: Observations,
        running: Floats,
        taken: set[bytes],
    ) -> Floats | None:
        """The best bet; or, beside others that run, what teaches most if no bet is left.

        None where no point is left, as in ``_start``.
        """
        random = np.random.default_rng((self._seed, trial_id))
        leaders = observations.leaders()
        settled = len(observations.values) >= SETTLED * self._encoding.dimension
        acquisition = Acquisition(models, np.vstack([leaders, running]), random, settled=settled)
        row = self._candidates.best(acquisition.bound, leaders, taken, random)
        if row is None:
            return None
        if len(running) and trial_id % 2 and acquisition.gain(row[None, :]) < WORTHWHILE:
            row = self._candidates.best(acquisition.familiarity, leaders, taken, random)
        return row

    def _start(self, trial_id: int, taken: set[bytes]) -> Floats | None:
        """The centre for the first trial, then points that cover the space."""
        dimension = self._encoding.dimension
        point = np.full(dimension, 0.5)
        if trial_id > 1:
            point = spread_point(self._seed, trial_id, dimension, self._start_count)
        return self._candidates.at(point, taken, np.random.default_rng((self._seed, trial_id)))
