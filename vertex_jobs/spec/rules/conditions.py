"""Rules on conditional parameters: the parent exists, can have children, and takes the values.

For the table in ``metrics_and_parameters``.

Source: StudySpec.ParameterSpec.ConditionalParameterSpec.
"""

from collections.abc import Iterator, Mapping

from vertex_jobs.errors import Fault
from vertex_jobs.spec.parameters import (
    EPSILON,
    CategoricalParameterSpec,
    DiscreteParameterSpec,
    DoubleParameterSpec,
    IntegerParameterSpec,
    ParameterSpec,
)
from vertex_jobs.spec.spelling import suggestion

_Parameters = Mapping[str, ParameterSpec]


def admits(parameter: ParameterSpec, value: object) -> bool:
    """Return whether the parameter can take the value."""
    if isinstance(parameter, CategoricalParameterSpec):
        return value in parameter.values
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if isinstance(parameter, DiscreteParameterSpec):
        return any(abs(value - allowed) < EPSILON for allowed in parameter.values)
    if isinstance(parameter, IntegerParameterSpec) and not float(value).is_integer():
        return False
    return parameter.min <= value <= parameter.max


def domain(parameter: ParameterSpec) -> str:
    """Return the values that the parameter can take, as a clause."""
    if isinstance(parameter, (DoubleParameterSpec, IntegerParameterSpec)):
        return f"{parameter.min:g} to {parameter.max:g}"
    return f"one of {', '.join(map(_shown, parameter.values))}"


def _shown(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else value


def _one_parent(parameter_spec: _Parameters) -> Iterator[Fault]:
    for name, parameter in parameter_spec.items():
        if parameter.when is not None and len(parameter.when) != 1:
            yield Fault(
                f"parameter_spec.{name}.when",
                dict(parameter.when),
                "names exactly one parent",
                "name the nearest parent; its own condition covers the others",
            )


def _parent_values(parameter_spec: _Parameters) -> Iterator[Fault]:
    """Check the conditions whose parent could be read."""
    for name, parameter in parameter_spec.items():
        for parent_id, values in (parameter.when or {}).items():
            parent = parameter_spec.get(parent_id)
            path = f"parameter_spec.{name}.when.{parent_id}"
            if isinstance(parent, DoubleParameterSpec):
                rule = "a DOUBLE parameter has no children"
                remedy = f"make {parent_id} integer, discrete or categorical"
                yield Fault(path, list(values), rule, remedy)
                continue
            if not values:
                yield Fault(path, [], "must not be empty", "name the parent's values")
            for number, value in enumerate(values):
                if parent is not None and not admits(parent, value):
                    rule = f"{parent_id} takes {domain(parent)}"
                    yield Fault(f"{path}.{number}", value, rule, "correct the value")
                elif value in values[:number]:
                    yield Fault(f"{path}.{number}", value, "stands twice", "remove one")


def _parents_exist(parameter_spec: _Parameters) -> Iterator[Fault]:
    for name, parameter in parameter_spec.items():
        for parent_id in parameter.when or {}:
            if parent_id not in parameter_spec:
                remedy = suggestion(parent_id, parameter_spec, "add the parent, or remove when")
                path = f"parameter_spec.{name}.when.{parent_id}"
                yield Fault(path, parent_id, "is no parameter of this study", remedy)


def _no_circles(parameter_spec: _Parameters) -> Iterator[Fault]:
    for name in parameter_spec:
        seen = [name]
        while (parent := _parent_of(parameter_spec, seen[-1])) is not None and parent not in seen:
            seen.append(parent)
        if parent == name:
            circle = " under ".join([*seen, name])
            yield Fault(
                f"parameter_spec.{name}.when", parent, f"goes in a circle: {circle}", "break it"
            )


def _parent_of(parameter_spec: _Parameters, name: str) -> str | None:
    parameter = parameter_spec.get(name)
    return next(iter(parameter.when or {}), None) if parameter is not None else None


CONDITION_RULES = (_one_parent, _parent_values)
WHOLE_CONDITION_RULES = (_parents_exist, _no_circles)
