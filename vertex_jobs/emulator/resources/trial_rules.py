"""The rules of Vizier's trials: which are refused, how they end, which are optimal.

Source: Trial, StudySpec.ParameterSpec protos; VizierService, ListOptimalTrials.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.study_rules import (
    assignment_of,
    maximized,
    objectives_of,
    space_of,
)
from vertex_jobs.emulator.resources.trial_measurements import measurement_faults, set_elapsed
from vertex_jobs.emulator.resources.validation import refuse_faults
from vertex_jobs.search import Parameter

Faults = list[tuple[str, str]]

_PARAMETERS = "trial.parameters"


def check_trial(study_spec: protos.Message, trial: protos.Message) -> None:
    """Refuse a client's own trial whose parameters or measurements are not of the study.

    Raises:
        ApiError: INVALID_ARGUMENT, with every fault.
    """
    counts = Counter(one.parameter_id for one in trial.parameters)
    faults: Faults = [
        (_PARAMETERS, f"{name!r} is given {count} times; a trial has one value of it: keep one.")
        for name, count in counts.items()
        if count > 1
    ]
    odd = [
        (one.parameter_id, one.value.WhichOneof("kind"))
        for one in trial.parameters
        if one.value.WhichOneof("kind") not in ("number_value", "string_value")
    ]
    faults += [
        (_PARAMETERS, f"{name!r} has {kind or 'no value'}: give a number or a text.")
        for name, kind in odd
    ]
    if not odd:
        faults += assignment_faults(study_spec, assignment_of(study_spec, trial))
    for number, one in enumerate(trial.measurements):
        path = f"trial.measurements[{number}]"
        faults += measurement_faults(study_spec, one, path, final=False)
    if trial.HasField("final_measurement"):
        path = "trial.final_measurement"
        faults += measurement_faults(study_spec, trial.final_measurement, path, final=True)
    refuse_faults(faults)


def assignment_faults(study_spec: protos.Message, assignment: Mapping[str, Any]) -> Faults:
    """Return the faults of a trial's parameters: missing, unknown, impossible in the space.

    A parameter that is not active may be given, with a value that it could have.
    """
    parameters = space_of(study_spec).parameters
    forms: dict[str, Parameter] = {}
    active: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.is_active(active):
            forms[parameter.id] = parameter
            if parameter.id in assignment:
                active[parameter.id] = assignment[parameter.id]
    texts = [
        f"{name!r} is missing: give {_possible(form)}."
        for name, form in forms.items()
        if name not in assignment
    ]
    for name, value in assignment.items():
        own = [forms[name]] if name in forms else [one for one in parameters if one.id == name]
        if not own:
            known = ", ".join(dict.fromkeys(one.id for one in parameters))
            texts.append(f"{name!r} is not in the study, which has {known}: leave it out.")
        elif not any(form.holds(value) for form in own):
            wanted = " or ".join(map(_possible, own))
            texts.append(f"{value!r} is not a possible value of {name!r}: give {wanted}.")
    return [(_PARAMETERS, text) for text in texts]


def _possible(parameter: Parameter) -> str:
    if parameter.values:
        return f"one of {', '.join(map(str, parameter.values))}"
    kind = "whole number" if parameter.kind == "integer" else "number"
    return f"a {kind} from {parameter.low} to {parameter.high}"


def default_values(study_spec: protos.Message) -> dict[str, Any]:
    """Return the starting values that the parameters offer; those of the first level alone.

    Of a DISCRETE parameter the nearest value. Source: StudySpec.ParameterSpec.DiscreteValueSpec.
    """
    found: dict[str, Any] = {}
    for parameter in study_spec.parameters:
        value_spec = getattr(parameter, parameter.WhichOneof("parameter_value_spec"))
        if value_spec.HasField("default_value"):
            default = value_spec.default_value
            if parameter.HasField("discrete_value_spec"):
                default = min(value_spec.values, key=lambda value: abs(value - default))
            found[parameter.parameter_id] = default
    return found


def end_trial(
    study_spec: protos.Message,
    trial: protos.Message,
    final: protos.Message | None,
    now: timestamp_pb2.Timestamp,
) -> None:
    """Set the final measurement and what goes with it; without one the trial is infeasible."""
    if final is None:
        names = ", ".join(metric.metric_id for metric in study_spec.metrics)
        trial.state = protos.TrialState.INFEASIBLE
        trial.infeasible_reason = f"No measurement of the trial has a finite value of {names}."
    else:
        trial.state = protos.TrialState.SUCCEEDED
        trial.final_measurement.CopyFrom(final)
        if not trial.final_measurement.elapsed_duration.ByteSize():
            set_elapsed(trial, trial.final_measurement, now)
    trial.end_time.CopyFrom(now)


def optimal_trials(
    study_spec: protos.Message, trials: Sequence[protos.Message]
) -> list[protos.Message]:
    """Return the trials that no other one beats in a metric without losing in another."""
    signs = [1.0 if more else -1.0 for more in maximized(study_spec)]
    scores: list[tuple[protos.Message, list[float]]] = []
    for trial in trials:
        values = objectives_of(study_spec, trial)
        if values is not None:
            signed = [sign * value for sign, value in zip(signs, values, strict=True)]
            scores.append((trial, signed))
    return [
        trial for trial, own in scores if not any(_dominates(other, own) for _, other in scores)
    ]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(left >= right for left, right in pairs) and any(
        left > right for left, right in pairs
    )
