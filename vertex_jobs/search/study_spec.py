"""Read a StudySpec in the API's JSON into what a search needs: its space, its algorithm, its goals.

For the search process, for the checks before a study is kept, and for the search's model of a
study. The JSON may hold enums by name or by number, 64-bit integers as text, and leaves defaults
out.

Source: StudySpec proto.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vertex_jobs.search.protocol import AlgorithmName
from vertex_jobs.search.space import Parameter, Space

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
_ALGORITHMS: dict[Any, AlgorithmName] = {
    "GRID_SEARCH": "grid",
    2: "grid",
    "RANDOM_SEARCH": "random",
    3: "random",
}
_CONDITIONS = ("parentDiscreteValues", "parentIntValues", "parentCategoricalValues")


def read_space(study_spec: Mapping[str, Any]) -> Space:
    """Return the space of a StudySpec, parents before children.

    Raises:
        ValueError: If a parameter is not possible.
    """
    roots = study_spec.get("parameters", ())
    return Space(tuple(one for root in roots for one in _with_children(root, None, ())))


def read_algorithm(study_spec: Mapping[str, Any]) -> AlgorithmName:
    """Return the name of the search that the study asks for; unspecified is the default."""
    return _ALGORITHMS.get(study_spec.get("algorithm"), "gaussian_process")


def is_maximized(metric_spec: Mapping[str, Any]) -> bool:
    """Return whether more of the metric is better; an unspecified goal is MAXIMIZE."""
    return metric_spec.get("goal") not in ("MINIMIZE", 2)


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
        values=_values(kind, values),
        scale="linear" if kind == "categorical" else _SCALES.get(spec.get("scaleType"), "linear"),
        parent=parent.id if parent else None,
        parent_values=tuple(parent_values),
    )
    yield parameter
    for conditional in spec.get("conditionalParameterSpecs", ()):
        condition: Mapping[str, Any] = next(
            (conditional[name] for name in _CONDITIONS if name in conditional), {}
        )
        child = conditional.get("parameterSpec", {})
        yield from _with_children(child, parameter, _values(kind, condition))


def _values(kind: str, listed: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return texts as they are, numbers as such: NaN and 64-bit integers are texts in JSON."""
    values = listed.get("values", ())
    return tuple(value if kind == "categorical" else float(value) for value in values)
