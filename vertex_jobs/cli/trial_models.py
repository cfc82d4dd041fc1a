"""A trial that ``best`` has chosen, put to use: its files, a registered model, another training."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.footers import command
from vertex_jobs.cli.options import option_error
from vertex_jobs.cli.shared_options import EndpointOptions
from vertex_jobs.cli.tables import as_yaml
from vertex_jobs.cli.terminal import print_result, say, warn
from vertex_jobs.errors import EndpointError, RequestRefusedError
from vertex_jobs.study import Trial

_NOT_FOUND = 404

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.outputs import OutputFile


def print_training(
    where: EndpointOptions,
    handle: "JobHandle",
    trial: Trial,
    *,
    study_config: Path | None,
    go_on: bool,
) -> None:
    """Print a config that ``run`` takes: this trial as a training job of its own.

    Without the study's own config the job runs the package of the trials; with ``go_on`` it starts
    from the trial's model.
    """
    from vertex_jobs import jobs, requests, spec
    from vertex_jobs.study.retraining import training_config

    config: dict[str, Any]
    if study_config is None:
        config = requests.read_job(handle.last_seen.resource)
    else:
        config = spec.to_mapping(jobs.load(study_config))
    made = training_config(config, trial, trial.model_dir if go_on else None)
    if study_config is None and handle.package_uri:
        say(f"note: it runs the package of the study, {handle.package_uri};")
        say("      to train the script as it is now, or elsewhere, add --config and its config")
    if go_on:
        say(f"note: the script finds the model to go on from, {trial.model_dir}, as")
        say("      environment.current().initial_model_dir, or in VERTEX_JOBS_INITIAL_MODEL_DIR")
    print_result(f"# Trial {trial.id} of {handle.name}")
    print_result(as_yaml(made))
    say(f"next: save it as a file, e.g. retrain.yaml, and {command(where, 'run')} retrain.yaml")


def register_model(
    serving_image: str | None, endpoint: "Endpoint", handle: "JobHandle", trial: Trial
) -> str:
    """Register the trial's model, and return its name in the registry.

    Raises:
        RequestRefusedError: If the trial wrote no model.
    """
    files = model_files(endpoint, trial)
    names = {file.uri.path.rpartition("/")[2] for file in files}
    if serving_image is None and "saved_model.pb" not in names:
        warn(
            f"{trial.model_dir} holds no SavedModel, which the prebuilt serving image needs; "
            "let the script call model.export, or name another image with --serving-image"
        )
    image = {"serving_image": serving_image} if serving_image else {}
    model = handle.register(trial, **image)
    say(f"trial {trial.id} is registered as {model.get('displayName')}")
    return f"model: {model['name']}"


def download_model(endpoint: "Endpoint", trial: Trial, directory: Path) -> None:
    """Copy a trial's model directory, with a line of progress where somebody looks.

    Raises:
        RequestRefusedError: If the trial wrote nothing there.
        InvalidJobError: If the files cannot be written.
    """
    model_files(endpoint, trial)

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            text = f"\rdownloading {done / 1e6:.1f} of {total / 1e6:.1f} MB"
            print(text, end=end, file=sys.stderr, flush=True)

    try:
        files = endpoint.outputs().download(str(trial.model_dir), directory, progress)
    except OSError as error:
        rule = f"cannot be written: {error.strerror or error}"
        raise option_error("--download", str(directory), rule, "name another directory") from error
    say(f"{len(files)} files of {trial.model_dir}")


def wrote_model(endpoint: "Endpoint", trial: Trial) -> bool:
    """Return whether a trial's model directory holds anything; true where that cannot be asked."""
    try:
        return bool(model_files(endpoint, trial))
    except EndpointError as error:
        return getattr(error, "code", None) != _NOT_FOUND


def model_files(endpoint: "Endpoint", trial: Trial) -> "tuple[OutputFile, ...]":
    """Return what a trial wrote to its model directory.

    Raises:
        RequestRefusedError: If that is nothing, or the trial has no such directory.
    """
    reason = "has no model directory: the job has no base output directory; give the next one a "
    reason += "base_output_dir"
    if trial.model_dir is not None:
        if files := endpoint.outputs().list_files(trial.model_dir):
            return files
        reason = f"left no model: {trial.model_dir} is empty; a script saves its model to "
        reason += "AIP_MODEL_DIR"
    raise RequestRefusedError(f"trial {trial.id} {reason}", code=_NOT_FOUND, status="NOT_FOUND")
