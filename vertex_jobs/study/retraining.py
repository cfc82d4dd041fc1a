"""A training job with one trial's arguments, made from the study's job.

For ``best --retrain`` and ``--continue``. A config goes in and a config comes out; nothing is sent.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.runtime.environment import INITIAL_MODEL_VARIABLE
from vertex_jobs.spec.argument_forms import parameter_text
from vertex_jobs.study.trial_records import ParameterValue, Trial

#: Keys of a tuning job that a training job does not have, and the directory of the study's outputs.
_STUDY_KEYS = frozenset(
    {
        "metric_spec",
        "parameter_spec",
        "search_algorithm",
        "measurement_selection",
        "automated_stopping_spec",
        "study_stopping_config",
        "max_trial_count",
        "parallel_trial_count",
        "max_failed_trial_count",
        "base_output_dir",
    }
)
_LOCAL_STUDY_KEYS = frozenset({"seed", "initial_trials", "warm_start", "faults"})


def training_config(
    study_config: Mapping[str, Any], trial: Trial, initial_model_dir: str | None = None
) -> dict[str, Any]:
    """Return the keys of a custom job's config, from the tuning job's.

    The trial's parameters follow the arguments that all trials had. The script finds the directory
    of the model to continue from in ``VERTEX_JOBS_INITIAL_MODEL_DIR``.
    """
    kept = {key: value for key, value in study_config.items() if key not in _STUDY_KEYS}
    suffix = f"-trial-{trial.id}"
    longest = catalog.load().limits.display_name_max_chars
    name = str(kept.get("display_name", "study"))[: longest - len(suffix)]
    config = kept | {"kind": "custom_job", "display_name": f"{name}{suffix}"}
    local = {key: one for key, one in kept.get("local", {}).items() if key not in _LOCAL_STUDY_KEYS}
    config.pop("local", None)
    if local:
        config["local"] = local
    variables = {INITIAL_MODEL_VARIABLE: initial_model_dir} if initial_model_dir else {}
    if "worker_pools" in config:
        config["worker_pools"] = {
            role: _with_trial(pool, trial, variables)
            for role, pool in config["worker_pools"].items()
        }
        return config
    return _with_trial(config, trial, variables)


def _with_trial(
    program: Mapping[str, Any], trial: Trial, variables: Mapping[str, str]
) -> dict[str, Any]:
    """Return a job or a pool with the trial's arguments after its own."""
    changed = {**program, "args": _joined(program.get("args", {}), trial.parameters)}
    if variables:
        changed["environment_variables"] = {
            **program.get("environment_variables", {}),
            **variables,
        }
    return changed


def _joined(
    own: Mapping[str, Any] | Sequence[Any], parameters: Mapping[str, ParameterValue]
) -> dict[str, Any] | list[Any]:
    if isinstance(own, Mapping):
        return {**own, **{key: _plain(value) for key, value in parameters.items()}}
    return [*own, *(f"--{key}={parameter_text(value)}" for key, value in parameters.items())]


def _plain(value: ParameterValue) -> ParameterValue:
    """Return the value that gives the argument which the trial itself received."""
    text = parameter_text(value)
    return int(text) if isinstance(value, float) and text != repr(value) else value
