"""A study's parameters as the search knows them, in plain JSON values.

Source: StudySpec.ParameterSpec proto.
"""

from collections.abc import Iterator
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.search import Parameter, Space

__all__ = ["algorithm_name", "maximized", "search_space", "space_of"]

_SCALES = {0: "linear", 1: "linear", 2: "log", 3: "reverse_log"}
_ALGORITHMS = {0: "gaussian_process", 2: "grid", 3: "random"}
_MINIMIZE = 2


def search_space(study_spec: protos.Message) -> list[dict[str, Any]]:
    """Every parameter, parents before children."""
    return [form for spec in study_spec.parameters for form in _with_children(spec, {})]


def space_of(study_spec: protos.Message) -> Space:
    """The space that the search will make of those parameters.

    Raises:
        ValueError: The search cannot have it.
    """
    return Space(tuple(Parameter(**form) for form in search_space(study_spec)))


def algorithm_name(study_spec: protos.Message) -> str:
    """The search that the study asks for; unspecified is the service's default."""
    return _ALGORITHMS[study_spec.algorithm]


def maximized(study_spec: protos.Message) -> list[bool]:
    """For each metric, whether more is better; an unspecified goal is MAXIMIZE."""
    return [metric.goal != _MINIMIZE for metric in study_spec.metrics]


def _with_children(spec: protos.Message, condition: dict[str, Any]) -> Iterator[dict[str, Any]]:
    field = spec.WhichOneof("parameter_value_spec")
    value_spec = getattr(spec, field)
    form: dict[str, Any] = {
        "id": spec.parameter_id,
        "kind": field.removesuffix("_value_spec"),
        **condition,
    }
    if field in ("double_value_spec", "integer_value_spec"):
        form |= {"low": value_spec.min_value, "high": value_spec.max_value}
    else:
        form["values"] = tuple(value_spec.values)
    if field != "categorical_value_spec":
        form["scale"] = _SCALES[spec.scale_type]
    yield form
    for conditional in spec.conditional_parameter_specs:
        parent_values = getattr(conditional, conditional.WhichOneof("parent_value_condition"))
        child = {"parent": spec.parameter_id, "parent_values": tuple(parent_values.values)}
        yield from _with_children(conditional.parameter_spec, child)
