"""Rules on a study: metrics, parameters, counts, and how they fit together.

For the table in ``rules``. Conditions between parameters are in ``conditions``.

Source: StudySpec; documentation page "Use hyperparameter tuning".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vertex_jobs.errors import Fault
from vertex_jobs.spec.argument_forms import flag_of, tokens
from vertex_jobs.spec.parameters import (
    CategoricalParameterSpec,
    DoubleParameterSpec,
    ParameterSpec,
)
from vertex_jobs.spec.rules.conditions import CONDITION_RULES, WHOLE_CONDITION_RULES
from vertex_jobs.spec.rules.local_settings import INITIAL_TRIAL_RULES
from vertex_jobs.spec.spelling import suggestion
from vertex_jobs.spec.stopping import (
    AutomatedStoppingSpec,
    ConvexStoppingSpec,
    StudyStoppingConfig,
)

_Parameters = Mapping[str, ParameterSpec]


def _each_parameter(parameter_spec: _Parameters) -> Iterator[Fault]:
    """Yield the faults of each parameter by itself, with paths below the parameter."""
    for name, parameter in parameter_spec.items():
        yield from parameter.faults_at(f"parameter_spec.{name}")


def _parameter_ids(parameter_spec: _Parameters) -> Iterator[Fault]:
    for name in parameter_spec:
        if " (under " in name:
            rule = "stands more than once, and a parameter's id is unique in a study"
            yield Fault(f"parameter_spec.{name}", None, rule, "give each parameter its own id")
        elif any(letter.isspace() for letter in name):
            rule = "a parameter's id has no white space"
            remedy = f"write {'_'.join(name.split())}"
            yield Fault(f"parameter_spec.{name}", name, rule, remedy)


def _metric_ids(metric_spec: Mapping[str, str]) -> Iterator[Fault]:
    for name in metric_spec:
        if any(letter.isspace() for letter in name):
            rule = "a metric's id has no white space"
            yield Fault(f"metric_spec.{name}", name, rule, f"write {'_'.join(name.split())}")


def _grid_is_countable(
    search_algorithm: str | None, parameter_spec: _Parameters
) -> Iterator[Fault]:
    if search_algorithm != "grid":
        return
    for name, parameter in parameter_spec.items():
        if isinstance(parameter, DoubleParameterSpec):
            yield Fault(
                f"parameter_spec.{name}.type",
                "double",
                "search_algorithm grid takes no DOUBLE parameter",
                "use type: discrete with the values to try, or another search_algorithm",
            )


def _parallel_within_max(parallel_trial_count: int, max_trial_count: int) -> Iterator[Fault]:
    if parallel_trial_count > max_trial_count:
        yield Fault(
            "parallel_trial_count",
            parallel_trial_count,
            f"must not exceed max_trial_count = {max_trial_count}",
            f"write at most {max_trial_count}",
        )


def _failed_within_max(max_failed_trial_count: int, max_trial_count: int) -> Iterator[Fault]:
    if max_failed_trial_count > max_trial_count:
        yield Fault(
            "max_failed_trial_count",
            max_failed_trial_count,
            f"must not exceed max_trial_count = {max_trial_count}",
            f"write at most {max_trial_count}",
        )


def _tuned_or_fixed(parameter_spec: _Parameters, args: Any) -> Iterator[Fault]:
    tuned = {name.replace("-", "_"): name for name in parameter_spec}
    keys = list(args) if isinstance(args, Mapping) else None
    for number, token in enumerate(tokens(args)):
        name = tuned.get(flag_of(token))
        if name is not None:
            yield Fault(
                f"args.{keys[number] if keys is not None else number}",
                token,
                f"{name} is tuned, so every trial would get it twice",
                f"remove it here or from parameter_spec.{name}",
            )


def _stopping_specs(
    automated_stopping_spec: AutomatedStoppingSpec | None,
    study_stopping_config: StudyStoppingConfig | None,
) -> Iterator[Fault]:
    """Yield the faults of each by itself."""
    if automated_stopping_spec is not None:
        yield from automated_stopping_spec.faults_at("automated_stopping_spec")
    if study_stopping_config is not None:
        yield from study_stopping_config.faults_at("study_stopping_config")


def _stopping_fits(
    automated_stopping_spec: AutomatedStoppingSpec | None,
    parameter_spec: _Parameters,
) -> Iterator[Fault]:
    """Yield the fault of a learning rate that is not tuned or is no number."""
    spec = automated_stopping_spec
    name = spec.learning_rate_parameter_name if isinstance(spec, ConvexStoppingSpec) else None
    if name is None:
        return
    path = "automated_stopping_spec.learning_rate_parameter_name"
    parameter = parameter_spec.get(name)
    if parameter is None:
        remedy = suggestion(name, parameter_spec, "remove it")
        yield Fault(path, name, "is no parameter of this study", remedy)
    elif isinstance(parameter, CategoricalParameterSpec):
        yield Fault(path, name, "is CATEGORICAL, and a learning rate is a number", "remove it")


def _progress_of_one_metric(
    study_stopping_config: StudyStoppingConfig | None, metric_spec: Mapping[str, str]
) -> Iterator[Fault]:
    for field in ("max_num_trials_no_progress", "max_duration_no_progress"):
        value = getattr(study_stopping_config, field, None)
        if value is not None and len(metric_spec) > 1:
            rule = "has an effect with one metric only"
            yield Fault(f"study_stopping_config.{field}", value, rule, "remove it")


STUDY_RULES = (
    _stopping_specs,
    _stopping_fits,
    _progress_of_one_metric,
    _each_parameter,
    _parameter_ids,
    _metric_ids,
    _grid_is_countable,
    _parallel_within_max,
    _failed_within_max,
    _tuned_or_fixed,
    *CONDITION_RULES,
)
WHOLE_STUDY_RULES = (*WHOLE_CONDITION_RULES, *INITIAL_TRIAL_RULES)
