"""The chart of parallel coordinates: one line per trial through its parameters."""

import math
from typing import Any

from vertex_jobs.search import Parameter
from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.report.charts import Chart, even_values
from vertex_jobs.study.report.texts import plain, short, tick_text
from vertex_jobs.study.trial_records import Objective, Trial

#: Labels are tilted, so that long ones do not overlap; this many letters fit above.
_LABEL, _ANGLE = 32, -20


def parallel_coordinates(study: StudyAnalysis, objective: Objective) -> Chart | None:
    """Return one line per trial through its parameters; None without a trial that could win."""
    trials = study.ranking.candidates()
    if not trials or study.space is None:
        return None
    metric = objective.metric_id
    values = [trial.metrics[metric] for trial in trials]
    dimensions = [_dimension(one, study.space.label(one), trials) for one in study.space.parameters]
    dimensions.append({"label": plain(short(metric)), "values": values})
    return Chart(
        "Parallel coordinates",
        f"One line per trial, coloured by {metric}. Drag along an axis to keep only some; "
        "none is where a parameter was not active.",
        [
            {
                "type": "parcoords",
                "dimensions": dimensions,
                "labelangle": _ANGLE,
                "line": {
                    "color": values,
                    "colorscale": "Viridis",
                    "reversescale": not objective.maximize,
                    "showscale": True,
                },
            }
        ],
        {"margin": {"l": 110, "r": 40, "t": 90, "b": 30}},
        wide=True,
    )


def _dimension(parameter: Parameter, label: str, trials: tuple[Trial, ...]) -> dict[str, Any]:
    """Return a parameter as a plotly dimension; trials without it lie one step below its range."""
    if parameter.kind == "categorical":
        low, high = 0.0, float(max(len(parameter.values) - 1, 1))
        ticks = [(float(place), short(str(value))) for place, value in enumerate(parameter.values)]
        read: Any = {value: float(place) for place, value in enumerate(parameter.values)}.get
    else:
        read = math.log10 if parameter.scale == "log" else float
        listed = [float(value) for value in parameter.values]
        ends = (listed[0], listed[-1]) if listed else (parameter.low, parameter.high)
        low, high = read(ends[0]), read(ends[1])
        ticks = [(read(value), tick_text(value)) for value in even_values(parameter)]
    found = [parameter.value_in(trial.parameters) for trial in trials]
    below = low - 0.15 * ((high - low) or 1.0)
    values = [below if value is None else read(value) for value in found]
    if None in found:
        low, ticks = below, [(below, "none"), *ticks]
    return {
        "label": plain(short(label, _LABEL)),
        "values": values,
        "range": [low, high if high > low else low + 1.0],
        "tickvals": [place for place, _ in ticks],
        "ticktext": [text for _, text in ticks],
    }
