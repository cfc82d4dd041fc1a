"""A study as an Optuna storage: an SQLite file that ``optuna-dashboard`` and Optuna's plots open.

For ``trials --format optuna``. It holds finished trials only: an infeasible one counts as failed.
Facts that Optuna has no field for become user attributes.
"""

import os
import warnings
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.study.study import Study
from vertex_jobs.study.trial_records import Trial
from vertex_jobs.timestamps import read_second

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

    from vertex_jobs.search import Parameter


def write_optuna_storage(study: Study, path: Path) -> int:
    """Write the file, replacing an older one, and return the number of trials in it.

    Raises:
        UnsupportedHereError: If Optuna is not installed, or the study's space is not known.
        OSError: If the file cannot be written.
    """
    try:
        import optuna
    except ModuleNotFoundError as error:
        raise UnsupportedHereError(
            "Optuna is not installed, and its storage needs it; "
            "install it with: pip install 'vertex-jobs[optuna]'"
        ) from error
    if study.space is None:
        raise UnsupportedHereError(f"{study.name} does not say its parameters")
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    partial.touch()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = optuna.storages.RDBStorage(f"sqlite:///{partial.absolute()}")
    try:
        target = optuna.create_study(
            storage=storage,
            study_name=study.display_name,
            directions=[objective.goal for objective in study.objectives],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            target.set_metric_names([objective.metric_id for objective in study.objectives])
        target.set_user_attr("vertex_ai_name", study.name)
        trials = list(_trials(study))
        target.add_trials(trials)
    finally:
        storage.engine.dispose()
    os.replace(partial, path)
    return len(trials)


def _trials(study: Study) -> "Iterator[FrozenTrial]":
    from optuna.trial import FrozenTrial, TrialState

    space = study.space
    assert space is not None
    metrics = [objective.metric_id for objective in study.objectives]
    able = {trial.id for trial in study.ranking.candidates()}
    for trial in study.trials:
        if not trial.finished:
            continue
        # An id that stands for two parameters would have two distributions, which Optuna refuses.
        values = {one: one.value_in(trial.parameters) for one in space.parameters}
        active = {one: value for one, value in values.items() if value is not None}
        yield FrozenTrial(
            number=-1,  # the storage counts, like the next
            trial_id=-1,
            state=TrialState.COMPLETE if trial.id in able else TrialState.FAIL,
            value=None,
            values=[trial.metrics[metric] for metric in metrics] if trial.id in able else None,
            datetime_start=_moment(trial.start_time),
            datetime_complete=_moment(trial.end_time or trial.start_time),
            params={space.label(one): value for one, value in active.items()},
            distributions={space.label(one): _distribution(one) for one in active},
            user_attrs=_attributes(trial),
            system_attrs={},
            # Optuna has these for one metric only.
            intermediate_values=_curve(trial, metrics[0]) if len(metrics) == 1 else {},
        )


def _distribution(parameter: "Parameter") -> Any:
    from optuna import distributions

    if parameter.values:
        return distributions.CategoricalDistribution(parameter.values)
    is_log = parameter.scale == "log"  # Optuna has no reverse of it
    if parameter.kind == "integer":
        return distributions.IntDistribution(int(parameter.low), int(parameter.high), log=is_log)
    return distributions.FloatDistribution(parameter.low, parameter.high, log=is_log)


def _attributes(trial: Trial) -> dict[str, Any]:
    found = {
        "trial": trial.id,
        "model_dir": trial.model_dir,
        "infeasible_reason": trial.infeasible_reason,
    }
    return {key: value for key, value in found.items() if value}


def _curve(trial: Trial, metric: str) -> dict[int, float]:
    return {one.step: one.metrics[metric] for one in trial.measurements if metric in one.metrics}


def _moment(time: str | None) -> datetime | None:
    """Return local time without a zone, as Optuna keeps it."""
    if time is None:
        return None
    return read_second(time).astimezone().replace(tzinfo=None)
