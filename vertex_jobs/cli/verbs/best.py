"""``best JOB``: the best trial explained, and what is made of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option, option_error, switch
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_result, say, say_prose
from vertex_jobs.cli.verb import Verb
from vertex_jobs.errors import Fault, InvalidJobError

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.study import Study, Trial


@dataclass(frozen=True, kw_only=True)
class BestOptions(JobOptions):
    """The options of ``best``."""

    trial: str | None = option(
        "--trial ID", "this trial instead of the best, for the options below"
    )
    download: Path | None = option(
        "--download DIR", "copy what the trial wrote to its model directory into DIR"
    )
    register: bool = switch(
        "--register",
        "put the trial's model into the model registry; once, however often it is asked",
    )
    serving_image: str | None = option(
        "--serving-image URI",
        "with --register: the container that serves the model (default: the newest prebuilt "
        "one for TensorFlow)",
    )
    retrain: bool = switch(
        "--retrain",
        "print the config of a training job with the trial's arguments, and nothing else",
        is_exclusive=True,
    )
    go_on: bool = switch(
        "--continue",
        "the same, starting from the trial's saved model, which the script finds in "
        "VERTEX_JOBS_INITIAL_MODEL_DIR",
        is_exclusive=True,
    )
    config: Path | None = option(
        "--config CONFIG",
        "with --retrain or --continue: the study's own config, so that the training runs its "
        "script as it is now, on any endpoint (default: the package that the trials ran)",
    )
    format: Literal["table", "json", "yaml", "csv"] = option("--format FORM", default="table")

    @property
    def trains(self) -> bool:
        """True if the config of a training is printed."""
        return self.retrain or self.go_on


def best(options: BestOptions) -> int:
    """Print the best trial; download, register or retrain it where asked.

    Raises:
        NoFeasibleTrialError: If no trial could win.
        InvalidJobError: If options do not fit each other, there is no such trial, or one trial is
            needed and several share the front.
        RequestRefusedError: If the trial wrote no model, and one is needed.
    """
    from vertex_jobs.cli.decisions import load_numerics, measured_study
    from vertex_jobs.cli.trial_models import (
        download_model,
        model_files,
        print_training,
        register_model,
    )

    faults = [
        *(_without_effect_in_training(options) if options.trains else ()),
        *_without_their_like(options),
    ]
    if faults:
        raise InvalidJobError(faults, "command line")
    with open_endpoint(options.where) as endpoint:
        handle = endpoint.job(options.job, say_prose)
        study = measured_study(handle)
        if options.trains:
            trial = _chosen(options.trial, study)
            if options.go_on:
                model_files(endpoint, trial)
            print_training(
                options.where,
                handle,
                trial,
                study_config=options.config,
                go_on=options.go_on,
            )
            return 0
        load_numerics()
        _print(endpoint, study, options.format)
        show = print_result if options.format == "table" else say
        if options.download is not None:
            download_model(endpoint, _chosen(options.trial, study), options.download)
            show(str(options.download))
        if options.register:
            trial = _chosen(options.trial, study)
            show(register_model(options.serving_image, endpoint, handle, trial))
    return 0


VERB = Verb(
    description="With several metrics: every trial that no other beats. While the job runs: the "
    "best so far. The chance to be truly the best is that of a model of all trials.",
    examples=(
        "best digits-search",
        "best digits-search --download best-model",
        "best digits-search --retrain > retrain.yaml",
        "best digits-search --register",
    ),
    options=BestOptions,
    handler=best,
)


def _without_effect_in_training(options: BestOptions) -> Iterator[Fault]:
    """Yield a fault for each option that does nothing where a config is printed."""
    flag = "--retrain" if options.retrain else "--continue"
    rule = f"is nothing that {flag} does: it prints a config, and nothing else"
    remedy = f"give it in a command of its own, without {flag}"
    if options.download is not None:
        yield Fault("--download", str(options.download), rule, remedy)
    if options.register:
        yield Fault("--register", None, rule, remedy)
    if options.format not in ("table", "yaml"):
        yield Fault("--format", options.format, rule, "drop it: the config is YAML")


def _without_their_like(options: BestOptions) -> Iterator[Fault]:
    """Yield a fault for each option that changes another one, which is not there."""
    if options.trial is not None and not (options.download or options.register or options.trains):
        rule = "says which trial to take, and nothing is made of one"
        remedy = "add --download DIR, --register, --retrain or --continue"
        yield Fault("--trial", options.trial, rule, remedy)
    if options.serving_image is not None and not options.register:
        rule = "serves a model that is registered, and none is"
        yield Fault("--serving-image", options.serving_image, rule, "add --register")
    if options.config is not None and not options.trains:
        rule = "says what a training runs, and none is printed"
        yield Fault("--config", str(options.config), rule, "add --retrain or --continue")


def _print(endpoint: "Endpoint", study: "Study", form: str) -> None:
    from vertex_jobs.cli.decisions import print_decision, print_runners_up
    from vertex_jobs.cli.trial_models import wrote_model

    if form != "table":
        ids = {trial.id for trial in study.best_trials}
        rows = zip(study.trials, study.rows(), strict=True)
        best_rows = [row for trial, row in rows if trial.id in ids]
        print_structured(study.best_to_json(), form, study.columns(), best_rows)
    else:
        print_decision(study, partial(wrote_model, endpoint))
        print_runners_up(study)


def _chosen(trial_id: str | None, study: "Study") -> "Trial":
    """Return the trial that was named, else the best.

    Raises:
        NoFeasibleTrialError: If none was named, and no trial could win.
        InvalidJobError: If there is no such trial, or none was named and several are the front.
    """
    if trial_id is None:
        front = study.best_trials
        if len(front) == 1:
            return front[0]
        metrics = " and ".join(objective.metric_id for objective in study.objectives)
        rule = f"says which trial to take, since {len(front)} share the Pareto front of {metrics}"
        remedy = f"add --trial ID, one of {', '.join(trial.id for trial in front)}"
        raise option_error("--trial", None, rule, remedy)
    try:
        return study.trial(trial_id)
    except KeyError as error:
        rule = f"is no trial of {study.display_name}, which has {len(study.trials)}"
        raise option_error("--trial", trial_id, rule, "see: vertex-jobs trials") from error
