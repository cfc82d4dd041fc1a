"""Numeric scales: values of a parameter to positions in [0, 1] and back, for whole arrays.

For the encoding only. Categories have no scale and are not handled here.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scale", "from_unit", "integers_from_unit", "integers_to_unit", "to_unit"]

Scale = Literal["linear", "log", "reverse_log"]
Floats = NDArray[np.float64]


def to_unit(values: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return the positions of values on a scale, 0 at ``low`` and 1 at ``high``."""
    if high == low:
        return np.full_like(values, 0.5)
    if scale == "log":
        positions: Floats = np.log(values / low) / np.log(high / low)
    elif scale == "reverse_log":
        positions = 1.0 - to_unit(low + high - values, low, high, "log")
    else:
        positions = (values - low) / (high - low)
    return positions


def from_unit(positions: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return the values at positions on a scale, never outside ``[low, high]``."""
    if scale == "log":
        values: Floats = low * np.exp(positions * np.log(high / low))
    elif scale == "reverse_log":
        values = low + high - from_unit(1.0 - positions, low, high, "log")
    else:
        values = low + positions * (high - low)
    return np.clip(values, low, high, out=values)


def integers_to_unit(values: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return positions that ``integers_from_unit`` turns back into the same integers."""
    if scale == "reverse_log":
        return 1.0 - integers_to_unit(low + high - values, low, high, "log")
    return to_unit(values, *_widened(low, high, scale), scale)


def integers_from_unit(positions: Floats, low: float, high: float, scale: Scale) -> Floats:
    """Return integers at positions; on a linear scale each owns an equal share of [0, 1]."""
    if scale == "reverse_log":
        return low + high - integers_from_unit(1.0 - positions, low, high, "log")
    values = from_unit(positions, *_widened(low, high, scale), scale)
    return np.clip(np.rint(values, out=values), low, high, out=values)


def _widened(low: float, high: float, scale: Scale) -> tuple[float, float]:
    """The range whose rounded values are low...high, so that both ends get their full share."""
    # On a log scale half below 1 would reach far down: 0.5 has as much log width as 1 to 2.
    bottom = max(low - 0.5, 0.75 * low) if scale == "log" else low - 0.5
    return bottom, high + 0.5
