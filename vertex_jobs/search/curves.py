"""The final value of a learning curve, predicted from the curves of trials that have ended.

For the stopping rules of a study, which decide. A curve is a series of steps, or seconds, with
values; a higher value is better.

Source: "Google Vizier: A Service for Black-Box Optimization" (Golovin et al., 2017), section 3.1:
a Gaussian process whose kernel measures the similarity of two curves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.fit import fit_kernel
from vertex_jobs.search.posterior import Posterior

#: Places at which two curves are compared.
_PLACES = 8
#: Strength of the pull of a coefficient towards 0, in units of the values' own spread.
_RIDGE = 1e-3


@dataclass(frozen=True)
class Curve:
    """One trial's values by step or second, ascending; a higher value is better.

    The final value is the one that counts; None while the trial runs.
    """

    places: tuple[float, ...]
    values: tuple[float, ...]
    final: float | None = None


def chance_to_exceed(curve: Curve, ended: Sequence[Curve]) -> float:
    """Return the chance that a running trial ends above the best of those that have ended.

    All need a measurement, and those that have ended, at least two, a final value.
    """
    from scipy.special import ndtr

    features = np.array([_shape(curve, one) for one in (*ended, curve)])
    finals = np.array([one.final for one in ended], dtype=np.float64)
    # The gain from here to the end; the trial's own last value is known.
    gains = finals - features[:-1, -1]
    scale = float(gains.std()) or 1.0
    targets = (gains - gains.mean()) / scale
    spread = float(features.std()) or 1.0
    features = (features - features.mean()) / spread
    kernel = fit_kernel(features[:-1], np.zeros(_PLACES, dtype=np.int_), targets)
    mean, deviation = Posterior(kernel, features[:-1], targets).predict(features[-1:])
    expected = curve.values[-1] + gains.mean() + scale * float(mean[0])
    unsure = scale * float(np.hypot(deviation[0], np.sqrt(kernel.noise)))
    return float(ndtr((expected - finals.max()) / max(unsure, 1e-12)))


def autoregression(
    curve: Curve, ended: Sequence[Curve], end: float, extra: Floats | None = None
) -> float:
    """Return the value that a linear model of the ended curves expects at ``end``.

    It predicts the final value, which each of ``ended`` has, from the value and the slope at the
    place that the running trial has reached, and from ``extra``: one more number for each of
    ``ended`` and then for the trial, ``[trials + 1]``.
    """
    reach = curve.places[-1]
    rows = np.array([_state(one, reach, end) for one in (*ended, curve)])
    if extra is not None:
        rows = np.column_stack([rows, extra])
    center, width = rows[:-1].mean(axis=0), rows[:-1].std(axis=0)
    rows = (rows - center) / np.where(width > 0, width, 1.0)
    finals = np.array([one.final for one in ended], dtype=np.float64)
    known = rows[:-1]
    gram = known.T @ known + _RIDGE * len(known) * np.eye(rows.shape[1])
    weights = np.linalg.solve(gram, known.T @ (finals - finals.mean()))
    return float(finals.mean() + rows[-1] @ weights)


def _shape(curve: Curve, other: Curve) -> Floats:
    """Return ``other`` up to the end of ``curve``, at a fixed number of places."""
    until = curve.places[-1]
    places = np.linspace(curve.places[0], until, _PLACES)
    return np.interp(places, other.places, other.values)


def _state(curve: Curve, reach: float, end: float) -> tuple[float, float]:
    """Return a curve's value at a place, and the gain of its slope there until the end."""
    places, values = np.array(curve.places), np.array(curve.values)
    seen = places <= max(reach, places[0])
    value = float(np.interp(reach, places, values))
    return value, slope(places[seen], values[seen]) * max(end - reach, 0.0)


def slope(places: Floats, values: Floats) -> float:
    """Return the slope of the later half of a curve, by least squares; 0 for a single point."""
    half = len(places) // 2
    x, y = places[half:], values[half:]
    if len(x) < 2:
        x, y = places[-2:], values[-2:]
    centred = x - x.mean()
    square = float(centred @ centred)
    return float(centred @ (y - y.mean())) / square if square else 0.0
