"""A study judged: its trials as rows, the best of them and why, and why the next ones lost.

For the verbs that show a study. NumPy and SciPy are loaded here as this program needs them.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from vertex_jobs.cli.tables import table
from vertex_jobs.cli.terminal import print_prose, print_result, warn
from vertex_jobs.cli.words import duration, outcome, percent, seconds_between
from vertex_jobs.errors import EndpointError, NoFeasibleTrialError
from vertex_jobs.study import Study, Trial
from vertex_jobs.wording import number

if TYPE_CHECKING:
    from rich.table import Table

    from vertex_jobs.client import JobHandle

#: A longer list of losers explains less.
_RUNNERS_UP = 5
#: Each wheel brings an OpenBLAS of its own, which reads this when it is loaded.
_THREADS = "OPENBLAS_NUM_THREADS"


def load_numerics() -> None:
    """Load the linear algebra that judging a study takes, on one thread.

    On matrices of some hundred rows more threads cost ten times what they save. The variable that
    says so is there while the libraries load and no longer, since children must not inherit it; a
    person's own setting stays.
    """
    if _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        import scipy.linalg  # noqa: F401 - loaded for the libraries in it
    finally:
        del os.environ[_THREADS]


def measured_study(handle: "JobHandle") -> Study:
    """Return a study with its learning curves; without them, and with a warning, if need be."""
    try:
        return handle.study_at(handle.last_seen)
    except EndpointError as error:
        warn(f"the learning curves cannot be read: {error}")
        return handle.last_seen.study


def trial_table(
    study: Study, trials: Sequence[Trial], chances: Mapping[str, float] | None = None
) -> "Table":
    """Return trials as rows, the best in bold.

    With ``chances`` of being among the best, by trial id, there is a column of them.
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
            str(trial.measurements[-1].step if trial.measurements else trial.step or ""),
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


def print_decision(study: Study, wrote_model: Callable[[Trial], bool]) -> None:
    """Print the best trial, or the Pareto front as a table, and why.

    ``wrote_model`` says whether there is anything in a trial's model directory.

    Raises:
        NoFeasibleTrialError: If no trial could win.
    """
    best = study.best_trials
    if len(best) == 1:
        _print_trial(study, best[0], wrote_model)
        return
    goals = " and ".join(f"{goal.metric_id} ({goal.goal})" for goal in study.objectives)
    print_result(f"{len(best)} trials are the Pareto front of {goals}:")
    print_result("no trial is better in one metric without being worse in another")
    confidence = study.confidence
    if confidence is not None:
        print_prose(
            f"chance, by a model of {confidence.trial_count} trials: that no other one truly beats "
            "it in every metric"
        )
    print_result(trial_table(study, best, confidence.chances if confidence else None))


def _print_trial(study: Study, trial: Trial, wrote_model: Callable[[Trial], bool]) -> None:
    pairs = [*trial.metrics.items(), *trial.parameters.items()]
    if trial.model_dir:
        is_there = wrote_model(trial)
        pairs.append(("model", trial.model_dir if is_there else "none: AIP_MODEL_DIR is empty"))
    width = max(len(key) for key, _ in pairs)
    print_prose(study.explain(trial))
    for key, value in pairs:
        print_result(f"  {key:<{width}}  {number(value)}")


def print_runners_up(study: Study) -> None:
    """Print why the next ones lost, and how likely each is the better one all the same."""
    best = _best_ids(study)
    chances = study.confidence.chances if study.confidence else {}
    losers = [trial for trial in study.ranking.candidates() if trial.id not in best]
    if not losers:
        return
    if len(study.objectives) > 1:  # where they have no order of their own
        losers.sort(key=lambda trial: -chances.get(trial.id, 0.0))
    rows = [
        [
            trial.id,
            outcome(trial, study.objectives),
            study.why_not(trial),
            *([percent(chances.get(trial.id, 0.0))] if chances else []),
        ]
        for trial in losers[:_RUNNERS_UP]
    ]
    print_result("")
    columns = [">runner-up", "", "why it lost", *([">chance"] if chances else [])]
    print_result(table(columns, rows))


def _best_ids(study: Study) -> set[str]:
    try:
        return {trial.id for trial in study.best_trials}
    except NoFeasibleTrialError:
        return set()
