"""The charts of a study's course: history, learning curves, timeline and Pareto front."""

from typing import Any

from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.report.charts import BEST, FAINT, MAIN, Chart, metric_axis
from vertex_jobs.study.report.texts import parameters_text, plain
from vertex_jobs.study.trial_records import Objective, Trial
from vertex_jobs.timestamps import read_moment

#: A reader cannot tell more curves apart.
_CURVES = 200
_STATE_COLOURS = {"SUCCEEDED": MAIN, "INFEASIBLE": FAINT}


def history(study: StudyAnalysis, objective: Objective) -> Chart | None:
    """Return every trial's value, and the best so far; None without a value."""
    trials = [one for one in study.ranking.candidates() if objective.metric_id in one.metrics]
    trials.sort(key=lambda trial: trial.order)
    if not trials:
        return None
    metric = objective.metric_id
    values = [trial.metrics[metric] for trial in trials]
    choose = max if objective.maximize else min
    so_far = [choose(values[: place + 1]) for place in range(len(values))]
    best = study.best_ids
    ids = [int(trial.id) if trial.id.isdecimal() else trial.id for trial in trials]
    infeasible = [one.id for one in study.trials if one.state == "INFEASIBLE"]
    lost = f" {len(infeasible)} infeasible trials have no value." if infeasible else ""
    return Chart(
        f"History of {metric}",
        f"Each trial's final value in the order of trials; the line is the best so far.{lost}",
        [
            {
                "type": "scatter",
                "mode": "markers",
                "name": "trial",
                "x": ids,
                "y": values,
                "text": [parameters_text(dict(trial.parameters)) for trial in trials],
                "hovertemplate": f"trial %{{x}}<br>{plain(metric)} = %{{y:.6g}}<br>%{{text}}",
                "marker": {
                    "color": [BEST if one.id in best else MAIN for one in trials],
                    "size": [11 if one.id in best else 7 for one in trials],
                },
            },
            {
                "type": "scatter",
                "mode": "lines",
                "name": "best so far",
                "x": ids,
                "y": so_far,
                "line": {"shape": "hv", "color": BEST, "width": 1.5},
                "hoverinfo": "skip",
            },
        ],
        {"xaxis": {"title": {"text": "trial"}}, "yaxis": metric_axis(metric), "showlegend": False},
    )


def curves(study: StudyAnalysis, objective: Objective) -> Chart | None:
    """Return measurements by step; None if no trial has two."""
    metric = objective.metric_id
    shown = [
        trial
        for trial in study.trials
        if sum(metric in measurement.metrics for measurement in trial.measurements) > 1
    ][:_CURVES]
    if not shown:
        return None
    best = study.best_ids
    # The best are drawn last, over the others.
    shown.sort(key=lambda trial: trial.id in best)
    return Chart(
        f"Learning curves of {metric}",
        "Every measurement that the trials reported, by step; the best trials stand out.",
        [_curve(trial, metric, trial.id in best) for trial in shown],
        {"xaxis": {"title": {"text": "step"}}, "yaxis": metric_axis(metric), "showlegend": False},
    )


def timeline(study: StudyAnalysis) -> Chart | None:
    """Return a bar for the time that each trial ran; None if none has started."""
    started = [
        (one, read_moment(one.start_time), read_moment(one.end_time) if one.end_time else None)
        for one in study.trials
        if one.start_time
    ]
    if not started:
        return None
    last = max((end for *_, end in started if end), default=None)
    best = study.best_ids
    bars: dict[str, Any] = {"type": "bar", "orientation": "h", "y": [], "base": [], "x": []}
    colours, texts = [], []
    for trial, start, end in started:
        until = end or max(last or start, start)
        bars["y"].append(trial.id)
        bars["base"].append(start.isoformat())
        bars["x"].append((until - start).total_seconds() * 1000)  # plotly counts milliseconds
        colours.append(BEST if trial.id in best else _STATE_COLOURS.get(trial.state, "#10b981"))
        reason = f"<br>{plain(trial.infeasible_reason)}" if trial.infeasible_reason else ""
        texts.append(f"{trial.state.lower()}, {(until - start).total_seconds():.0f} s{reason}")
    bars |= {"marker": {"color": colours}, "text": texts, "textposition": "none"}
    bars["hovertemplate"] = "trial %{y}<br>%{text}<extra></extra>"
    return Chart(
        "Timeline",
        "When each trial ran, in UTC; grey ones were infeasible, green ones have not ended.",
        [bars],
        {
            "xaxis": {"type": "date"},
            "yaxis": {"title": {"text": "trial"}, "type": "category", "autorange": "reversed"},
        },
        height=max(280, min(900, 90 + 13 * len(started))),
        wide=True,
    )


def front(study: StudyAnalysis) -> Chart | None:
    """Return the trials by two metrics, the Pareto front as a line; None with one metric."""
    trials = study.ranking.candidates()
    if len(study.objectives) < 2 or not trials:
        return None
    first, second = (objective.metric_id for objective in study.objectives[:2])
    best = sorted(study.best_trials, key=lambda trial: trial.metrics[first])

    def points(shown: list[Trial]) -> dict[str, Any]:
        return {
            "type": "scatter",
            "x": [trial.metrics[first] for trial in shown],
            "y": [trial.metrics[second] for trial in shown],
            "text": [f"trial {one.id}<br>{parameters_text(dict(one.parameters))}" for one in shown],
            "hovertemplate": f"{plain(first)} = %{{x:.6g}}<br>{plain(second)} = %{{y:.6g}}"
            "<br>%{text}",
        }

    others = points([trial for trial in trials if trial not in best])
    goals = " and ".join(f"{one.metric_id} ({one.goal})" for one in study.objectives)
    return Chart(
        "Pareto front",
        f"Of {goals}: nothing beats the marked trials in one metric without losing in another.",
        [
            {**others, "name": "trials", "mode": "markers", "marker": {"color": FAINT, "size": 7}},
            {
                **points(best),
                "name": "front",
                # With more metrics than two the front is no line in this plane.
                "mode": "lines+markers" if len(study.objectives) == 2 else "markers",
                "line": {"color": BEST, "width": 1, "dash": "dot"},
                "marker": {"color": BEST, "size": 9},
            },
        ],
        {"xaxis": metric_axis(first), "yaxis": metric_axis(second), "showlegend": False},
        wide=True,
    )


def _curve(trial: Trial, metric: str, is_best: bool) -> dict[str, Any]:
    points = [
        (one.step, one.metrics[metric]) for one in trial.measurements if metric in one.metrics
    ]
    return {
        "type": "scatter",
        "mode": "lines+markers" if is_best else "lines",
        "name": f"trial {trial.id}",
        "x": [step for step, _ in points],
        "y": [value for _, value in points],
        "line": {"color": BEST if is_best else FAINT, "width": 2 if is_best else 1},
        "hovertemplate": f"trial {trial.id}, step %{{x}}<br>{plain(metric)} = %{{y:.6g}}"
        "<extra></extra>",
    }
