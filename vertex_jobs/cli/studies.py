"""The verbs ``trials`` and ``best``, and how trials are laid out."""

import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.tables import as_csv, print_structured, table
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.words import duration, number, seconds_between
from vertex_jobs.errors import NoFeasibleTrialError, RequestRefusedError
from vertex_jobs.study import Study, Trial

if TYPE_CHECKING:
    from rich.table import Table

    from vertex_jobs.endpoints import Endpoint

__all__ = ["best_text", "print_best", "print_trials", "trial_table"]


def print_trials(options: Options) -> int:
    """Print a study's trials."""
    with open_endpoint(options) as endpoint:
        study = endpoint.job(options.job).last_seen.study
    if options.format == "csv":
        print_result(as_csv(study.columns(), study.rows()))
    elif options.format != "table":
        print_structured(study.to_json(), options.format)
    elif study.trials:
        print_result(trial_table(study, study.trials))
    else:
        say("no trials yet")
    return 0


def print_best(options: Options) -> int:
    """Print the best trial, and fetch its model where asked.

    Raises:
        NoFeasibleTrialError: If no trial could win.
        UnsupportedHereError: If a download is asked for and several trials share the front.
    """
    with open_endpoint(options) as endpoint:
        study = endpoint.job(options.job).last_seen.study
        best = study.best_trials
        if options.format == "csv":
            ids = {trial.id for trial in best}
            rows = zip(study.trials, study.rows(), strict=True)
            print_result(as_csv(study.columns(), [row for trial, row in rows if trial.id in ids]))
        elif options.format != "table":
            print_structured(study.best_to_json(), options.format)
        else:
            print_result(best_text(study))
        if options.download is not None:
            _download(endpoint, study.best_trial, options.download)
            show = print_result if options.format == "table" else say
            show(str(options.download))
    return 0


def trial_table(study: Study, trials: Sequence[Trial]) -> "Table":
    """Trials as rows, the best in bold.

    Args:
        study: Whose trials they are.
        trials: Those to show.
    """
    best = _best_ids(study)
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
            *([trial.infeasible_reason or ""] if reasons else []),
        ]
        for trial in trials
    ]
    columns = [">trial", "state", *(f">{key}" for key in (*metrics, *parameters))]
    columns += [">last step", ">time", *(["infeasible because"] if reasons else [])]
    bold = [index for index, trial in enumerate(trials) if trial.id in best]
    return table(columns, rows, bold)


def best_text(study: Study) -> str:
    """The best trial or the Pareto front: parameters, metrics, model and why.

    Raises:
        NoFeasibleTrialError: If no trial could win.
    """
    return "\n\n".join(_best_text(study, trial) for trial in study.best_trials)


def _best_text(study: Study, trial: Trial) -> str:
    pairs = [*trial.metrics.items(), *trial.parameters.items()]
    pairs += [("model", trial.model_dir)] if trial.model_dir else []
    width = max(len(key) for key, _ in pairs)
    lines = [study.explain(trial)]
    lines += [f"  {key:<{width}}  {number(value)}" for key, value in pairs]
    return "\n".join(lines)


def _best_ids(study: Study) -> set[str]:
    try:
        return {trial.id for trial in study.best_trials}
    except NoFeasibleTrialError:
        return set()


def _download(endpoint: "Endpoint", trial: Trial, directory: Path) -> None:
    """Copy a trial's model directory, with a line of progress where somebody looks.

    Raises:
        RequestRefusedError: If the trial wrote nothing there.
    """
    if trial.model_dir is None:
        raise RequestRefusedError(
            f"trial {trial.id} has no model directory: the job has no base output directory",
            code=404,
            status="NOT_FOUND",
        )

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            text = f"\rdownloading {done / 1e6:.1f} of {total / 1e6:.1f} MB"
            print(text, end=end, file=sys.stderr, flush=True)

    try:
        files = endpoint.outputs().download(trial.model_dir, directory, progress)
    except RequestRefusedError as error:
        if error.code != 404:
            raise
        raise RequestRefusedError(
            f"trial {trial.id} left no model: {trial.model_dir} is empty; a script saves its model "
            "to AIP_MODEL_DIR",
            code=404,
            status="NOT_FOUND",
        ) from error
    say(f"{len(files)} files of {trial.model_dir}")
