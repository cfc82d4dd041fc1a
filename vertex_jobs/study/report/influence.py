"""The charts of each parameter's importance, and of the two most important parameters."""

import math
from typing import Any

import numpy as np

from vertex_jobs.search import Parameter
from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.importance import Importance, importances
from vertex_jobs.search.uncertainty import Beliefs
from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.report.around import best_by, line_through
from vertex_jobs.study.report.charts import BEST, MAIN, Chart, axis_of, names_axis
from vertex_jobs.study.report.texts import plain, value_text
from vertex_jobs.study.trial_records import Trial


def influence(study: StudyAnalysis, metric: int) -> list[Chart]:
    """Return the charts of importance and of the two most important parameters."""
    if study.beliefs is None:
        return []
    found = importances(study.beliefs, metric)
    surface = _contour(study, study.beliefs, metric, found)
    bars = _importance(study.objectives[metric].metric_id, found[::-1])
    return [bars, surface] if surface else [bars]


def _importance(metric_id: str, found: list[Importance]) -> Chart:
    names = [one.parameter_id for one in found]
    return Chart(
        f"Importance for {metric_id}",
        "Total Sobol' index: the share of the metric's variance over the whole space that would "
        "go if this parameter were fixed. The whiskers hold 80 % of the functions that fit the "
        "trials. Interactions count for each of their parameters.",
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": names,
                "x": [one.share for one in found],
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [one.high - one.share for one in found],
                    "arrayminus": [one.share - one.low for one in found],
                    "color": "#334155",
                },
                "marker": {"color": MAIN},
                "text": [plain(name) for name in names],
                "textposition": "none",
                "hovertemplate": "%{text}: %{x:.0%}<extra></extra>",
            }
        ],
        {"xaxis": {"range": [0, 1.05], "tickformat": ".0%"}, "yaxis": names_axis(names)},
    )


def _contour(
    study: StudyAnalysis, beliefs: Beliefs, metric: int, found: list[Importance]
) -> Chart | None:
    """Return the model over the two most important parameters, around the best trial."""
    best, encoding = best_by(study, metric), beliefs.encoding
    columns = _most_important(encoding, found, best)
    if len(columns) < 2:
        return None
    objective, (across, up) = study.objectives[metric], columns
    x, horizontal = line_through(encoding, across, best)
    y, vertical = line_through(encoding, up, best)
    grid = np.repeat(horizontal[None], len(vertical), axis=0)
    grid[:, :, up] = vertical[:, None, up]
    estimates = beliefs.estimate(grid.reshape(-1, grid.shape[-1]))
    surface = estimates.means[:, metric].reshape(len(y), len(x))
    pair = [encoding.space.parameters[column] for column in columns]
    labels = [encoding.space.label(parameter) for parameter in pair]
    trials = study.ranking.candidates()
    places = [[parameter.value_in(one.parameters) for parameter in pair] for one in trials]
    shown = [(one, at) for one, at in zip(trials, places, strict=True) if None not in at]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [at[0] for _, at in shown],
        "y": [at[1] for _, at in shown],
        "text": [f"trial {one.id}: {one.metrics[objective.metric_id]:.6g}" for one, _ in shown],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": [BEST if trial.id == best.id else "white" for trial, _ in shown],
            "size": [11 if trial.id == best.id else 6 for trial, _ in shown],
            "line": {"color": "#1e293b", "width": 1},
        },
    }
    return Chart(
        f"{objective.metric_id} by {labels[0]} and {labels[1]}",
        f"What a model of all trials expects when the two most important "
        f"parameters of trial {best.id}, the large dot, change.",
        [
            {
                **_form(pair),
                "x": x,
                "y": y,
                "z": surface.tolist(),
                "colorscale": "Viridis",
                "reversescale": not objective.maximize,
                "text": [[f"{value_text(left)}, {value_text(low)}" for left in x] for low in y],
                "hovertemplate": "%{text}: %{z:.6g}<extra></extra>",
            },
            dots,
        ],
        {
            "xaxis": axis_of(pair[0], labels[0]),
            "yaxis": axis_of(pair[1], labels[1]),
            "showlegend": False,
        },
    )


def _form(pair: list[Parameter]) -> dict[str, Any]:
    """Return a surface's kind of trace, one without contour lines for categories."""
    if any(parameter.kind == "categorical" for parameter in pair):
        return {"type": "heatmap"}
    return {"type": "contour", "contours": {"coloring": "heatmap"}, "line": {"width": 0.5}}


def _most_important(encoding: Encoding, found: list[Importance], best: Trial) -> list[int]:
    """Return the columns of the two most important parameters that are active in a trial."""
    row = encoding.rows([best.parameters])[0]
    columns = {
        parameter.id: column
        for column, parameter in enumerate(encoding.space.parameters)
        if not math.isnan(row[column]) and parameter.count != 1
    }
    return [columns[one.parameter_id] for one in found if one.parameter_id in columns][:2]
