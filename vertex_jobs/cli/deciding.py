"""The verb ``best``: the best trial explained, and what is made of it."""

from collections.abc import Iterator

from vertex_jobs.cli.numerics import load_numerics
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.studies import best_ids, trial_table
from vertex_jobs.cli.tables import as_csv, print_structured, table
from vertex_jobs.cli.terminal import print_prose, print_result, say
from vertex_jobs.cli.trial_models import (
    download_model,
    model_files,
    print_training,
    register_model,
)
from vertex_jobs.cli.words import number, outcome, percent
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.study import Study, Trial

__all__ = ["print_best", "print_decision"]

#: A longer list of losers explains less.
_RUNNERS_UP = 5


def print_best(options: Options) -> int:
    """Print the best trial; fetch, register or retrain it where asked.

    Raises:
        NoFeasibleTrialError: If no trial could win.
        InvalidJobError: If options do not fit each other, there is no such trial, or one trial is
            needed and several share the front.
        RequestRefusedError: If the trial wrote no model, and one is needed.
    """
    _check(options)
    with open_endpoint(options) as endpoint:
        handle = endpoint.job(options.job)
        study = handle.last_seen.study
        if options.retrain or options.go_on:
            trial = _chosen(options, study)
            if options.go_on:
                model_files(endpoint, trial)
            print_training(options, handle, trial)
            return 0
        load_numerics()
        _print(options, study)
        show = print_result if options.format == "table" else say
        if options.download is not None:
            download_model(endpoint, _chosen(options, study), options.download)
            show(str(options.download))
        if options.register:
            show(register_model(options, endpoint, handle, _chosen(options, study)))
    return 0


def _check(options: Options) -> None:
    """Refuse options that would have no effect beside the others.

    Raises:
        InvalidJobError: If there are any.
    """
    faults = [
        *(_without_effect_in_training(options) if options.retrain or options.go_on else ()),
        *_without_their_like(options),
    ]
    if faults:
        raise InvalidJobError(faults, "command line")


def _without_effect_in_training(options: Options) -> Iterator[Fault]:
    flag = "--retrain" if options.retrain else "--continue"
    rule = f"is nothing that {flag} does: it prints a config, and nothing else"
    remedy = f"give it in a command of its own, without {flag}"
    if options.download is not None:
        yield Fault("--download", str(options.download), rule, remedy)
    if options.register:
        yield Fault("--register", None, rule, remedy)
    if options.format not in ("table", "yaml"):
        yield Fault("--format", options.format, rule, "drop it: the config is YAML")


def _without_their_like(options: Options) -> Iterator[Fault]:
    """Options that say something about another one, which is not there."""
    trains = options.retrain or options.go_on
    if options.trial is not None and not (options.download or options.register or trains):
        rule = "says which trial to take, and nothing is made of one"
        remedy = "add --download DIR, --register, --retrain or --continue"
        yield Fault("--trial", options.trial, rule, remedy)
    if options.serving_image is not None and not options.register:
        rule = "serves a model that is registered, and none is"
        yield Fault("--serving-image", options.serving_image, rule, "add --register")
    if options.optional_config is not None and not trains:
        rule = "says what a training runs, and none is printed"
        yield Fault("--config", str(options.optional_config), rule, "add --retrain or --continue")


def _print(options: Options, study: Study) -> None:
    if options.format == "csv":
        ids = {trial.id for trial in study.best_trials}
        rows = zip(study.trials, study.rows(), strict=True)
        print_result(as_csv(study.columns(), [row for trial, row in rows if trial.id in ids]))
    elif options.format != "table":
        print_structured(study.best_to_json(), options.format)
    else:
        print_decision(study)
        _print_runners_up(study)


def print_decision(study: Study) -> None:
    """The best trial, or the Pareto front as a table, and why.

    Raises:
        NoFeasibleTrialError: If no trial could win.
    """
    best = study.best_trials
    if len(best) == 1:
        _print_trial(study, best[0])
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


def _print_trial(study: Study, trial: Trial) -> None:
    pairs = [*trial.metrics.items(), *trial.parameters.items()]
    pairs += [("model", trial.model_dir)] if trial.model_dir else []
    width = max(len(key) for key, _ in pairs)
    print_prose(study.explain(trial))
    for key, value in pairs:
        print_result(f"  {key:<{width}}  {number(value)}")


def _print_runners_up(study: Study) -> None:
    """Why the next ones lost, and how likely each is the better one all the same."""
    best = best_ids(study)
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


def _chosen(options: Options, study: Study) -> Trial:
    """The trial that was named, else the best.

    Raises:
        NoFeasibleTrialError: If none was named, and no trial could win.
        InvalidJobError: If there is no such trial, or none was named and several are the front.
    """
    if options.trial is None:
        front = study.best_trials
        if len(front) == 1:
            return front[0]
        metrics = " and ".join(objective.metric_id for objective in study.objectives)
        rule = f"says which trial to take, since {len(front)} share the Pareto front of {metrics}"
        remedy = f"add --trial ID, one of {', '.join(trial.id for trial in front)}"
        raise InvalidJobError([Fault("--trial", None, rule, remedy)], "command line")
    try:
        return study.trial(options.trial)
    except KeyError as error:
        rule = f"is no trial of {study.display_name}, which has {len(study.trials)}"
        fault = Fault("--trial", options.trial, rule, "see: vertex-jobs trials")
        raise InvalidJobError([fault], "command line") from error
