"""The importance of each parameter, with its uncertainty.

For the reader of a report, who decides which parameters to keep tuning. The measure is the total
Sobol' index: the share of the metric's variance over the whole space that would vanish if this
parameter alone were fixed, its interactions included. It is computed on functions drawn from
Gaussian processes that explain the trials, so its spread shows what the trials leave open.

Source: "Calculations of Sobol indices for the Gaussian process metamodel" (Marrel, Iooss, Laurent,
Roustant, 2009); the estimator is that of "Analysis of variance designs for model output" (Jansen,
1999).
"""

from dataclasses import dataclass

import numpy as np

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.uncertainty import Beliefs

#: Points at which functions are drawn together; the cost grows with the third power.
POINTS = 1200
#: Kernels from which functions are drawn, four from each.
KERNELS = 16


@dataclass(frozen=True)
class Importance:
    """One parameter's total index for one metric, 0 to 1.

    The share is the median over the drawn functions; low and high are their first and last decile.
    """

    parameter_id: str
    share: float
    low: float
    high: float


def importances(beliefs: Beliefs, metric: int, seed: int = 0) -> list[Importance]:
    """Return every parameter's importance for one metric, the most important first.

    ``metric`` is its number in the study's order. All are 0 where all trials are equal in the
    metric. Parameters that share an id under different conditions count as one. The indices add up
    to more than one where parameters interact.
    """
    ids = [parameter.id for parameter in beliefs.encoding.space.parameters]
    names = list(dict.fromkeys(ids))
    if not beliefs.varies(metric):
        return [Importance(name, 0.0, 0.0, 0.0) for name in names]
    random = np.random.default_rng(seed)
    count = POINTS // (len(names) + 1)
    base, other = random.random((2, count, len(ids)))
    exchanged = []
    for name in names:
        points = base.copy()
        columns = [column for column, owner in enumerate(ids) if owner == name]
        points[:, columns] = other[:, columns]
        exchanged.append(points)
    shares = _total_indices(beliefs, metric, np.stack([base, *exchanged]), random)
    low, middle, high = np.quantile(shares, (0.1, 0.5, 0.9), axis=0).tolist()
    found = [Importance(*row) for row in zip(names, middle, low, high, strict=True)]
    return sorted(found, key=lambda one: -one.share)


def _total_indices(
    beliefs: Beliefs, metric: int, points: Floats, random: np.random.Generator
) -> Floats:
    """Return the indices of drawn functions, ``[draws, parameters]``.

    ``points`` are ``[1 + parameters, count, coordinates]``: the base, then the base with one
    parameter exchanged at a time.
    """
    flat = points.reshape(-1, points.shape[-1])
    features = beliefs.encoding.features(beliefs.encoding.values(flat))
    drawn = beliefs.functions(metric, features, KERNELS, random).reshape(-1, *points.shape[:2])
    variance = drawn[:, 0].var(axis=1, keepdims=True)
    halves = 0.5 * ((drawn[:, 1:] - drawn[:, :1]) ** 2).mean(axis=2)
    shares: Floats = np.clip(halves / np.maximum(variance, 1e-12), 0, 1)
    return shares
