"""Numeric scales: values of a parameter to positions in [0, 1] and back, for whole arrays.

For the encoding and the ticks of a report. Nothing overflows, however wide a range is. Categories
have no scale.
"""

import math
from typing import Literal

import numpy as np

from vertex_jobs.search.arrays import Floats

Scale = Literal["linear", "log", "reverse_log"]

#: Largest exponent whose exponential is finite, with a margin.
LARGEST_EXPONENT = 700.0


def to_unit(values: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return the positions of values on a scale, 0 at ``low`` and 1 at ``high``."""
    if high == low:
        return np.full_like(values, 0.5)
    if scale == "log":
        positions: Floats = _log_ratio(values, low) / _log_ratio(np.array(high), low)
    elif scale == "reverse_log":
        least = _least_distance(low, high)
        positions = 1.0 - to_unit(least + (high - values), least, high, "log")
    else:
        # Scaled by a power of two, which changes no digit, so that the width is finite.
        power = -math.frexp(max(abs(low), abs(high)))[1]
        bottom, top = math.ldexp(low, power), math.ldexp(high, power)
        positions = (np.ldexp(values, power) - bottom) / (top - bottom)
    return positions


def from_unit(positions: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return the values at positions on a scale, never outside ``[low, high]``."""
    if scale == "log":
        exponents = positions * _log_ratio(np.array(high), low)
        # As factors that do not overflow; for a common range all but the first are 1.
        rest = np.exp(0.5 * np.maximum(exponents - LARGEST_EXPONENT, 0.0))
        values: Floats = low * np.exp(np.minimum(exponents, LARGEST_EXPONENT)) * rest * rest
    elif scale == "reverse_log":
        least = _least_distance(low, high)
        values = high - (from_unit(1.0 - positions, least, high, "log") - least)
    else:
        values = low * (1.0 - positions) + high * positions
    values[positions <= 0.0] = low
    values[positions >= 1.0] = high
    return np.clip(values, low, high, out=values)


def integers_to_unit(values: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return positions that ``integers_from_unit`` turns back into the same integers."""
    if scale == "reverse_log":
        return 1.0 - integers_to_unit(low + (high - values), low, high, "log")
    return to_unit(values, *_widened(low, high, scale), scale)


def integers_from_unit(positions: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return integers at positions; on a linear scale each owns an equal share of [0, 1]."""
    if scale == "reverse_log":
        return high - (integers_from_unit(1.0 - positions, low, high, "log") - low)
    values = from_unit(positions, *_widened(low, high, scale), scale)
    return np.clip(np.rint(values, out=values), low, high, out=values)


def _log_ratio(values: Floats, low: float) -> Floats:
    """Return the logarithms of ``values / low``, a ratio that may overflow."""
    with np.errstate(over="ignore"):
        ratios = values / low
    logs: Floats = np.where(np.isinf(ratios), np.log(values) - math.log(low), np.log(ratios))
    return logs


def _least_distance(low: float, high: float) -> float:
    """Return the distance from the top at which a reverse log scale begins.

    It is ``low``, or the smallest difference that a double resolves at the top.
    """
    return max(low, math.ulp(high))


def _widened(low: float, high: float, scale: Scale) -> tuple[float, float]:
    """Return the range whose rounded values are low...high, so that both ends get a full share."""
    # On a log scale 0.5 below 1 would reach far down: 0.5 to 1 is as wide as 1 to 2.
    bottom = max(low - 0.5, 0.75 * low) if scale == "log" else low - 0.5
    return bottom, high + 0.5
