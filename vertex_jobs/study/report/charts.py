"""The common parts of the report's charts: their form, colours and axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vertex_jobs.search import Parameter
from vertex_jobs.search.scales import Scale, from_unit
from vertex_jobs.study.report.texts import plain, short, tick_text

#: Colours of ordinary marks, of the best ones, and of the less important ones.
MAIN, BEST, FAINT = "#2563eb", "#d9480f", "#94a3b8"

#: A discrete parameter with at most this many values has a tick for each.
_LISTED_TICKS = 12


@dataclass(frozen=True)
class Chart:
    """One chart, with a caption of one line that says how to read it.

    Data and layout are plotly's, margins and fonts the page's. The height is in pixels; a wide
    chart takes the whole width of the page.
    """

    title: str
    caption: str
    data: Sequence[dict[str, Any]]
    layout: dict[str, Any] = field(default_factory=dict)
    height: int = 380
    wide: bool = False


def axis_of(parameter: Parameter, label: str) -> dict[str, Any]:
    """Return the plotly axis on which a parameter's values are spread as in the study."""
    title = {"text": plain(label)}
    if parameter.kind == "categorical":
        return {"title": title, **names_axis([str(value) for value in parameter.values])}
    if parameter.scale != "log":  # plotly has no axis for reverse log; a linear one is correct
        return {"title": title, "type": "linear"}
    values = [float(value) for value in parameter.values] or [parameter.low, parameter.high]
    span = [math.log10(values[0]), math.log10(values[-1])]
    margin = 0.03 * (span[1] - span[0])
    return {
        "title": title,
        "type": "log",
        "range": [span[0] - margin, span[1] + margin],
        "tickvals": (places := even_values(parameter)),
        "ticktext": [tick_text(place) for place in places],
    }


def names_axis(names: list[str]) -> dict[str, Any]:
    """Return the plotly axis of names, shortened in its ticks."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names,
        "tickvals": names,
        "ticktext": [plain(short(name)) for name in names],
        "automargin": True,
    }


def even_values(parameter: Parameter) -> list[float]:
    """Return at most five values of a numeric parameter for ticks, even on its scale."""
    if 1 < len(parameter.values) <= _LISTED_TICKS:
        return [float(value) for value in parameter.values]
    low, high = parameter.low, parameter.high
    if parameter.values:
        low, high = float(parameter.values[0]), float(parameter.values[-1])
    # For reverse log the axis is a linear one.
    scale: Scale = "log" if parameter.scale == "log" else "linear"
    found = from_unit(np.linspace(0, 1, 5), low, high, scale).tolist()
    if parameter.kind == "integer":
        found = [float(round(value)) for value in found]
    return list(dict.fromkeys(found))


def metric_axis(metric_id: str) -> dict[str, Any]:
    """Return the plotly axis of a metric."""
    return {"title": {"text": plain(metric_id)}, "zeroline": False}
