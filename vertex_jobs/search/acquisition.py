"""How promising a point is: a lower confidence bound, scalarised when there are several metrics.

For the Gaussian process search. Every trial looks with eyes of its own: its random stream fixes how
bold it is and, with several metrics, what it values; so trials that are asked for together differ.

Source: "Gaussian Process Optimization in the Bandit Setting" (Srinivas et al., 2010); "A Flexible
Framework for Multi-Objective Bayesian Optimization using Random Scalarizations" (Paria, Kandasamy,
Póczos, 2019).
"""

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search.models import Models

__all__ = ["Acquisition"]

Floats = NDArray[np.float64]

#: Deviations below the mean that the bound lies, for most trials and for the bold ones.
#: Measured with benchmarks/search.py: at 1.2 the mixed space was caught at the second best category
#: more often, at 2.5 batches were slower; the bold trials are there to leave a good local optimum.
BOLDNESS, BOLD = 1.8, 4.0
#: Share of trials that are bold.
BOLD_SHARE = 0.15
#: The same of those that refine what is known, and their share once the study has settled. On seeds
#: that no table shows, Branin and the mixed space ended 5 to 30 times nearer to the optimum by it,
#: noise and many optima aside no worse; from the first trial on it held Hartmann 6 and Levy 4 back.
REFINING, REFINING_SHARE = 0.1, 0.5
#: What a failed trial costs, in standard deviations of the targets: enough to keep away from where
#: all trials fail, little enough to come back to where one crashed by chance.
FAILURE = 0.5
#: Weight of the sum beside the maximum. Source: "ParEGO" (Knowles, 2006).
TIE_BREAK = 0.05


class Acquisition:
    """The view that one trial has of the models; for every loss, lower is more promising."""

    def __init__(
        self, models: Models, known: Floats, random: np.random.Generator, *, settled: bool
    ) -> None:
        """Look with new eyes.

        Args:
            models: Of the metrics.
            known: Values of the best trials and of those that run, ``[points, parameters]``.
            random: The trial's own stream.
            settled: Whether there are so many trials that it is time to refine.
        """
        self._models = models
        self._weights = random.dirichlet(np.ones(len(models.best)))[:, None]
        self._boldness = _boldness(random.random(), settled)
        self._incumbent = self._scalarise(models.predict(known)[0]).min()

    def bound(self, values: Floats) -> Floats:
        """Return the loss that encoded points may have at best, ``[points]``."""
        return self._bound(values, self._boldness)[0]

    def gain(self, values: Floats) -> float:
        """Return by how much the best of encoded points may beat what is known."""
        return float(self._incumbent - self.bound(values).min())

    def familiarity(self, values: Floats) -> Floats:
        """Return how much is known of points that may still be the best, ``[points]``.

        Source: "Parallel Gaussian Process Optimization with Upper Confidence Bound and Pure
        Exploration" (Contal et al., 2013).
        """
        bounds, deviations = self._bound(values, BOLD)
        # A point that cannot be the best is worse than any that can.
        familiarity: Floats = 10 * np.maximum(bounds - self._incumbent, 0) - deviations
        return familiarity

    def _bound(self, values: Floats, boldness: float) -> tuple[Floats, Floats]:
        """Return bounds and deviations, ``[points]``, of what a trial yields if it may fail."""
        means, deviations = self._models.predict(values)
        bounds = self._scalarise(means - boldness * deviations)
        success = 1 - self._models.risk(values)
        # A trial that fails costs, gains nothing over the incumbent, and teaches little.
        loss = FAILURE + np.maximum(self._incumbent - bounds, 0)
        return bounds + (1 - success) * loss, deviations.mean(axis=0) * success

    def _scalarise(self, targets: Floats) -> Floats:
        """Augmented Chebyshev: the worst metric decides, the others break ties."""
        if len(targets) == 1:
            only: Floats = targets[0]
            return only
        gains = self._weights * (targets - self._models.best[:, None])
        loss: Floats = gains.max(axis=0) + TIE_BREAK * gains.sum(axis=0)
        return loss


def _boldness(draw: float, settled: bool) -> float:
    """What a trial is by a draw from [0, 1): bold, refining, or neither."""
    if draw < BOLD_SHARE:
        return BOLD
    return REFINING if settled and draw >= 1 - REFINING_SHARE else BOLDNESS
