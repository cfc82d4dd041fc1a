"""Objectives as targets of a Gaussian process: lower is better, outliers tamed, unit variance.

A search must tell good from better, not bad from terrible: a diverged trial must not flatten all
other differences. So the better half keeps its shape and the worse half only its order.

Source: "The Vizier Gaussian Process Bandit Algorithm" (Song et al., 2024), half-rank warping.
"""

import math
from dataclasses import dataclass

import numpy as np

from vertex_jobs.search.arrays import Floats

#: Objectives that differ by at most this many units in the last place are equal up to rounding.
ROUNDING = 4


@dataclass(frozen=True)
class Warping:
    """Targets of one metric and the way back.

    Attributes:
        targets: ``[trials]``, lower is better, mean 0, variance 1; all 0 for equal objectives.
        shift: Objective at target 0, for the better half.
        scale: Objective per unit of target, negative for a metric to maximize; 0 for equal
            objectives, which have no spread.
    """

    targets: Floats
    shift: float
    scale: float

    @classmethod
    def of(cls, objectives: Floats, *, maximize: bool) -> "Warping":
        """Return the warping of the finite objectives of at least one trial."""
        sign = -1.0 if maximize else 1.0
        # Scaled by a power of two, which changes no digit, so that nothing overflows.
        power = math.frexp(float(np.abs(objectives).max()))[1]
        losses = np.ldexp(sign * objectives, -power)
        median = float(np.median(losses))
        offsets = losses - median
        if np.ptp(losses) <= ROUNDING * np.spacing(np.abs(losses).max()):
            unit, warped, deviation = 0.0, np.zeros_like(losses), 1.0
        else:
            # Relative to the median, so that a large common part hides no difference.
            unit = -float(offsets.min()) or float(np.median(offsets[offsets > 0]))
            warped = _tame(np.minimum(offsets, 0.0) / unit, losses, median)
            deviation = float(warped.std())
        mean = float(warped.mean())
        shift, scale = sign * np.ldexp([median + unit * mean, unit * deviation], power)
        return cls((warped - mean) / deviation, float(shift), float(scale))


def _tame(gains: Floats, losses: Floats, median: float) -> Floats:
    """Return gains on the median, and for losses above it the normal scores of their ranks."""
    from scipy.special import ndtri

    better = losses <= median
    spread = float(np.sqrt(np.mean(gains[better] ** 2))) or 1.0
    ordered = np.sort(losses)
    # Equal losses get the mean of their ranks, so the order of trials does not matter.
    ranks = 0.5 * (np.searchsorted(ordered, losses) + np.searchsorted(ordered, losses, "right"))
    scores = ndtri(ranks / len(losses))
    return np.where(better, gains, spread * np.maximum(scores, 0.0))
