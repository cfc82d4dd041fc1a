"""A study's parameters and trials in the search's own form, read from the API's JSON.

For the search's model of a study. The JSON may hold enums by name or by number.

Source: StudySpec.ParameterSpec proto.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vertex_jobs.search import Completed, Parameter, Space
from vertex_jobs.study.trial_records import Objective, Trial

__all__ = ["read_completed", "read_space"]

_KINDS: dict[str, Any] = {
    "doubleValueSpec": "double",
    "integerValueSpec": "integer",
    "discreteValueSpec": "discrete",
    "categoricalValueSpec": "categorical",
}
_SCALES: dict[Any, Any] = {
    "UNIT_LOG_SCALE": "log",
    2: "log",
    "UNIT_REVERSE_LOG_SCALE": "reverse_log",
    3: "reverse_log",
}
_CONDITIONS = ("parentDiscreteValues", "parentIntValues", "parentCategoricalValues")


def read_space(spec: Mapping[str, Any]) -> Space:
    """Return the space of a StudySpec, parents before children.

    Raises:
        ValueError: If a range is not possible.
    """
    roots = spec.get("parameters", ())
    return Space(tuple(one for root in roots for one in _with_children(root, None, ())))


def read_completed(trials: Sequence[Trial], objectives: Sequence[Objective]) -> list[Completed]:
    """Return the trials that have ended, numbered by their places from 1."""
    return [
        Completed(place, trial.parameters, _values(trial, objectives))
        for place, trial in enumerate(trials, start=1)
        if trial.finished
    ]


def _values(trial: Trial, objectives: Sequence[Objective]) -> tuple[float, ...] | None:
    names = [objective.metric_id for objective in objectives]
    if trial.state != "SUCCEEDED" or any(name not in trial.metrics for name in names):
        return None
    return tuple(trial.metrics[name] for name in names)


def _with_children(
    spec: Mapping[str, Any], parent: Parameter | None, parent_values: Sequence[Any]
) -> Iterator[Parameter]:
    field = next((name for name in _KINDS if name in spec), "")
    values = spec.get(field, {})
    kind = _KINDS.get(field, "")
    convert: Any = int if kind == "integer" else float
    parameter = Parameter(
        id=str(spec.get("parameterId", "")),
        kind=kind,
        low=convert(values.get("minValue", 0)),
        high=convert(values.get("maxValue", 0)),
        values=tuple(values.get("values", ())),
        scale="linear" if kind == "categorical" else _SCALES.get(spec.get("scaleType"), "linear"),
        parent=parent.id if parent else None,
        parent_values=tuple(parent_values),
    )
    yield parameter
    for conditional in spec.get("conditionalParameterSpecs", ()):
        condition: Mapping[str, Any] = next(
            (conditional[name] for name in _CONDITIONS if name in conditional), {}
        )
        listed = condition.get("values", ())
        # 64-bit integers are texts in the API's JSON.
        own = [value if kind == "categorical" else float(value) for value in listed]
        yield from _with_children(conditional.get("parameterSpec", {}), parameter, own)
