"""The promise of a point: a lower confidence bound, scalarised when there are several metrics.

For the Gaussian process search. Each trial draws its own boldness and, with several metrics, its
own weights from its random stream, so trials that are asked for together differ.

Source: "Gaussian Process Optimization in the Bandit Setting" (Srinivas et al., 2010); "A Flexible
Framework for Multi-Objective Bayesian Optimization using Random Scalarizations" (Paria, Kandasamy,
Póczos, 2019).
"""

import numpy as np

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.metric_models import Models

#: Distance of the bound below the mean in deviations, for most trials and for the bold ones.
#: Measured with benchmarks/search.py: at 1.2 the search on the mixed space ended in the second best
#: category more often, at 2.5 batches were slower; the bold trials leave a good local optimum.
BOLDNESS, BOLD = 1.8, 4.0
#: Share of trials that are bold.
BOLD_SHARE = 0.15
#: The distance for trials that refine, and their share once the study has settled. On seeds outside
#: the published tables, Branin and the mixed space ended 5 to 30 times nearer to the optimum with
#: it; functions with noise or many optima ended no worse. Used from the first trial on, it slowed
#: Hartmann 6 and Levy 4 down.
REFINING, REFINING_SHARE = 0.1, 0.5
#: Cost of a failed trial in standard deviations of the targets: enough to avoid a region where all
#: trials fail, little enough to return to one where a single trial crashed by chance.
FAILURE = 0.5
#: Weight of the sum beside the maximum. Source: "ParEGO" (Knowles, 2006).
TIE_BREAK = 0.05


class Acquisition:
    """One trial's view of the models; a lower loss is more promising."""

    def __init__(
        self, models: Models, known: Floats, random: np.random.Generator, *, settled: bool
    ) -> None:
        """Draw the trial's boldness and weights from its own random stream.

        ``known`` holds the values of the best trials and of those that run,
        ``[points, parameters]``; a ``settled`` study has enough trials to refine its best ones.
        """
        self._models = models
        self._weights = random.dirichlet(np.ones(len(models.best)))[:, None]
        self._boldness = _boldness(random.random(), settled)
        self._incumbent = self._scalarise(models.predict(known)[0]).min()

    def bound(self, values: Floats) -> Floats:
        """Return the lowest plausible loss of encoded points, ``[points]``."""
        return self._bound(values, self._boldness)[0]

    def gain(self, values: Floats) -> float:
        """Return the gain of the best of encoded points over the best known one."""
        return float(self._incumbent - self.bound(values).min())

    def familiarity(self, values: Floats) -> Floats:
        """Return how well points are known that may still be the best, ``[points]``.

        Source: "Parallel Gaussian Process Optimization with Upper Confidence Bound and Pure
        Exploration" (Contal et al., 2013).
        """
        bounds, deviations = self._bound(values, BOLD)
        # A point that cannot be the best is worse than any that can.
        familiarity: Floats = 10 * np.maximum(bounds - self._incumbent, 0) - deviations
        return familiarity

    def _bound(self, values: Floats, boldness: float) -> tuple[Floats, Floats]:
        """Return bounds and deviations, ``[points]``, of a trial that may fail."""
        means, deviations = self._models.predict(values)
        bounds = self._scalarise(means - boldness * deviations)
        success = 1 - self._models.risk(values)
        # A failed trial costs time, gains nothing over the incumbent, and teaches little.
        loss = FAILURE + np.maximum(self._incumbent - bounds, 0)
        return bounds + (1 - success) * loss, deviations.mean(axis=0) * success

    def _scalarise(self, targets: Floats) -> Floats:
        """Return the augmented Chebyshev loss: the worst metric decides, the others break ties."""
        if len(targets) == 1:
            only: Floats = targets[0]
            return only
        gains = self._weights * (targets - self._models.best[:, None])
        loss: Floats = gains.max(axis=0) + TIE_BREAK * gains.sum(axis=0)
        return loss


def _boldness(draw: float, settled: bool) -> float:
    """Return a trial's boldness for a draw from [0, 1)."""
    if draw < BOLD_SHARE:
        return BOLD
    return REFINING if settled and draw >= 1 - REFINING_SHARE else BOLDNESS
