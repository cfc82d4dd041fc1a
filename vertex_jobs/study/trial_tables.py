"""Trials laid out flat: columns and rows for CSV and frames, and two HTML tables.

For `Study` and its report. The nested keys of a trial become column names joined by a dot, the form
that pandas' ``json_normalize`` gives, so that a parameter and a metric of the same name stay apart.
"""

from collections.abc import Iterable, Sequence
from html import escape

from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.trial_records import Trial
from vertex_jobs.wording import number

#: A notebook cell should stay readable; `to_frame` has every row.
_SHORT_ROWS = 10


def trial_columns(study: StudyAnalysis) -> list[str]:
    """Return id and state, every parameter by name, every metric (the study's first), the rest."""
    parameters = sorted({key for trial in study.trials for key in trial.parameters})
    goals = [objective.metric_id for objective in study.objectives]
    extra = sorted({key for trial in study.trials for key in trial.metrics} - set(goals))
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
    """Return one row per trial under those columns; None where a trial has no value."""
    return [[_value(trial, column) for column in columns] for trial in trials]


def short_table(study: StudyAnalysis) -> str:
    """Return an HTML table of at most ten trials, the front first and bold."""
    able, best = study.ranking.candidates(), study.best_ids
    ranks = {trial.id: rank for rank, trial in enumerate(able)}
    last = len(able)
    ordered = sorted(study.trials, key=lambda t: (t.id not in best, ranks.get(t.id, last)))
    shown = ordered[:_SHORT_ROWS]
    columns = trial_columns(study)[:-4]
    rows = [f"<tr>{_cells('th', columns)}</tr>"]
    for trial, row in zip(shown, trial_rows(shown, columns), strict=True):
        style = " style='font-weight: bold'" if trial.id in best else ""
        rows.append(f"<tr{style}>{_cells('td', row)}</tr>")
    caption = f"{study.display_name}: {study.state}, {len(study.trials)} trials"
    if len(shown) < len(study.trials):
        caption += f", {len(shown)} shown"
    return f"<table><caption>{escape(caption)}</caption>{''.join(rows)}</table>"


def sortable_table(study: StudyAnalysis) -> str:
    """Return an HTML table of every trial, whose cells carry unrounded values to sort by."""
    able, best = study.ranking.candidates(), study.best_ids
    chances = study.confidence.chances if study.confidence else {}
    # Where the model lies is the same for all but the number, and it is long.
    columns = [name for name in trial_columns(study) if name != "model_dir"]
    names = [name.removeprefix("parameters.").removeprefix("metrics.") for name in columns]
    if chances:
        names.insert(2, "chance")
    lines = [f"<table><thead><tr>{_cells('th', names)}</tr></thead><tbody>"]
    for trial, row in zip(study.trials, trial_rows(study.trials, columns), strict=True):
        if chances:
            row.insert(2, chances.get(trial.id, 0.0) if trial in able else None)
        kind = " class='best'" if trial.id in best else ""
        lines.append(f"<tr{kind}>{''.join(map(_sortable_cell, row))}</tr>")
    return "".join([*lines, "</tbody></table>"])


def _cells(tag: str, row: Iterable[object]) -> str:
    return "".join(f"<{tag}>{escape(number(value))}</{tag}>" for value in row)


def _sortable_cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    text = f"{value:.5g}" if isinstance(value, float) else str(value)
    return f'<td data-value="{escape(str(value))}">{escape(text)}</td>'


def _value(trial: Trial, column: str) -> object:
    group, _, key = column.partition(".")
    if group == "parameters":
        return trial.parameters.get(key)
    if group == "metrics":
        return trial.metrics.get(key)
    return getattr(trial, column)
