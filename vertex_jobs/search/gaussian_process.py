"""The default search: a Gaussian process learns the objective, a confidence bound picks trials.

For expensive trials, one by one or many at a time, in every kind of space, with one metric or
several. It keeps nothing between calls: each answer follows from the seed, the trial id and the
trials given. The first trials, before there is anything to learn from, come from Latin hypercubes.

Source: "A Comparison of Three Methods for Selecting Values of Input Variables in the Analysis of
Output from a Computer Code" (McKay, Beckman, Conover, 1979).
"""

from collections.abc import Sequence

import numpy as np

from vertex_jobs.search.acquisition import Acquisition
from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.candidates import Candidates
from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.metric_models import Models, Observations, fit_models
from vertex_jobs.search.protocol import Completed, Pending
from vertex_jobs.search.space import Assignment, Space

#: Least gain, in standard deviations of the targets, for which a trial joins running ones near an
#: optimum that is already well known. Every other trial refines it in any case.
WORTHWHILE = 0.05
#: Trials per parameter after which a study has settled.
SETTLED = 12
#: Latin hypercubes drawn for the first trials; the one whose nearest points are farthest apart is
#: used.
DRAWS = 20


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

        In a finite space it repeats no point of a completed or running trial.
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
        """Return the most promising point; beside running trials, perhaps the most instructive one.

        Returns None where no point is left, as ``_start`` does.
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
        """Return the centre for the first trial, then points that cover the space."""
        dimension = self._encoding.dimension
        point = np.full(dimension, 0.5)
        if trial_id > 1:
            point = _spread_point(self._seed, trial_id, dimension, self._start_count)
        return self._candidates.at(point, taken, np.random.default_rng((self._seed, trial_id)))


def _spread_point(seed: int, trial_id: int, dimension: int, block_size: int) -> Floats:
    """Return the coordinates of a trial, ``[dimension]``; seed and trial id fix them.

    Each block of consecutive trials visits every stretch of every parameter's scale once.
    """
    block, place = divmod(trial_id - 1, block_size)
    random = np.random.default_rng((seed, block, 1))
    cubes = [_hypercube(random, block_size, dimension) for _ in range(DRAWS)]
    best: Floats = max(cubes, key=_least_distance)[place]
    return best


def _hypercube(random: np.random.Generator, size: int, dimension: int) -> Floats:
    strata = random.permuted(np.tile(np.arange(size), (dimension, 1)), axis=1).T
    cube: Floats = (strata + random.random((size, dimension))) / size
    return cube


def _least_distance(points: Floats) -> float:
    rows, columns = np.tril_indices(len(points), -1)
    return float(((points[rows] - points[columns]) ** 2).sum(axis=1).min(initial=np.inf))
