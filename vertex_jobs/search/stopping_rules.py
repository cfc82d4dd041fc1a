"""The rules that stop a trial before its end: median, decay curve, convex.

For the search process, which the emulator asks. Numbers that the service does not publish are
constants here.

Source: StudySpec.MedianAutomatedStoppingSpec, DecayCurveAutomatedStoppingSpec and
ConvexAutomatedStoppingSpec of the v1 API.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np

from vertex_jobs.search.curves import Curve, autoregression, chance_to_exceed, slope

#: "Very low probability to exceed the optimal value found so far"; the number is not published.
_LOW_CHANCE = 0.01
#: Ended trials that the decay curve needs for a prediction; not published.
_DECAY_TRIALS = 5


@dataclass(frozen=True)
class Verdict:
    """The answer of a rule about a running trial.

    The prediction is place and value, higher being better, of the measurement that the convex rule
    adds to a trial that it stops.
    """

    stops: bool
    prediction: tuple[float, float] | None = None


def judge(rule: Mapping[str, Any], curve: Curve, ended: Sequence[Curve]) -> Verdict:
    """Return a rule's verdict on a running trial, which never stops without a measurement.

    The rule has a ``name``, and the convex one also numbers; absent ones have their defaults.
    ``ended`` are the trials that have succeeded, with their final values.
    """
    ended = [one for one in ended if one.places]
    if not curve.places:
        return Verdict(False)
    if rule["name"] == "median":
        return Verdict(_median_stops(curve, ended))
    if rule["name"] == "decay_curve":
        enough = len(ended) >= _DECAY_TRIALS
        return Verdict(enough and chance_to_exceed(curve, ended) < _LOW_CHANCE)
    return _convex(rule, curve, ended)


def _median_stops(curve: Curve, ended: Sequence[Curve]) -> bool:
    """Return whether the best value is worse than the median of the others' averages so far."""
    averages = [
        fmean(values)
        for one in ended
        if (
            values := [
                v for p, v in zip(one.places, one.values, strict=True) if p <= curve.places[-1]
            ]
        )
    ]
    return bool(averages and max(curve.values) < median(averages))


def _convex(rule: Mapping[str, Any], curve: Curve, ended: Sequence[Curve]) -> Verdict:
    """Stop a trial if even a straight line from here stays below; flattening curves end lower."""
    least = int(rule.get("min_measurement_count") or 5)
    end = float(rule.get("max_step_count") or max((one.places[-1] for one in ended), default=0.0))
    start = rule.get("min_step_count")
    start = end / 10 if start is None else float(start)
    is_flat = len(set(curve.values)) == 1
    if len(ended) < least + 1 or len(curve.places) < least or curve.places[-1] <= start or is_flat:
        return Verdict(False)
    rise = max(slope(np.array(curve.places), np.array(curve.values)), 0.0)
    highest = max(curve.values) + rise * max(end - curve.places[-1], 0.0)
    if highest >= max(one.final for one in ended if one.final is not None):
        return Verdict(False)
    rates = rule.get("learning_rates")
    extra = None if rates is None else np.log(np.array(rates))
    return Verdict(True, (end, min(highest, autoregression(curve, ended, end, extra))))
