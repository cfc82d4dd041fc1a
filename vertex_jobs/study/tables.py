"""Trials laid out flat: columns and rows for CSV and frames, and a small HTML table.

For `Study`. The nested keys of a trial become column names joined by a dot, the form that pandas'
``json_normalize`` gives, so that a parameter and a metric of the same name stay apart.
"""

from collections.abc import Iterable, Sequence
from html import escape

from vertex_jobs.study.ranking import Ranking
from vertex_jobs.study.trials import Objective, Trial, cell_text

__all__ = ["html_table", "trial_columns", "trial_rows"]

#: A notebook cell should stay readable; `to_frame` has every row.
_HTML_ROWS = 10


def trial_columns(trials: Sequence[Trial], objectives: Sequence[Objective]) -> list[str]:
    """Id and state, every parameter by name, every metric (the study's first), then the rest."""
    parameters = sorted({key for trial in trials for key in trial.parameters})
    goals = [objective.metric_id for objective in objectives]
    extra = sorted({key for trial in trials for key in trial.metrics} - set(goals))
    return [
        "id",
        "state",
        *(f"parameters.{key}" for key in parameters),
        *(f"metrics.{key}" for key in goals + extra),
        "infeasible_reason",
        "model_dir",
        "start_time",
        "end_time",
    ]


def trial_rows(trials: Iterable[Trial], columns: Sequence[str]) -> list[list[object]]:
    """One row per trial under those columns; what a trial lacks is None."""
    return [[_cell(trial, column) for column in columns] for trial in trials]


def html_table(title: str, state: str, ranking: Ranking) -> str:
    """At most ten trials, the front first and bold; every text is escaped."""
    able = ranking.candidates()
    best = {trial.id for trial in ranking.front()} if able else set()
    ranks = {trial.id: rank for rank, trial in enumerate(able)}
    last = len(able)
    ordered = sorted(ranking.trials, key=lambda t: (t.id not in best, ranks.get(t.id, last)))
    shown = ordered[:_HTML_ROWS]
    columns = trial_columns(ranking.trials, ranking.objectives)[:-4]
    rows = [f"<tr>{_cells('th', columns)}</tr>"]
    for trial, row in zip(shown, trial_rows(shown, columns), strict=True):
        style = " style='font-weight: bold'" if trial.id in best else ""
        rows.append(f"<tr{style}>{_cells('td', row)}</tr>")
    caption = f"{title}: {state}, {len(ranking.trials)} trials"
    if len(shown) < len(ranking.trials):
        caption += f", {len(shown)} shown"
    return f"<table><caption>{escape(caption)}</caption>{''.join(rows)}</table>"


def _cells(tag: str, row: Iterable[object]) -> str:
    return "".join(f"<{tag}>{escape(cell_text(value))}</{tag}>" for value in row)


def _cell(trial: Trial, column: str) -> object:
    group, _, key = column.partition(".")
    if group == "parameters":
        return trial.parameters.get(key)
    if group == "metrics":
        return trial.metrics.get(key)
    return getattr(trial, column)
