"""Models of the trials: one fitted Gaussian process per metric and one for feasibility.

For the Gaussian process search and for the judgement of a best trial. An infeasible trial says
nothing about the metrics and may have failed by chance: it raises the risk around it only when its
neighbours fail too. The cost is bounded for any number of trials.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.fit import fit_explanations, fit_kernel
from vertex_jobs.search.posterior import Posterior
from vertex_jobs.search.protocol import Completed
from vertex_jobs.search.warping import Warping

#: Trials that a kernel is fitted to, and that the posterior is conditioned on. The cost grows with
#: the third power; of more trials the best ones and an even choice of the rest are used.
FIT_LIMIT, POSTERIOR_LIMIT = 120, 300


@dataclass(frozen=True)
class Observations:
    """The completed trials as arrays, in the order of their ids.

    Attributes:
        values: Encoded assignments, ``[trials, parameters]``.
        feasible: Whether each trial has finite objectives, ``[trials]``.
        warpings: Of the feasible trials, one for each metric; empty while there is none.
    """

    values: Floats
    feasible: NDArray[np.bool_]
    warpings: tuple[Warping, ...]

    @classmethod
    def of(
        cls, encoding: Encoding, maximize: tuple[bool, ...], completed: Sequence[Completed]
    ) -> "Observations":
        """Encode completed trials."""
        ordered = sorted(completed, key=lambda trial: trial.trial_id)
        values = encoding.rows([trial.assignment for trial in ordered])
        objectives = np.array(
            [trial.objectives or (np.nan,) * len(maximize) for trial in ordered], dtype=np.float64
        ).reshape(len(ordered), len(maximize))
        feasible: NDArray[np.bool_] = np.all(np.isfinite(objectives), axis=1)
        warpings = tuple(
            Warping.of(objectives[feasible, index], maximize=flag)
            for index, flag in enumerate(maximize)
            if feasible.any()
        )
        return cls(values, feasible, warpings)

    def leaders(self, count: int = 5) -> Floats:
        """Return the values of the best trials by the sum of their targets, best first."""
        total = np.sum([warping.targets for warping in self.warpings], axis=0)
        return self.values[self.feasible][np.argsort(total, kind="stable")[:count]]


@dataclass(frozen=True)
class Models:
    """The fitted posteriors of a study.

    Attributes:
        infeasibility: Of 1 for infeasible and 0 for feasible; None when all trials are feasible.
        best: Lowest target of each metric, ``[metrics]``.
    """

    encoding: Encoding
    metrics: tuple[Posterior, ...]
    infeasibility: Posterior | None
    best: Floats

    def predict(self, values: Floats) -> tuple[Floats, Floats]:
        """Return means and deviations of the targets, each ``[metrics, points]``."""
        features = self.encoding.features(values)
        means, deviations = zip(*(metric.predict(features) for metric in self.metrics), strict=True)
        return np.array(means), np.array(deviations)

    def risk(self, values: Floats) -> Floats:
        """Return the chance of each point to be infeasible, ``[points]``."""
        if self.infeasibility is None:
            return np.zeros(len(values))
        mean, _ = self.infeasibility.predict(self.encoding.features(values))
        return np.clip(mean, 0, 1)

    def add_pending(self, values: Floats) -> None:
        """Take running trials into account, ``[trials, parameters]``."""
        features = self.encoding.features(values)
        for metric in self.metrics:
            for place in range(len(features)):
                metric.add_pending(features[place : place + 1])


def fit_models(encoding: Encoding, observations: Observations) -> Models:
    """Return the fitted models of all metrics; at least one trial must be feasible."""
    features = encoding.features(observations.values)
    feasible = observations.feasible
    targets = [warping.targets for warping in observations.warpings]
    metrics = [
        _fit_posterior(encoding, features[feasible], column, features[~feasible])
        for column in targets
    ]
    infeasibility = None
    if not feasible.all():
        infeasibility = _fit_posterior(encoding, features, np.where(feasible, 0.0, 1.0))
    return Models(encoding, tuple(metrics), infeasibility, np.min(targets, axis=1))


def fit_rival_models(
    encoding: Encoding, observations: Observations
) -> list[list[tuple[Posterior, float]]]:
    """Return explanations of each metric, from no noise to much, with shares of belief.

    At least one trial must be feasible.
    """
    features = encoding.features(observations.values[observations.feasible])
    found = []
    for warping in observations.warpings:
        targets = warping.targets
        fitted = _representatives(targets, FIT_LIMIT)
        known = _representatives(targets, POSTERIOR_LIMIT)
        rivals = fit_explanations(features[fitted], encoding.owners, targets[fitted])
        found.append(
            [(Posterior(one, features[known], targets[known]), share) for one, share in rivals]
        )
    return found


def _fit_posterior(
    encoding: Encoding, features: Floats, targets: Floats, unobserved: Floats | None = None
) -> Posterior:
    chosen = _representatives(targets, FIT_LIMIT)
    kernel = fit_kernel(features[chosen], encoding.owners, targets[chosen])
    chosen = _representatives(targets, POSTERIOR_LIMIT)
    known = features[chosen]
    if unobserved is not None:
        known = np.vstack([known, unobserved[-FIT_LIMIT:]])
    return Posterior(kernel, known, targets[chosen])


def _representatives(targets: Floats, limit: int) -> NDArray[np.int_]:
    """Return indices of at most ``limit`` trials: half of them the best, the rest evenly by id."""
    if len(targets) <= limit:
        return np.arange(len(targets))
    order = np.argsort(targets, kind="stable")
    best, rest = order[: limit // 2], np.sort(order[limit // 2 :])
    picks = np.linspace(0, len(rest) - 1, limit - limit // 2).astype(int)
    return np.sort(np.concatenate([best, rest[picks]]))
