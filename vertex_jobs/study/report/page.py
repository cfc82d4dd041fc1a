"""The report's page: the decision, the charts, the table, and plotly's JavaScript, in one file."""

import json
from collections.abc import Iterator
from html import escape
from importlib import resources
from typing import Any

from vertex_jobs.errors import NoFeasibleTrialError, UnsupportedHereError
from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.report import progress_charts
from vertex_jobs.study.report.charts import Chart
from vertex_jobs.study.trial_tables import sortable_table
from vertex_jobs.wording import number

#: plotly subtracts the ends of an axis and adds margins to it.
_TOO_LARGE = 1e300


def report_html(study: StudyAnalysis) -> str:
    """Return the whole file as text.

    Raises:
        UnsupportedHereError: If plotly is not installed.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ModuleNotFoundError as error:
        raise UnsupportedHereError(
            "plotly is not installed, and a report needs it; "
            "install it with: pip install 'vertex-jobs[report]'"
        ) from error
    charts = list(_charts(study))
    folder = resources.files("vertex_jobs.study.report")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            # No icon either: a browser would ask a server for one.
            '<link rel="icon" href="data:,">',
            f"<title>{escape(study.display_name)}: report</title>",
            f"<style>{(folder / 'report.css').read_text(encoding='utf-8')}</style>",
            f"<script>{get_plotlyjs()}</script></head><body><main>",
            _header(study),
            *(_section(place, chart) for place, chart in enumerate(charts)),
            "<section class='wide'><h2>Trials</h2>"
            "<p>A click on a column's name sorts by it; best trials are bold.</p>"
            f"<div class='scroll'>{sortable_table(study)}</div></section></main>",
            f"<script>const charts = {_json(charts)};",
            f"{(folder / 'report.js').read_text(encoding='utf-8')}</script></body></html>",
        ]
    )


def _header(study: StudyAnalysis) -> str:
    state = study.state.removeprefix("JOB_STATE_").lower()
    goals = ", ".join(f"{one.metric_id} ({one.goal})" for one in study.objectives)
    lines = [
        f"<header><h1>{escape(study.display_name)}</h1>",
        f"<p class='facts'>{escape(state)} · {len(study.trials)} trials · {escape(goals)}<br>"
        f"<code>{escape(study.name)}</code></p>",
    ]
    try:
        best = study.best_trials
    except NoFeasibleTrialError as error:
        return "".join([*lines, f"<p>{escape(str(error))}</p></header>"])
    if len(study.objectives) > 1:
        word = "trial is" if len(best) == 1 else "trials are"
        lines.append(f"<p>{len(best)} {word} on the Pareto front, bold in the table below.</p>")
    else:
        lines.append(f"<p>{escape(study.explain(best[0]))}</p><dl>")
        pairs = [*best[0].parameters.items(), ("model", best[0].model_dir)]
        lines += [
            f"<div><dt>{escape(key)}</dt><dd>{escape(number(value))}</dd></div>"
            for key, value in pairs
            if value is not None
        ]
        lines.append("</dl>")
    return "".join([*lines, "</header>"])


def _charts(study: StudyAnalysis) -> Iterator[Chart]:
    # These use the model and with it NumPy, which other readers of trials do not need.
    import numpy as np

    from vertex_jobs.study.report.influence import influence
    from vertex_jobs.study.report.parallel import parallel_coordinates
    from vertex_jobs.study.report.slices import slices

    found: list[Chart | None] = [progress_charts.front(study)]
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow becomes a gap in the chart
        for metric, objective in enumerate(study.objectives):
            found.append(progress_charts.history(study, objective))
            found.append(progress_charts.curves(study, objective))
            found += influence(study, metric)
            found.append(slices(study, metric))
    if study.objectives:
        found.append(parallel_coordinates(study, study.objectives[0]))
    found.append(progress_charts.timeline(study))
    yield from (chart for chart in found if chart is not None)


def _section(place: int, chart: Chart) -> str:
    kind = " class='wide'" if chart.wide else ""
    return (
        f"<section{kind}><h2>{escape(chart.title)}</h2><p>{escape(chart.caption)}</p>"
        f"<div id='chart-{place}' style='height: {chart.height}px'></div></section>"
    )


def _json(charts: list[Chart]) -> str:
    forms = [{"data": chart.data, "layout": chart.layout} for chart in charts]
    # A text with </script> in it would end the script.
    return json.dumps(_drawable(forms), allow_nan=False).replace("<", "\\u003c")


def _drawable(form: Any) -> Any:
    """Return the same with None, a gap to plotly, for each number that it cannot draw.

    JSON has finite numbers only, and the length of an axis must be finite too.
    """
    if isinstance(form, dict):
        return {key: _drawable(value) for key, value in form.items()}
    if isinstance(form, list | tuple):
        return [_drawable(value) for value in form]
    return None if isinstance(form, float) and not abs(form) < _TOO_LARGE else form
