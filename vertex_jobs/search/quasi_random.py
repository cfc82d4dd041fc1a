"""The first trials of a study, spread evenly before there is anything to learn from.

For the Gaussian process search. Latin hypercubes, one after another: each block of consecutive
trials visits every stretch of every parameter's scale once.

Source: "A Comparison of Three Methods for Selecting Values of Input Variables in the Analysis of
Output from a Computer Code" (McKay, Beckman, Conover, 1979).
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["spread_point"]

Floats = NDArray[np.float64]

#: Hypercubes drawn, of which the one whose nearest points are farthest apart is taken.
DRAWS = 20


def spread_point(seed: int, trial_id: int, dimension: int, block_size: int) -> Floats:
    """Return the coordinates of a trial, ``[dimension]``; seed and trial id fix them."""
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
