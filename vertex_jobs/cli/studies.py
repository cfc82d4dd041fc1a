"""The verb ``trials``, and how trials are laid out."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.reporting import write_file
from vertex_jobs.cli.tables import as_csv, print_structured, table
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.words import count, duration, number, percent, seconds_between
from vertex_jobs.errors import NoFeasibleTrialError
from vertex_jobs.study import Study, Trial

if TYPE_CHECKING:
    from rich.table import Table


__all__ = ["best_ids", "print_trials", "trial_table"]


def print_trials(options: Options) -> int:
    """Print a study's trials."""
    with open_endpoint(options) as endpoint:
        study = endpoint.job(options.job).last_seen.study
    if options.format == "optuna":
        write_file(options, study.display_name, ".db", lambda path: _write_optuna(study, path))
    elif options.format == "csv":
        print_result(as_csv(study.columns(), study.rows()))
    elif options.format != "table":
        print_structured(study.to_json(), options.format)
    elif study.trials:
        print_result(trial_table(study, study.trials))
    else:
        say("no trials yet")
    return 0


def _write_optuna(study: Study, path: Path) -> str:
    from vertex_jobs.study.optuna_storage import write_optuna_storage

    written = write_optuna_storage(study, path)
    return f"{count(written, 'finished trial')}; look at it with: optuna-dashboard sqlite:///{path}"


def trial_table(
    study: Study, trials: Sequence[Trial], chances: Mapping[str, float] | None = None
) -> "Table":
    """Trials as rows, the best in bold.

    Args:
        study: Whose trials they are.
        trials: Those to show.
        chances: Of being among the best, by trial id, for a column; None for no such column.
    """
    best = best_ids(study)
    metrics = [objective.metric_id for objective in study.objectives]
    parameters = sorted({key for trial in study.trials for key in trial.parameters})
    reasons = any(trial.infeasible_reason for trial in trials)
    now = datetime.now(timezone.utc)
    rows = [
        [
            trial.id,
            "best" if trial.id in best else trial.state.lower(),
            *(number(trial.metrics.get(key)) for key in metrics),
            *(number(trial.parameters.get(key)) for key in parameters),
            str(trial.measurements[-1].step) if trial.measurements else "",
            duration(seconds_between(trial.start_time, trial.end_time, now)),
            *([percent(chances[trial.id]) if trial.id in chances else ""] if chances else []),
            *([trial.infeasible_reason or ""] if reasons else []),
        ]
        for trial in trials
    ]
    columns = [">trial", "state", *(f">{key}" for key in (*metrics, *parameters))]
    columns += [
        ">last step",
        ">time",
        *([">chance"] if chances else []),
        *(["infeasible because"] if reasons else []),
    ]
    bold = [index for index, trial in enumerate(trials) if trial.id in best]
    return table(columns, rows, bold)


def best_ids(study: Study) -> set[str]:
    """Ids of the best trials; none while no trial could win."""
    try:
        return {trial.id for trial in study.best_trials}
    except NoFeasibleTrialError:
        return set()
