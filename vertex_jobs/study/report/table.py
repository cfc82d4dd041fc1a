"""Every trial of a study as an HTML table that the report's script can sort."""

from html import escape

from vertex_jobs.study.study import Study

__all__ = ["trials_table"]


def trials_table(study: Study) -> str:
    """One row per trial, those that won marked; each cell carries its unrounded value."""
    able = study.ranking.candidates()
    best = {trial.id for trial in study.best_trials} if able else set()
    chances = study.confidence.chances if study.confidence else {}
    columns, rows = study.columns(), study.rows()
    # Where the model lies is the same for all but the number, and it is long.
    shown = [place for place, name in enumerate(columns) if name != "model_dir"]
    names = [columns[place].removeprefix("parameters.").removeprefix("metrics.") for place in shown]
    if chances:
        names.insert(2, "chance")
    lines = [
        f"<table><thead><tr>{''.join(f'<th>{escape(one)}</th>' for one in names)}</tr></thead>"
    ]
    lines.append("<tbody>")
    for trial, row in zip(study.trials, rows, strict=True):
        cells = [row[place] for place in shown]
        if chances:
            cells.insert(2, chances.get(trial.id, 0.0) if trial in able else None)
        kind = " class='best'" if trial.id in best else ""
        lines.append(f"<tr{kind}>{''.join(map(_cell, cells))}</tr>")
    return "".join([*lines, "</tbody></table>"])


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    text = f"{value:.5g}" if isinstance(value, float) else str(value)
    return f'<td data-value="{escape(str(value))}">{escape(text)}</td>'
