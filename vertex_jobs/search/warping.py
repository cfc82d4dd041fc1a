"""Objectives as targets of a Gaussian process: lower is better, outliers tamed, unit variance.

A search needs to tell good from better, not bad from terrible: a diverged trial must not flatten
everything else. So the better half keeps its shape and the worse half only its order.

Source: "The Vizier Gaussian Process Bandit Algorithm" (Song et al., 2024), half-rank warping.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Warping"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Warping:
    """Targets of one metric and the way back.

    Attributes:
        targets: ``[trials]``, lower is better, mean 0, variance 1.
        shift: Objective at target 0, for the better half.
        scale: Objective per unit of target, negative for a metric to maximize.
    """

    targets: Floats
    shift: float
    scale: float

    @classmethod
    def of(cls, objectives: Floats, *, maximize: bool) -> "Warping":
        """Return the warping of the finite objectives of at least one trial."""
        # In units of the largest, so that no square overflows.
        unit = float(np.abs(objectives).max()) or 1.0
        unit = -unit if maximize else unit
        warped = _tame(objectives / unit)
        mean, deviation = warped.mean(), warped.std()
        # Equal objectives have no spread of their own; any unit will do.
        deviation = deviation if deviation > 1e-12 * abs(mean) else 1.0
        return cls((warped - mean) / deviation, unit * mean, unit * deviation)


def _tame(losses: Floats) -> Floats:
    """Replace losses above the median by normal scores of their ranks."""
    from scipy.special import ndtri

    median = float(np.median(losses))
    better = losses <= median
    spread = float(np.sqrt(np.mean((losses[better] - median) ** 2))) or 1.0
    ordered = np.sort(losses)
    # Equal losses get the mean of their ranks, so the order of trials does not matter.
    ranks = 0.5 * (np.searchsorted(ordered, losses) + np.searchsorted(ordered, losses, "right"))
    scores = ndtri(ranks / len(losses))
    return np.where(better, losses, median + spread * np.maximum(scores, 0.0))
