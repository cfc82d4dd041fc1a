"""The verb ``best``: the best trial explained, and what is made of it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.footers import command
from vertex_jobs.cli.numerics import load_numerics
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.studies import best_ids, trial_table
from vertex_jobs.cli.tables import as_csv, as_yaml, print_structured, table
from vertex_jobs.cli.terminal import print_prose, print_result, say, warn
from vertex_jobs.cli.words import number, outcome
from vertex_jobs.errors import Fault, InvalidJobError, RequestRefusedError
from vertex_jobs.study import Study, Trial

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle
    from vertex_jobs.endpoints import Endpoint

__all__ = ["print_best", "print_decision"]

#: A longer list of losers explains less.
_RUNNERS_UP = 5


def print_best(options: Options) -> int:
    """Print the best trial; fetch, register or retrain it where asked.

    Raises:
        NoFeasibleTrialError: If no trial could win.
        InvalidJobError: If there is no such trial, or nothing that it is for.
        UnsupportedHereError: If one trial is needed and several share the front.
    """
    _check(options)
    with open_endpoint(options) as endpoint:
        handle = endpoint.job(options.job)
        study = handle.last_seen.study
        if options.retrain or options.go_on:
            _print_training(options, handle, _chosen(options, study))
            return 0
        load_numerics()
        _print(options, study)
        show = print_result if options.format == "table" else say
        if options.download is not None:
            _download(endpoint, _chosen(options, study), options.download)
            show(str(options.download))
        if options.register:
            show(_register(options, endpoint, handle, _chosen(options, study)))
    return 0


def _check(options: Options) -> None:
    """Refuse a trial that is named for nothing.

    Raises:
        InvalidJobError: If so.
    """
    wanted = options.download or options.register or options.retrain or options.go_on
    if options.trial is not None and not wanted:
        rule = "says which trial to take, and nothing is made of one"
        remedy = "add --download DIR, --register, --retrain or --continue"
        raise InvalidJobError([Fault("--trial", options.trial, rule, remedy)], "command line")


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
    print_result(trial_table(study, best))


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
            *([f"{100 * chances.get(trial.id, 0.0):.0f} %"] if chances else []),
        ]
        for trial in losers[:_RUNNERS_UP]
    ]
    print_result("")
    columns = [">runner-up", "", "why it lost", *([">chance"] if chances else [])]
    print_result(table(columns, rows))


def _chosen(options: Options, study: Study) -> Trial:
    """The trial that was named, else the best.

    Raises:
        InvalidJobError: If there is no such trial.
    """
    if options.trial is None:
        return study.best_trial
    try:
        return study.trial(options.trial)
    except KeyError as error:
        rule = f"is no trial of {study.display_name}, which has {len(study.trials)}"
        fault = Fault("--trial", options.trial, rule, "see: vertex-jobs trials")
        raise InvalidJobError([fault], "command line") from error


def _print_training(options: Options, handle: "JobHandle", trial: Trial) -> None:
    """A config that ``run`` takes: this trial as a training job of its own."""
    from vertex_jobs import requests, spec
    from vertex_jobs.study.retraining import training_config

    config: dict[str, Any]
    if options.optional_config is None:
        config = requests.read_job(handle.last_seen.resource)
    else:
        config = spec.to_mapping(spec.load(options.optional_config))
    made = training_config(config, trial, start_from_model=options.go_on)
    if options.optional_config is None and handle.package_uri:
        say(f"note: it runs the package of the study, {handle.package_uri};")
        say("      to train the script as it is now, or elsewhere, add --config and its config")
    if options.go_on:
        say(f"note: the script finds the model to go on from, {trial.model_dir}, as")
        say("      environment.current().initial_model_dir, or in VERTEX_JOBS_INITIAL_MODEL_DIR")
    print_result(f"# Trial {trial.id} of {handle.name}")
    print_result(as_yaml(made))
    say(f"next: save it as a file, e.g. retrain.yaml, and {command(options, 'run')} retrain.yaml")


def _register(options: Options, endpoint: "Endpoint", handle: "JobHandle", trial: Trial) -> str:
    """The name of the trial's model in the registry.

    Raises:
        RequestRefusedError: If the trial wrote no model.
    """
    files = endpoint.outputs().list_files(trial.model_dir) if trial.model_dir else ()
    if trial.model_dir and not files:
        raise _no_model(trial)
    names = {file.uri.path.rpartition("/")[2] for file in files}
    if options.serving_image is None and "saved_model.pb" not in names:
        warn(
            f"{trial.model_dir} holds no SavedModel, which the prebuilt serving image needs; "
            "let the script call model.export, or name another image with --serving-image"
        )
    image = {"serving_image": options.serving_image} if options.serving_image else {}
    model = handle.register(trial, **image)
    say(f"trial {trial.id} is registered as {model.get('displayName')}")
    return f"model: {model['name']}"


def _download(endpoint: "Endpoint", trial: Trial, directory: Path) -> None:
    """Copy a trial's model directory, with a line of progress where somebody looks.

    Raises:
        RequestRefusedError: If the trial wrote nothing there.
        InvalidJobError: If the files cannot be written.
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
        raise _no_model(trial) from error
    except OSError as error:
        rule = f"cannot be written: {error.strerror or error}"
        fault = Fault("--download", str(directory), rule, "name another directory")
        raise InvalidJobError([fault], "command line") from error
    say(f"{len(files)} files of {trial.model_dir}")


def _no_model(trial: Trial) -> RequestRefusedError:
    return RequestRefusedError(
        f"trial {trial.id} left no model: {trial.model_dir} is empty; a script saves its model "
        "to AIP_MODEL_DIR",
        code=404,
        status="NOT_FOUND",
    )
