"""Charts of the search space: parallel coordinates, slices, importance and a contour.

The last three ask the study's model, so they need some trials.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search import Parameter
from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.importance import Importance, importances
from vertex_jobs.search.uncertainty import Beliefs
from vertex_jobs.study.report.charts import BEST, MAIN, Chart, axis_of, even_values, metric_axis
from vertex_jobs.study.study import Study
from vertex_jobs.study.trials import Objective, Trial

__all__ = ["influence", "parallel_coordinates", "slices"]

Floats = NDArray[np.float64]

#: Points along a parameter's axis; a parameter with fewer values has all of them.
_POINTS = 41
_COLUMNS = 3


def parallel_coordinates(study: Study, objective: Objective) -> Chart | None:
    """One line per trial through its parameters; None without a trial that could win."""
    trials = study.ranking.candidates()
    if not trials or study.space is None:
        return None
    metric = objective.metric_id
    values = [trial.metrics[metric] for trial in trials]
    names = dict.fromkeys(parameter.id for parameter in study.space.parameters)
    first = {one.id: one for one in reversed(study.space.parameters)}
    dimensions = [_dimension(first[name], trials) for name in names]
    dimensions.append({"label": metric, "values": values})
    return Chart(
        "Parallel coordinates",
        f"One line per trial, coloured by {metric}. Drag along an axis to keep only some; "
        "none is where a parameter was not active.",
        [
            {
                "type": "parcoords",
                "dimensions": dimensions,
                "line": {
                    "color": values,
                    "colorscale": "Viridis",
                    "reversescale": not objective.maximize,
                    "showscale": True,
                },
            }
        ],
        {"margin": {"l": 70, "r": 40, "t": 50, "b": 30}},
        wide=True,
    )


def slices(study: Study, metric: int) -> Chart | None:
    """Values by each parameter, with what the model expects around the best trial."""
    beliefs, trials = study.beliefs, study.ranking.candidates()
    if beliefs is None:
        return None
    objective, encoding = study.objectives[metric], beliefs.encoding
    best = _best(study, metric)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"showlegend": False}
    columns = min(_COLUMNS, len(encoding.space.parameters))
    for place, parameter in enumerate(encoding.space.parameters, start=1):
        suffix = "" if place == 1 else str(place)
        on = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        points, coordinates = _line(encoding, place - 1, best)
        estimates = beliefs.estimate_at(coordinates)
        mean, spread = estimates.means[:, metric], 2 * estimates.deviations[:, metric]
        data += [
            _band(points, mean, spread) | on,
            {"type": "scatter", "mode": "lines", "x": points, "y": mean.tolist(), **on}
            | {"line": {"color": BEST, "width": 1.5}, "hoverinfo": "skip"},
            _dots(parameter, objective.metric_id, trials) | on,
        ]
        layout[f"xaxis{suffix}"] = axis_of(parameter)
        layout[f"yaxis{suffix}"] = metric_axis(objective.metric_id) | {
            "range": _range([trial.metrics[objective.metric_id] for trial in trials])
        }
    rows = math.ceil(len(encoding.space.parameters) / columns)
    layout["grid"] = {"rows": rows, "columns": columns, "pattern": "independent"}
    return Chart(
        f"Slices of {objective.metric_id}",
        f"Every trial by each parameter. The line is what a model of all trials expects when only "
        f"this parameter of trial {best.id} changes, the band two standard deviations; values "
        "worse than the median count by their rank.",
        data,
        layout,
        height=80 + 270 * rows,
        wide=True,
    )


def influence(study: Study, metric: int) -> list[Chart]:
    """Charts of how much each parameter matters and of the two that matter most."""
    if study.beliefs is None:
        return []
    found = importances(study.beliefs, metric)
    surface = _contour(study, study.beliefs, metric, found)
    bars = _importance(study.objectives[metric].metric_id, found[::-1])
    return [bars, surface] if surface else [bars]


def _importance(metric_id: str, found: list[Importance]) -> Chart:
    return Chart(
        f"Importance for {metric_id}",
        "Total Sobol' index: the share of the metric's variance over the whole space that would "
        "go if this parameter were fixed. The whiskers hold 80 % of the functions that fit the "
        "trials. Interactions count for each of their parameters.",
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": [one.parameter_id for one in found],
                "x": [one.share for one in found],
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [one.high - one.share for one in found],
                    "arrayminus": [one.share - one.low for one in found],
                    "color": "#334155",
                },
                "marker": {"color": MAIN},
                "hovertemplate": "%{y}: %{x:.0%}<extra></extra>",
            }
        ],
        {
            "xaxis": {"range": [0, 1.05], "tickformat": ".0%"},
            "yaxis": {"type": "category", "automargin": True},
        },
    )


def _contour(study: Study, beliefs: Beliefs, metric: int, found: list[Importance]) -> Chart | None:
    """The model over the two most important parameters of the best trial."""
    best, encoding = _best(study, metric), beliefs.encoding
    columns = _most_important(encoding, found, best)
    if len(columns) < 2:
        return None
    objective, (across, up) = study.objectives[metric], columns
    x, horizontal = _line(encoding, across, best)
    y, vertical = _line(encoding, up, best)
    grid = np.repeat(horizontal[None], len(vertical), axis=0)
    grid[:, :, up] = vertical[:, None, up]
    estimates = beliefs.estimate_at(grid.reshape(-1, grid.shape[-1]))
    surface = estimates.means[:, metric].reshape(len(y), len(x))
    names = [encoding.space.parameters[column] for column in columns]
    shown = [
        one
        for one in study.ranking.candidates()
        if all(name.id in one.parameters for name in names)
    ]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [trial.parameters[names[0].id] for trial in shown],
        "y": [trial.parameters[names[1].id] for trial in shown],
        "text": [f"trial {one.id}: {one.metrics[objective.metric_id]:.6g}" for one in shown],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": [BEST if trial.id == best.id else "white" for trial in shown],
            "size": [11 if trial.id == best.id else 6 for trial in shown],
            "line": {"color": "#1e293b", "width": 1},
        },
    }
    return Chart(
        f"{objective.metric_id} by {names[0].id} and {names[1].id}",
        f"What a model of all trials expects when the two most important "
        f"parameters of trial {best.id}, the large dot, change.",
        [
            {
                "type": "contour",
                "x": x,
                "y": y,
                "z": surface.tolist(),
                "colorscale": "Viridis",
                "reversescale": not objective.maximize,
                "contours": {"coloring": "heatmap"},
                "line": {"width": 0.5},
                "hovertemplate": "%{x:.4g}, %{y:.4g}: %{z:.6g}<extra></extra>",
            },
            dots,
        ],
        {"xaxis": axis_of(names[0]), "yaxis": axis_of(names[1]), "showlegend": False},
    )


def _best(study: Study, metric: int) -> Trial:
    """The best trial by one metric alone."""
    objective = study.objectives[metric]
    return min(
        study.ranking.candidates(),
        key=lambda trial: objective.loss(trial.metrics[objective.metric_id]),
    )


def _most_important(encoding: Encoding, found: list[Importance], best: Trial) -> list[int]:
    """Columns of the two most important parameters that are active in the best trial."""
    row = encoding.rows([best.parameters])[0]
    columns = {
        parameter.id: column
        for column, parameter in enumerate(encoding.space.parameters)
        if not math.isnan(row[column]) and parameter.count != 1
    }
    return [columns[one.parameter_id] for one in found if one.parameter_id in columns][:2]


def _line(encoding: Encoding, column: int, best: Trial) -> tuple[list[Any], Floats]:
    """A parameter's values, and the best trial's coordinates with each of them in turn."""
    parameter = encoding.space.parameters[column]
    count = parameter.count
    is_listed = count is not None and count <= _POINTS
    size = count if is_listed and count else _POINTS
    around = encoding.coordinates(encoding.rows([best.parameters]))
    coordinates = np.repeat(around, size, axis=0)
    # Each value of a list owns an equal share of the axis; this is the middle of it.
    ends = (0.5 / size, 1 - 0.5 / size) if is_listed else (0.0, 1.0)
    coordinates[:, column] = np.linspace(*ends, size)
    if parameter.parent is not None:  # show it as if it were active
        above = next(
            index
            for index, one in enumerate(encoding.space.parameters)
            if one.id == parameter.parent
        )
        coordinates[:, above] = _coordinate(encoding, above, parameter.parent_values[0])
    values = encoding.values(coordinates)
    listed = [encoding.assignment(row).get(parameter.id) for row in values]
    return listed, coordinates


def _coordinate(encoding: Encoding, column: int, value: Any) -> float:
    """Where a parameter has a value."""
    row = np.full((1, encoding.dimension), np.nan)
    parameter = encoding.space.parameters[column]
    is_category = parameter.kind == "categorical"
    row[0, column] = parameter.values.index(value) if is_category else value
    return float(encoding.coordinates(row)[0, column])


def _band(points: list[Any], mean: Floats, spread: Floats) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*points, *points[::-1]],
        "y": [*(mean + spread).tolist(), *(mean - spread).tolist()[::-1]],
        "fill": "toself",
        "fillcolor": "rgba(217, 72, 15, 0.12)",
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def _dots(parameter: Parameter, metric: str, trials: tuple[Trial, ...]) -> dict[str, Any]:
    shown = [trial for trial in trials if parameter.id in trial.parameters]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [trial.parameters[parameter.id] for trial in shown],
        "y": [trial.metrics[metric] for trial in shown],
        "text": [f"trial {trial.id}" for trial in shown],
        "hovertemplate": f"%{{text}}<br>%{{x}}<br>{metric} = %{{y:.6g}}<extra></extra>",
        "marker": {"color": MAIN, "size": 6, "opacity": 0.7},
    }


def _range(values: list[float]) -> list[float]:
    margin = 0.06 * (max(values) - min(values)) or 1.0
    return [min(values) - margin, max(values) + margin]


def _dimension(parameter: Parameter, trials: tuple[Trial, ...]) -> dict[str, Any]:
    """A parameter as a plotly dimension; trials without it are one step below its range."""
    if parameter.kind == "categorical":
        low, high = 0.0, float(max(len(parameter.values) - 1, 1))
        ticks = [(float(place), str(value)) for place, value in enumerate(parameter.values)]
        read: Any = {value: float(place) for place, value in enumerate(parameter.values)}.get
    else:
        read = math.log10 if parameter.scale == "log" else float
        listed = [float(value) for value in parameter.values]
        ends = (listed[0], listed[-1]) if listed else (parameter.low, parameter.high)
        low, high = read(ends[0]), read(ends[1])
        ticks = [(read(value), f"{value:.3g}") for value in even_values(parameter)]
    found = [trial.parameters.get(parameter.id) for trial in trials]
    below = low - 0.15 * ((high - low) or 1.0)
    values = [below if value is None else read(value) for value in found]
    if None in found:
        low, ticks = below, [(below, "none"), *ticks]
    return {
        "label": parameter.id,
        "values": values,
        "range": [low, high if high > low else low + 1.0],
        "tickvals": [place for place, _ in ticks],
        "ticktext": [text for _, text in ticks],
    }
