"""One parameter's part of an encoding: its values, coordinates and features.

For ``Encoding``, which joins the axes and decides which parameters are active.
"""

import math
from collections.abc import Sequence

import numpy as np

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.scales import from_unit, integers_from_unit, integers_to_unit, to_unit
from vertex_jobs.search.space import DISCRETE_TOLERANCE, Parameter, Value

#: Position of an inactive parameter: the middle, so that no active value is far from it.
INACTIVE_POSITION = 0.5
#: Two different categories are at distance 1.
CATEGORY_SCALE = math.sqrt(0.5)


class Axis:
    """The column, or the ``width`` feature columns, of one parameter."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        self._is_category = parameter.kind == "categorical"
        self._listed = np.arange(len(parameter.values), dtype=np.float64)
        low, high = parameter.low, parameter.high
        if parameter.kind == "discrete":
            self._listed = np.array(parameter.values, dtype=np.float64)
            low, high = self._listed[0], self._listed[-1]
        self._range = (float(low), float(high), parameter.scale)
        columns = len(parameter.values) if self._is_category else 1
        self.width = 0 if parameter.count == 1 else columns + (parameter.parent is not None)

    def values(self, coordinates: Floats) -> Floats:
        """Return the values to which these coordinates belong."""
        if self.parameter.values:
            count = len(self._listed)
            # The coordinate 1 belongs to the last value.
            places = np.minimum((coordinates * count).astype(int), count - 1)
            listed: Floats = self._listed[places]
            return listed
        read = integers_from_unit if self.parameter.kind == "integer" else from_unit
        return _positive_zero(read(coordinates, *self._range))

    def coordinates(self, values: Floats) -> Floats:
        """Return coordinates that have these values, the middle for inactive ones."""
        if self.parameter.values:
            coordinates = (np.searchsorted(self._listed, values) + 0.5) / len(self._listed)
        else:
            write = integers_to_unit if self.parameter.kind == "integer" else to_unit
            coordinates = write(values, *self._range)
        return np.where(np.isnan(values), 0.5, coordinates)

    def features(self, values: Floats) -> Floats:
        """Return the feature columns, ``[points, width]``, the one for activity last."""
        if not self.width:
            return np.empty((len(values), 0))
        block: Floats
        if self._is_category:
            block = (values[:, None] == self._listed) * CATEGORY_SCALE
        else:
            block = to_unit(values, *self._range)[:, None]
        if self.parameter.parent is None:
            return block
        inactive = np.isnan(values)
        block[inactive] = 0.0 if self._is_category else INACTIVE_POSITION
        return np.column_stack([block, ~inactive])

    def numbers(self, given: Sequence[Value | None]) -> Floats:
        """Return given values as numbers: a category's index, the listed number nearby.

        Raises:
            ValueError: One of them is not a value of this parameter; None never is.
        """
        listed = self.parameter.values
        if self._is_category:
            indices = [listed.index(value) if value in listed else None for value in given]
            return np.array([self._known(*pair) for pair in zip(indices, given, strict=True)])
        numbers = np.array(
            [math.nan if value is None or isinstance(value, str) else value for value in given],
            dtype=np.float64,
        )
        snapped = numbers
        if listed and len(numbers):
            snapped = self._listed[np.abs(numbers[:, None] - self._listed).argmin(axis=1)]
        elif self.parameter.kind == "integer":
            snapped = np.rint(numbers)
        low, high, _ = self._range
        tolerance = DISCRETE_TOLERANCE if listed else 0.0
        fits = (np.abs(numbers - snapped) <= tolerance) & (low <= snapped) & (snapped <= high)
        for place in np.flatnonzero(~fits).tolist():
            self._known(None, given[place])
        return _positive_zero(snapped)

    def value(self, number: float) -> Value:
        """Return one number in the type that a trial gets."""
        if self._is_category:
            return self.parameter.values[int(number)]
        return int(number) if self.parameter.kind == "integer" else number

    def _known(self, number: int | None, given: Value | None) -> float:
        if number is None:
            raise ValueError(
                f"parameter {self.parameter.id!r}: {given!r} is not one of its values; "
                "give every active parameter a value that its range or list has"
            )
        return float(number)


def _positive_zero(numbers: Floats) -> Floats:
    """Replace -0.0, so that equal rows have equal bytes."""
    return numbers + 0.0
