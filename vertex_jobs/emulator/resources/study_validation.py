"""The faults of a study that the service refuses: metrics, parameters, conditions and counts.

For tuning jobs and for Vizier's studies; all faults in one answer. The faults of one parameter
are in ``parameter_validation``. Source: StudySpec proto.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.parameter_validation import check_enum, check_parameter
from vertex_jobs.emulator.resources.study_rules import space_of
from vertex_jobs.search.space import same_value

Faults = list[tuple[str, str]]

_CONDITIONS = {
    "double_value_spec": None,
    "integer_value_spec": "parent_int_values",
    "discrete_value_spec": "parent_discrete_values",
    "categorical_value_spec": "parent_categorical_values",
}


class _Place(NamedTuple):
    """A parameter, and the values of its parent with which it is active."""

    spec: protos.Message
    parent: str | None
    parent_values: Sequence[Any]


def check_study(job: protos.Message) -> Faults:
    """Return the faults of a tuning job's counts and study."""
    most, parallel = job.max_trial_count, job.parallel_trial_count
    faults = [
        (field, f"{field} is {count}; it must be at least 1: raise it.")
        for field, count in (("max_trial_count", most), ("parallel_trial_count", parallel))
        if count < 1
    ]
    if job.max_failed_trial_count > most:
        faults.append(
            (
                "max_failed_trial_count",
                f"max_failed_trial_count is {job.max_failed_trial_count}; it must not exceed "
                f"max_trial_count, which is {most}: lower it.",
            )
        )
    return faults + check_study_spec(job.study_spec, "study_spec")


def check_study_spec(study: protos.Message, path: str) -> Faults:
    """Return the faults of a study's metrics, parameters and choices."""
    faults: Faults = []
    for field in ("algorithm", "observation_noise", "measurement_selection_type"):
        faults += check_enum(study, field, f"{path}.{field}")
    if not study.metrics:
        faults.append((f"{path}.metrics", "There is no metric; at least one is required: add it."))
    if not study.parameters:
        faults.append(
            (f"{path}.parameters", "There is no parameter; at least one is required: add it.")
        )
    metric_ids = [metric.metric_id for metric in study.metrics]
    faults += _check_ids(metric_ids, f"{path}.metrics")
    faults += [
        (f"{path}.metrics", f"{name!r} occurs {count} times; ids must be unique: rename or drop.")
        for name, count in Counter(metric_ids).items()
        if count > 1
    ]
    for metric in study.metrics:
        faults += check_enum(metric, "goal", f"{path}.metrics[{metric.metric_id}]")
    faults += _check_parameters(study, path)
    return faults or _check_search(study, path)


def _check_ids(ids: list[str], path: str) -> Faults:
    return [
        (path, f"{name!r}: ids have no white space and are not empty: rename it.")
        for name in ids
        if not name or re.search(r"\s", name)
    ]


def _check_parameters(study: protos.Message, path: str) -> Faults:
    places = [one for root in study.parameters for one in _places(root, None, ())]
    faults = _check_ids([one.spec.parameter_id for one in places], f"{path}.parameters")
    for place in places:
        where = f"{path}.parameters[{place.spec.parameter_id}]"
        faults += check_parameter(place.spec, study.algorithm, where)
        for conditional in place.spec.conditional_parameter_specs:
            faults += _check_condition(conditional, place.spec, where)
    return faults + _check_repeated(places, path)


def _places(
    spec: protos.Message, parent: str | None, parent_values: Sequence[Any]
) -> Iterator[_Place]:
    """Yield a parameter and all below it, each with its parent."""
    yield _Place(spec, parent, parent_values)
    for conditional in spec.conditional_parameter_specs:
        field = conditional.WhichOneof("parent_value_condition")
        values = getattr(conditional, field).values if field else ()
        yield from _places(conditional.parameter_spec, spec.parameter_id, values)


def _check_condition(conditional: protos.Message, parent: protos.Message, path: str) -> Faults:
    """Return faults of a condition of another kind than its parent, or with other values."""
    child = conditional.parameter_spec.parameter_id
    kind = parent.WhichOneof("parameter_value_spec")
    if kind is None:
        return []  # a fault of its own
    wanted = _CONDITIONS[kind]
    if wanted is None:
        return [
            (
                path,
                f"{child!r} depends on a DOUBLE parameter, which cannot be the parent of a "
                "condition: list the parent's values as DISCRETE.",
            )
        ]
    given = conditional.WhichOneof("parent_value_condition")
    if given != wanted:
        return [
            (path, f"The condition of {child!r} is in {given or 'no field'}; put it in {wanted}.")
        ]
    values, own = getattr(conditional, wanted).values, getattr(parent, kind)
    if not values:
        return [(path, f"The condition of {child!r} names no value: name one of the parent's.")]
    if kind == "integer_value_spec":
        lost = [value for value in values if not own.min_value <= value <= own.max_value]
    else:
        lost = [value for value in values if not any(same_value(value, one) for one in own.values)]
    if not lost:
        return []
    named = ", ".join(map(repr, lost))
    return [
        (
            path,
            f"The condition of {child!r} names {named}, which {parent.parameter_id!r} never has: "
            "name values that it has.",
        )
    ]


def _check_repeated(places: Sequence[_Place], path: str) -> Faults:
    """Return faults of ids that stand twice among parameters that may be active together."""
    faults: Faults = []
    by_id: dict[str, list[_Place]] = {}
    for place in places:
        by_id.setdefault(place.spec.parameter_id, []).append(place)
    for name, same in by_id.items():
        if len(same) == 1:
            continue
        where = f"{path}.parameters[{name}]"
        if any(one.parent is None or one.parent != same[0].parent for one in same):
            faults.append(
                (
                    where,
                    f"{name!r} occurs {len(same)} times; ids must be unique, but for children of "
                    "the same parent with other values of it: rename one.",
                )
            )
            continue
        if any(one.spec.conditional_parameter_specs for one in same):
            faults.append(
                (
                    where,
                    f"{name!r} occurs {len(same)} times and has children; the id of a parent must "
                    "be unique: rename one.",
                )
            )
        for one, other in combinations(same, 2):
            faults += [
                (
                    where,
                    f"{name!r} occurs twice for the value {value!r} of {one.parent!r}; children of "
                    "one name need disjoint values of the parent: rename one or name other values.",
                )
                for value in one.parent_values
                if any(same_value(value, taken) for taken in other.parent_values)
            ]
    return faults


def _check_search(study: protos.Message, path: str) -> Faults:
    """Return the faults that the search itself would find later."""
    try:
        space_of(study)
    except ValueError as error:
        return [(f"{path}.parameters", f"{error}.")]
    return []
