"""Assignments as rows of numbers and back, for algorithms that move through a space.

Three forms of a point, one column per parameter in the first two:

- *coordinates* in [0, 1], which samplers draw and mutate; every value has a share of the axis;
- *values*: the snapped numbers that a trial would get, a category as its index, NaN where the
  parameter is inactive. Equal rows are equal trials;
- *features*, which a kernel compares: numbers as positions on their scale, categories one-hot,
  conditional parameters with a column that says whether they are active. A feature of an
  inactive parameter is a constant.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.axis import Axis
from vertex_jobs.search.space import Assignment, Space


class Encoding:
    """The three numeric forms of the points of one space.

    ``owners`` holds the index of the parameter that each feature column belongs to, ascending.
    Parameters with a single value have no column.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._axes = [Axis(parameter) for parameter in space.parameters]
        place = {parameter.id: index for index, parameter in enumerate(space.parameters)}
        #: For each parameter its parent's column and the parent's values that make it active.
        self._conditions = [
            (place[parameter.parent], self._axes[place[parameter.parent]].numbers(allowed))
            if parameter.parent is not None
            else None
            for parameter in space.parameters
            for allowed in [parameter.parent_values]
        ]
        self.owners = np.repeat(np.arange(len(self._axes)), [axis.width for axis in self._axes])

    @property
    def dimension(self) -> int:
        """Number of coordinates, which is the number of parameters."""
        return len(self._axes)

    def values(self, coordinates: Floats) -> Floats:
        """Return the values at coordinates, both ``[points, parameters]``."""
        values = np.empty_like(coordinates)
        for index, axis in enumerate(self._axes):
            values[:, index] = axis.values(coordinates[:, index])
            values[~self._active(index, values), index] = np.nan
        return values

    def coordinates(self, values: Floats) -> Floats:
        """Return coordinates that have these values; the middle for inactive parameters."""
        coordinates = np.empty_like(values)
        for index, axis in enumerate(self._axes):
            coordinates[:, index] = axis.coordinates(values[:, index])
        return coordinates

    def features(self, values: Floats) -> Floats:
        """Return the features of values, ``[points, columns]``."""
        blocks = [axis.features(values[:, index]) for index, axis in enumerate(self._axes)]
        return np.hstack(blocks)

    def assignment(self, row: Floats) -> Assignment:
        """Return one row of values as the active parameters' values in their own types."""
        return {
            axis.parameter.id: axis.value(number)
            for axis, number in zip(self._axes, row.tolist(), strict=True)
            if not math.isnan(number)
        }

    def rows(self, assignments: Sequence[Assignment]) -> Floats:
        """Return assignments as values, ``[assignments, parameters]``.

        Raises:
            ValueError: An active parameter is missing or has a value outside its range.
        """
        rows = np.full((len(assignments), len(self._axes)), np.nan)
        for index, axis in enumerate(self._axes):
            active = np.flatnonzero(self._active(index, rows)).tolist()
            name = axis.parameter.id
            rows[active, index] = axis.numbers([assignments[place].get(name) for place in active])
        return rows

    def _active(self, index: int, values: Floats) -> NDArray[np.bool_]:
        condition = self._conditions[index]
        if condition is None:
            return np.ones(len(values), dtype=bool)
        parent, allowed = condition
        return np.isin(values[:, parent], allowed)
