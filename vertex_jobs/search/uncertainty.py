"""The true values of trials as all of the study's trials suggest them, with the uncertainty.

For the explanation of a best trial and for the charts of a report. It chooses no trials.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.metric_models import Models, Observations, fit_models, fit_rival_models
from vertex_jobs.search.posterior import Posterior
from vertex_jobs.search.protocol import Completed
from vertex_jobs.search.space import Space

#: Functions drawn for a chance, whose error is then about one hundredth.
DRAWS = 2000
#: Settings that share the chances; a setting that is worse than this many others has none.
CONTENDERS = 100


@dataclass(frozen=True)
class Estimates:
    """Estimates of the metrics' true values, ``[assignments, metrics]``, in the metrics' own units.

    They hold where the study was successful. Trials worse than the median count by rank only, so a
    mean there says "bad" but not how bad. Standard deviations leave out a single trial's noise.
    """

    means: Floats
    deviations: Floats


@dataclass(frozen=True)
class Beliefs:
    """The models of a study's metrics, fitted once; the ids are the feasible trials', ascending."""

    encoding: Encoding
    observations: Observations
    models: Models
    trial_ids: tuple[int, ...]

    @classmethod
    def of(
        cls, space: Space, maximize: tuple[bool, ...], completed: Sequence[Completed]
    ) -> "Beliefs":
        """Fit the models to a study's trials.

        Raises:
            ValueError: No trial is feasible, or an assignment is not of the space.
        """
        encoding = Encoding(space)
        observations = Observations.of(encoding, maximize, completed)
        if not observations.warpings:
            raise ValueError(
                f"{len(completed)} completed trials: none is feasible, so nothing can be "
                "estimated; give a trial with objectives"
            )
        ids = np.array(sorted(trial.trial_id for trial in completed))[observations.feasible]
        models = fit_models(encoding, observations)
        return cls(encoding, observations, models, tuple(ids.tolist()))

    @cached_property
    def _rivals(self) -> list[list[tuple[Posterior, float]]]:
        return fit_rival_models(self.encoding, self.observations)

    @cached_property
    def settings(self) -> dict[int, int]:
        """The lowest id among the trials that have the same setting, by trial id."""
        first: dict[bytes, int] = {}
        rows = self.encoding.features(self.observations.values[self.observations.feasible])
        return {
            trial_id: first.setdefault(row.tobytes(), trial_id)
            for trial_id, row in zip(self.trial_ids, rows, strict=True)
        }

    def varies(self, metric: int) -> bool:
        """Return whether the trials differ in a metric, so that they say something about it."""
        return bool(self._scales[metric])

    @property
    def noise(self) -> Floats:
        """The standard deviation of a single trial's value around the truth, ``[metrics]``.

        It is 0 where all values are equal.
        """
        squares = [
            sum(share * posterior.noise**2 for posterior, share in rivals)
            for rivals in self._rivals
        ]
        noise: Floats = np.abs(self._scales) * np.sqrt(squares)
        return noise

    def estimate(self, coordinates: Floats) -> Estimates:
        """Return what the trials say about points, ``[points, parameters]`` in [0, 1]."""
        return self._in_units(*self.models.predict(self.encoding.values(coordinates)))

    def chances(self, seed: int = 0) -> dict[int, float]:
        """Return for each contender the chance that no other tried setting is truly better.

        Trials of equal parameters have the same setting, and each of them gets its chance. Models
        with little and with much noise contribute by their shares. With one metric the chances of
        the settings add up to one. With several it is the chance that no other setting beats it in
        one metric without losing in another, so they may add up to more. Metrics in which all
        trials are equal do not count; the result is empty if no other metric is left.
        """
        varying = [metric for metric in range(len(self._scales)) if self.varies(metric)]
        if not varying:
            return {}
        targets = np.array([warping.targets for warping in self.observations.warpings])
        order = np.argsort(targets[varying].min(axis=0), kind="stable").tolist()
        found = dict.fromkeys(self.settings[self.trial_ids[place]] for place in order)
        contenders = sorted(list(found)[:CONTENDERS])
        places = [self.trial_ids.index(trial_id) for trial_id in contenders]
        features = self.encoding.features(self.observations.values[self.observations.feasible])
        random = np.random.default_rng(seed)
        drawn = np.stack(
            [_draw(self._rivals[one], features[places], DRAWS, 1, random) for one in varying]
        )
        shares = {}
        for column, setting in enumerate(contenders):
            others = np.delete(drawn, column, axis=2)
            beaten = np.all(others <= drawn[:, :, column : column + 1], axis=0).any(axis=1)
            shares[setting] = float(1 - beaten.mean())
        return {
            trial_id: shares[setting]
            for trial_id, setting in self.settings.items()
            if setting in shares
        }

    def functions(
        self, metric: int, features: Floats, kernels: int, random: np.random.Generator
    ) -> Floats:
        """Return functions that explain a metric's targets, in random order, ``[draws, points]``.

        ``metric`` is its number in the study's order; features are ``[points, columns]``. Kernels
        are drawn by their shares of belief, with four functions of each; the cost of each grows
        with the third power of the points.
        """
        return _draw(self._rivals[metric], features, kernels, 4, random)

    def _in_units(self, means: Floats, deviations: Floats) -> Estimates:
        shifts = np.array([warping.shift for warping in self.observations.warpings])
        return Estimates(shifts + self._scales * means.T, np.abs(self._scales) * deviations.T)

    @property
    def _scales(self) -> Floats:
        return np.array([warping.scale for warping in self.observations.warpings])


def _draw(
    rivals: Sequence[tuple[Posterior, float]],
    features: Floats,
    kernels: int,
    each: int,
    random: np.random.Generator,
) -> Floats:
    """Return functions from rival models by their shares, in random order, ``[draws, points]``."""
    counts = random.multinomial(kernels, [share for _, share in rivals]).tolist()
    drawn = [
        posterior.draw(features, count * each, random)
        for (posterior, _), count in zip(rivals, counts, strict=True)
        if count
    ]
    mixed: Floats = random.permutation(np.concatenate(drawn))
    return mixed
