"""The rules of Vizier's trials: valid parameters, their ends, the optimal ones.

Source: Trial, StudySpec.ParameterSpec protos; VizierService, ListOptimalTrials.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.search_space import maximized, search_space
from vertex_jobs.emulator.status import ApiError

__all__ = [
    "check_parameters",
    "default_values",
    "end_trial",
    "optimal_trials",
    "set_elapsed",
]


def check_parameters(study_spec: protos.Message, assignment: Mapping[str, Any]) -> None:
    """Refuse parameters that the study does not have, or values outside of its space.

    Raises:
        ApiError: INVALID_ARGUMENT, naming the parameter.
    """
    space = {form["id"]: form for form in search_space(study_spec)}
    for name, value in assignment.items():
        if name not in space:
            raise ApiError("INVALID_ARGUMENT", f"trial.parameters: {name!r} is not in the study.")
        if not _contains(space[name], value):
            raise ApiError(
                "INVALID_ARGUMENT",
                f"trial.parameters: {value!r} is not a possible value of {name!r}.",
            )
    for name, form in space.items():
        parent = form.get("parent")
        active = parent is None or assignment.get(parent) in form["parent_values"]
        if active and name not in assignment:
            raise ApiError("INVALID_ARGUMENT", f"trial.parameters: {name!r} is missing.")


def _contains(form: Mapping[str, Any], value: Any) -> bool:
    if "values" in form:
        return value in form["values"]
    return isinstance(value, (int, float)) and bool(form["low"] <= value <= form["high"])


def default_values(study_spec: protos.Message) -> dict[str, Any]:
    """The starting values that the parameters offer; those of the first level alone."""
    found: dict[str, Any] = {}
    for parameter in study_spec.parameters:
        value_spec = getattr(parameter, parameter.WhichOneof("parameter_value_spec"))
        if value_spec.HasField("default_value"):
            found[parameter.parameter_id] = value_spec.default_value
    return found


def set_elapsed(
    trial: protos.Message, measurement: protos.Message, now: timestamp_pb2.Timestamp
) -> None:
    """Let a measurement be taken now."""
    elapsed = now.ToNanoseconds() - trial.start_time.ToNanoseconds()
    measurement.elapsed_duration.FromNanoseconds(max(elapsed, 0))


def end_trial(
    study_spec: protos.Message,
    trial: protos.Message,
    final: protos.Message | None,
    now: timestamp_pb2.Timestamp,
) -> None:
    """Set the final measurement and what goes with it; without one the trial is infeasible.

    Raises:
        ApiError: INVALID_ARGUMENT, if the measurement lacks one of the study's metrics.
    """
    trial.state = protos.TrialState.INFEASIBLE if final is None else protos.TrialState.SUCCEEDED
    if final is not None:
        wanted = {metric.metric_id for metric in study_spec.metrics}
        missing = sorted(wanted - {one.metric_id for one in final.metrics})
        if missing:
            raise ApiError(
                "INVALID_ARGUMENT",
                f"final_measurement: {', '.join(missing)} of the study's metrics is missing.",
            )
        trial.final_measurement.CopyFrom(final)
        if not trial.final_measurement.elapsed_duration.ByteSize():
            set_elapsed(trial, trial.final_measurement, now)
    trial.end_time.CopyFrom(now)


def optimal_trials(
    study_spec: protos.Message, trials: Sequence[protos.Message]
) -> list[protos.Message]:
    """The succeeded trials that no other one beats in a metric without losing in another."""
    signs = [1.0 if more else -1.0 for more in maximized(study_spec)]
    scores: list[tuple[protos.Message, list[float]]] = []
    for trial in trials:
        if trial.state == protos.TrialState.SUCCEEDED:
            values = {one.metric_id: one.value for one in trial.final_measurement.metrics}
            scores.append(
                (
                    trial,
                    [
                        sign * values[metric.metric_id]
                        for sign, metric in zip(signs, study_spec.metrics, strict=True)
                    ],
                )
            )
    return [
        trial for trial, own in scores if not any(_dominates(other, own) for _, other in scores)
    ]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(left >= right for left, right in pairs) and any(
        left > right for left, right in pairs
    )
