"""What the service refuses in a study: metrics, parameters, conditions and counts.

For tuning jobs and for Vizier's studies; all faults in one answer. Source: StudySpec proto.
"""

import itertools
import re
from typing import Any

from vertex_jobs.emulator import protos

__all__ = ["check_study", "check_study_spec"]

Faults = list[tuple[str, str]]

_DOUBLE, _INTEGER, _DISCRETE = "double_value_spec", "integer_value_spec", "discrete_value_spec"
_LOG_SCALES = (2, 3)  # UNIT_LOG_SCALE, UNIT_REVERSE_LOG_SCALE
_GRID_SEARCH = 2
#: Values of a discrete parent match within this. Source: ConditionalParameterSpec proto.
_TOLERANCE = 1e-10


def check_study(job: protos.Message) -> Faults:
    """Counts and study of a tuning job."""
    faults: Faults = []
    if job.max_trial_count < 1:
        faults.append(("max_trial_count", "max_trial_count must be at least 1."))
    if job.parallel_trial_count < 1:
        faults.append(("parallel_trial_count", "parallel_trial_count must be at least 1."))
    if job.max_failed_trial_count > job.max_trial_count:
        faults.append(("max_failed_trial_count", "It must not exceed max_trial_count."))
    return faults + check_study_spec(job.study_spec, "study_spec")


def check_study_spec(study: protos.Message, path: str) -> Faults:
    """Metrics and parameters of a study."""
    faults: Faults = []
    if not study.metrics:
        faults.append((f"{path}.metrics", "At least one metric is required."))
    if not study.parameters:
        faults.append((f"{path}.parameters", "At least one parameter is required."))
    for field, items, key in (
        ("metrics", study.metrics, "metric_id"),
        ("parameters", study.parameters, "parameter_id"),
    ):
        ids = [getattr(item, key) for item in items]
        faults += [
            (f"{path}.{field}", f"{name!r}: ids have no white space and are not empty.")
            for name in ids
            if not name or re.search(r"\s", name)
        ]
        if len(set(ids)) != len(ids):
            faults.append((f"{path}.{field}", "Ids must be unique."))
    for parameter in study.parameters:
        faults += _check_parameter(parameter, study.algorithm, path)
    return faults


def _check_parameter(parameter: protos.Message, algorithm: int, above: str) -> Faults:
    path = f"{above}.parameters[{parameter.parameter_id}]"
    kind = parameter.WhichOneof("parameter_value_spec")
    if kind is None:
        return [(path, "One of the value specs must be set.")]
    spec = getattr(parameter, kind)
    faults: Faults = []
    if kind in (_DOUBLE, _INTEGER):
        if spec.min_value > spec.max_value:
            faults.append((path, f"min_value {spec.min_value} exceeds max_value {spec.max_value}."))
        if parameter.scale_type in _LOG_SCALES and spec.min_value <= 0:
            faults.append((path, "A logarithmic scale needs a strictly positive range."))
    elif kind == _DISCRETE:
        values = list(spec.values)
        if not 1 <= len(values) <= 1000 or any(
            later - value < 1e-10 for value, later in itertools.pairwise(values)
        ):
            faults.append((path, "1 to 1000 values in increasing order, at least 1e-10 apart."))
    elif not spec.values:
        faults.append((path, "At least one value is required."))
    if kind == _DOUBLE and algorithm == _GRID_SEARCH:
        faults.append((path, "Grid search needs INTEGER, DISCRETE or CATEGORICAL parameters."))
    if kind == _DOUBLE and parameter.conditional_parameter_specs:
        faults.append((path, "A DOUBLE parameter cannot be the parent of a condition."))
        return faults
    for conditional in parameter.conditional_parameter_specs:
        faults += _check_condition(conditional, kind, spec, path)
        faults += _check_parameter(conditional.parameter_spec, algorithm, above)
    return faults + _check_repeated_children(parameter, path)


def _check_condition(conditional: protos.Message, kind: str, parent: Any, path: str) -> Faults:
    """The condition is of the parent's kind and names values that the parent has."""
    child = conditional.parameter_spec.parameter_id
    wanted = {
        _INTEGER: "parent_int_values",
        _DISCRETE: "parent_discrete_values",
    }.get(kind, "parent_categorical_values")
    if conditional.WhichOneof("parent_value_condition") != wanted:
        return [(path, f"The condition of {child!r} must be in {wanted}.")]
    values = list(getattr(conditional, wanted).values)
    if not values:
        return [(path, f"The condition of {child!r} names no value.")]
    if kind == _INTEGER:
        lost = [value for value in values if not parent.min_value <= value <= parent.max_value]
    elif kind == _DISCRETE:
        lost = [
            value
            for value in values
            if not any(abs(value - one) <= _TOLERANCE for one in parent.values)
        ]
    else:
        lost = [value for value in values if value not in parent.values]
    return [(path, f"The condition of {child!r}: {lost[0]!r} is no value.")] if lost else []


def _check_repeated_children(parameter: protos.Message, path: str) -> Faults:
    """Children of one name need disjoint values of the parent."""
    faults: Faults = []
    taken: set[tuple[str, Any]] = set()
    for conditional in parameter.conditional_parameter_specs:
        field = conditional.WhichOneof("parent_value_condition")
        child = conditional.parameter_spec.parameter_id
        for value in getattr(conditional, field).values if field else ():
            if (child, value) in taken:
                faults.append((path, f"{child!r} occurs twice for the value {value!r}."))
            taken.add((child, value))
    return faults
