"""The rules of a study: goals, arguments and final measurement of a trial, when failures end it.

Source: StudySpec, Trial and Measurement protos; "Create a hyperparameter tuning job". What the
documentation leaves open is a constant here, so that one look at the real service can correct it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.search import Space
from vertex_jobs.search.study_spec import read_space
from vertex_jobs.spec.argument_forms import parameter_text

_FINISHED = (int(protos.TrialState.SUCCEEDED), int(protos.TrialState.INFEASIBLE))
_BEST_MEASUREMENT = 2
_MINIMIZE = 2
#: With no failure limit given, the job also ends when more than half of this many trials or more
#: have failed. The service's own count or ratio is not published.
_FAILURE_SAMPLE = 6


def space_of(study_spec: protos.Message) -> Space:
    """Return the study's parameters as the search sees them; ValueError if it cannot have them."""
    return read_space(protos.to_json(study_spec))


def maximized(study_spec: protos.Message) -> list[bool]:
    """Return for each metric whether more is better; an unspecified goal is MAXIMIZE."""
    return [metric.goal != _MINIMIZE for metric in study_spec.metrics]


def is_finished(trial: protos.Message) -> bool:
    """Return whether a trial has ended and cannot change any more."""
    return trial.state in _FINISHED


def assignment_of(study_spec: protos.Message, trial: protos.Message) -> dict[str, Any]:
    """Return a trial's parameters as the search types them: those of an INTEGER as int."""
    integers = set(_integers(study_spec.parameters))
    values: dict[str, Any] = {}
    for parameter in trial.parameters:
        name, value = parameter.parameter_id, parameter.value
        if value.HasField("string_value"):
            values[name] = value.string_value
        elif name in integers and value.number_value.is_integer():
            values[name] = int(value.number_value)
        else:
            values[name] = value.number_value
    return values


def _integers(specs: Any) -> list[str]:
    names = []
    for spec in specs:
        if spec.HasField("integer_value_spec"):
            names.append(spec.parameter_id)
        names += _integers(one.parameter_spec for one in spec.conditional_parameter_specs)
    return names


def objectives_of(study_spec: protos.Message, trial: protos.Message) -> list[float] | None:
    """Return a trial's final values in the order of the study's metrics.

    None when the trial is infeasible, which one without a finite value of each metric is, too.
    """
    if trial.state != protos.TrialState.SUCCEEDED:
        return None
    values = _finite_values(trial.final_measurement)
    found = [values[one.metric_id] for one in study_spec.metrics if one.metric_id in values]
    return found if len(found) == len(study_spec.metrics) else None


def _finite_values(measurement: protos.Message) -> dict[str, float]:
    return {one.metric_id: one.value for one in measurement.metrics if math.isfinite(one.value)}


def trial_arguments(assignment: Mapping[str, float | int | str]) -> tuple[str, ...]:
    """Return the arguments that a trial adds to its job's own."""
    return tuple(f"--{name}={parameter_text(value)}" for name, value in assignment.items())


def set_trial_directory(job_spec: protos.Message, trial_id: str) -> None:
    """Give a trial a base output directory of its own, below the study's if there is one."""
    base = job_spec.base_output_directory.output_uri_prefix
    if base:
        prefix = f"{base.rstrip('/')}/{trial_id}"
        job_spec.base_output_directory.output_uri_prefix = prefix


def parameter_messages(assignment: Mapping[str, float | int | str]) -> list[protos.Message]:
    """Return a trial's parameters as the API gives them, in alphabetical order."""
    messages = []
    for key in sorted(assignment):
        parameter = protos.Trial.Parameter(parameter_id=key)
        value = assignment[key]
        if isinstance(value, str):
            parameter.value.string_value = value
        else:
            parameter.value.number_value = value
        messages.append(parameter)
    return messages


def measurement(step: int, metrics: Mapping[str, float], elapsed: float) -> protos.Message:
    """Return a measurement: the metrics of one step, ``elapsed`` seconds into the trial."""
    message = protos.Measurement(step_count=step)
    message.elapsed_duration.FromMilliseconds(int(max(elapsed, 0.0) * 1000))
    for name, value in metrics.items():
        message.metrics.add(metric_id=name, value=value)
    return message


def final_measurement(
    study_spec: protos.Message, measurements: Sequence[protos.Message]
) -> protos.Message | None:
    """Return the measurement that counts: the last or the best one with every metric finite.

    Best is by the study's first metric. None when no measurement is complete; the trial is then
    infeasible.
    """
    wanted = {metric.metric_id for metric in study_spec.metrics}
    complete = [one for one in measurements if wanted <= _finite_values(one).keys()]
    if not complete:
        return None
    if study_spec.measurement_selection_type != _BEST_MEASUREMENT:
        return complete[-1]
    first = study_spec.metrics[0].metric_id
    sign = 1.0 if maximized(study_spec)[0] else -1.0

    def score(one: protos.Message) -> float:
        return sign * _finite_values(one)[first]

    return max(complete, key=score)


def failures_end_job(max_failed_trial_count: int, outcomes: Sequence[bool]) -> bool:
    """Return whether the failed trials end the job.

    ``outcomes`` says in order of completion whether each finished trial succeeded. A limit of 0
    leaves it to the service: the first trial to finish must succeed, and later more than half.
    """
    failed = outcomes.count(False)
    if max_failed_trial_count:
        return failed >= max_failed_trial_count
    if outcomes and not outcomes[0]:
        return True
    return len(outcomes) >= _FAILURE_SAMPLE and failed * 2 > len(outcomes)


def reported_names(measurements: Iterable[protos.Message]) -> list[str]:
    """Return the names of all metrics in the measurements, sorted."""
    return sorted({metric.metric_id for one in measurements for metric in one.metrics})
