"""The chart of slices: values by each parameter, and the model's expectation between them."""

import math
from typing import Any

from vertex_jobs.search import Parameter
from vertex_jobs.search.arrays import Floats
from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.report.around import best_by, line_through
from vertex_jobs.study.report.charts import BEST, MAIN, Chart, axis_of, metric_axis
from vertex_jobs.study.report.texts import plain, value_text
from vertex_jobs.study.trial_records import Trial

_COLUMNS = 3


def slices(study: StudyAnalysis, metric: int) -> Chart | None:
    """Return values by each parameter, with the model's expectation around the best trial."""
    beliefs, trials = study.beliefs, study.ranking.candidates()
    if beliefs is None:
        return None
    objective, encoding = study.objectives[metric], beliefs.encoding
    best = best_by(study, metric)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"showlegend": False}
    columns = min(_COLUMNS, len(encoding.space.parameters))
    for place, parameter in enumerate(encoding.space.parameters, start=1):
        suffix = "" if place == 1 else str(place)
        on = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        points, coordinates = line_through(encoding, place - 1, best)
        estimates = beliefs.estimate(coordinates)
        mean, deviations = estimates.means[:, metric], estimates.deviations[:, metric]
        draw = _whiskers if parameter.kind == "categorical" else _band_and_line
        dots = _dots(parameter, objective.metric_id, trials)
        data += [trace | on for trace in (*draw(points, mean, 2 * deviations), dots)]
        layout[f"xaxis{suffix}"] = axis_of(parameter, encoding.space.label(parameter))
        layout[f"yaxis{suffix}"] = metric_axis(objective.metric_id) | {
            "range": _range([trial.metrics[objective.metric_id] for trial in trials])
        }
    rows = math.ceil(len(encoding.space.parameters) / columns)
    layout["grid"] = {"rows": rows, "columns": columns, "pattern": "independent"}
    return Chart(
        f"Slices of {objective.metric_id}",
        "Every trial by each parameter. The line, of categories a diamond each, is what a model "
        f"of all trials expects when only this parameter of trial {best.id} changes, the band or "
        "whiskers two standard deviations; values worse than the median count by their rank.",
        data,
        layout,
        height=80 + 270 * rows,
        wide=True,
    )


def _band_and_line(points: list[Any], mean: Floats, spread: Floats) -> list[dict[str, Any]]:
    band = {
        "type": "scatter",
        "mode": "lines",
        "x": [*points, *points[::-1]],
        "y": [*(mean + spread).tolist(), *(mean - spread).tolist()[::-1]],
        "fill": "toself",
        "fillcolor": "rgba(217, 72, 15, 0.12)",
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": points,
        "y": mean.tolist(),
        "line": {"color": BEST, "width": 1.5},
        "hoverinfo": "skip",
    }
    return [band, line]


def _whiskers(points: list[Any], mean: Floats, spread: Floats) -> list[dict[str, Any]]:
    """Return separate points: nothing lies between two categories."""
    marks = {
        "type": "scatter",
        "mode": "markers",
        "x": points,
        "y": mean.tolist(),
        "error_y": {"type": "data", "array": spread.tolist()},
        "marker": {"color": BEST, "size": 9, "symbol": "diamond-open"},
        "hoverinfo": "skip",
    }
    return [marks]


def _dots(parameter: Parameter, metric: str, trials: tuple[Trial, ...]) -> dict[str, Any]:
    found = [(trial, parameter.value_in(trial.parameters)) for trial in trials]
    shown = [(trial, value) for trial, value in found if value is not None]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [value for _, value in shown],
        "y": [trial.metrics[metric] for trial, _ in shown],
        "text": [f"trial {trial.id}<br>{value_text(value)}" for trial, value in shown],
        "hovertemplate": f"%{{text}}<br>{plain(metric)} = %{{y:.6g}}<extra></extra>",
        "marker": {"color": MAIN, "size": 6, "opacity": 0.7},
    }


def _range(values: list[float]) -> list[float]:
    margin = 0.06 * (max(values) - min(values)) or 1.0
    return [min(values) - margin, max(values) + margin]
