"""Check what the service refuses in one parameter of a study: range, values, scale and default.

For ``study_validation``, which knows how parameters stand to each other.
Source: StudySpec.ParameterSpec proto.
"""

import math
from collections import Counter
from itertools import pairwise

from vertex_jobs import catalog
from vertex_jobs.emulator import protos
from vertex_jobs.search.space import DISCRETE_TOLERANCE

Faults = list[tuple[str, str]]

_DOUBLE, _INTEGER, _DISCRETE = "double_value_spec", "integer_value_spec", "discrete_value_spec"
_LOG_SCALES = {2: "UNIT_LOG_SCALE", 3: "UNIT_REVERSE_LOG_SCALE"}
_GRID_SEARCH = 2
_MOST_VALUES = catalog.load().limits.discrete_values_max


def check_enum(message: protos.Message, field: str, path: str) -> Faults:
    """Return the fault of a number that the API has no name for."""
    number = getattr(message, field)
    known = message.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number
    if number in known:
        return []
    names = ", ".join(value.name for value in known.values())
    return [(path, f"{field} {number} is unknown; use one of {names}.")]


def check_parameter(parameter: protos.Message, algorithm: int, path: str) -> Faults:
    """Return the faults of a parameter without its children."""
    kind = parameter.WhichOneof("parameter_value_spec")
    faults = check_enum(parameter, "scale_type", path)
    if kind is None:
        text = "There is no value spec; set the double, integer, categorical or discrete one."
        return [*faults, (path, text)]
    spec = getattr(parameter, kind)
    if kind in (_DOUBLE, _INTEGER):
        texts = _range_faults(spec)
        smallest = spec.min_value
    elif kind == _DISCRETE:
        texts = _discrete_faults(list(spec.values))
        smallest = min(spec.values, default=math.inf)
    else:
        texts = _category_faults(parameter, list(spec.values))
        smallest = math.inf
    if parameter.scale_type in _LOG_SCALES and smallest <= 0:
        texts.append(
            f"{_LOG_SCALES[parameter.scale_type]} needs strictly positive values, not {smallest}: "
            "raise it, or use UNIT_LINEAR_SCALE."
        )
    if kind == _DOUBLE and algorithm == _GRID_SEARCH:
        texts.append(
            "GRID_SEARCH takes no DOUBLE parameter, only INTEGER, DISCRETE and CATEGORICAL ones: "
            "list its values as DISCRETE, or use RANDOM_SEARCH."
        )
    return faults + [(path, text) for text in texts + _default_faults(kind, spec)]


def _range_faults(spec: protos.Message) -> list[str]:
    low, high = spec.min_value, spec.max_value
    faults = [
        f"{field} {value} is not finite; give a number."
        for field, value in (("min_value", low), ("max_value", high))
        if not math.isfinite(value)
    ]
    if low > high:
        faults.append(f"min_value {low} exceeds max_value {high}; swap them.")
    return faults


def _discrete_faults(values: list[float]) -> list[str]:
    faults = []
    endless = [str(value) for value in values if not math.isfinite(value)]
    if endless:
        faults.append(f"{', '.join(endless)}: values must be finite; give numbers.")
    if not 1 <= len(values) <= _MOST_VALUES:
        faults.append(
            f"There are {len(values)} values; a DISCRETE parameter has 1 to {_MOST_VALUES}: list "
            "as many."
        )
    near = [pair for pair in pairwise(values) if pair[1] - pair[0] < DISCRETE_TOLERANCE]
    if near:
        faults.append(
            f"{near[0][1]} follows {near[0][0]}; values must increase by at least "
            f"{DISCRETE_TOLERANCE}: sort them and drop repeats."
        )
    return faults


def _category_faults(parameter: protos.Message, values: list[str]) -> list[str]:
    faults = [
        f"{value!r} occurs {count} times; categories must be distinct: drop the repeats."
        for value, count in Counter(values).items()
        if count > 1
    ]
    if not values:
        faults.append("There are no values; a CATEGORICAL parameter has at least one: list them.")
    if parameter.scale_type:
        faults.append(
            f"scale_type is {parameter.scale_type}; a CATEGORICAL parameter has no scale: leave it "
            "unset."
        )
    return faults


def _default_faults(kind: str, spec: protos.Message) -> list[str]:
    """Return the faults of a default; the service rounds that of a DISCRETE parameter."""
    if not spec.HasField("default_value"):
        return []
    default = spec.default_value
    if kind == _DISCRETE:
        rule = "" if math.isfinite(default) else "is not finite"
    elif kind in (_DOUBLE, _INTEGER):
        inside = spec.min_value <= default <= spec.max_value
        rule = "" if inside else f"is not within {spec.min_value} to {spec.max_value}"
    else:
        rule = "" if default in spec.values else f"is not one of {', '.join(spec.values)}"
    return [f"default_value {default!r} {rule}: change it or leave it unset."] if rule else []
