"""The surroundings of the best trial: points that differ from it in one parameter."""

from typing import Any

import numpy as np

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.encoding import Encoding
from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.trial_records import Trial

#: Points along a parameter's axis; a parameter with fewer values has all of them.
POINTS = 41


def best_by(study: StudyAnalysis, metric: int) -> Trial:
    """Return the best trial by one metric alone."""
    objective = study.objectives[metric]
    return min(
        study.ranking.candidates(),
        key=lambda trial: objective.loss(trial.metrics[objective.metric_id]),
    )


def line_through(encoding: Encoding, column: int, trial: Trial) -> tuple[list[Any], Floats]:
    """Return a parameter's values, and a trial's coordinates with each of them in turn.

    ``column`` is the parameter's place in the encoding. The coordinates are
    ``[values, parameters]`` in [0, 1]; the parents of this parameter get values that activate it.
    """
    parameter = encoding.space.parameters[column]
    name, count = parameter.id, parameter.count
    is_listed = count is not None and count <= POINTS
    size = count if is_listed and count else POINTS
    around = encoding.coordinates(encoding.rows([trial.parameters]))
    coordinates = np.repeat(around, size, axis=0)
    # Each value of a list owns an equal share of the axis; this is the middle of it.
    ends = (0.5 / size, 1 - 0.5 / size) if is_listed else (0.0, 1.0)
    coordinates[:, column] = np.linspace(*ends, size)
    while parameter.parent is not None:  # show it as if it were active
        above = _place(encoding, parameter.parent)
        coordinates[:, above] = _coordinate(encoding, above, parameter.parent_values[0])
        parameter = encoding.space.parameters[above]
    values = encoding.values(coordinates)
    listed = [encoding.assignment(row).get(name) for row in values]
    return listed, coordinates


def _place(encoding: Encoding, name: str) -> int:
    """Return the column of a parent, whose id is unique."""
    return next(place for place, one in enumerate(encoding.space.parameters) if one.id == name)


def _coordinate(encoding: Encoding, column: int, value: Any) -> float:
    row = np.full((1, encoding.dimension), np.nan)
    parameter = encoding.space.parameters[column]
    is_category = parameter.kind == "categorical"
    row[0, column] = parameter.values.index(value) if is_category else value
    return float(encoding.coordinates(row)[0, column])
