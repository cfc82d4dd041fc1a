"""The four kinds of tuned parameter.

For ``HyperparameterTuningJob``. Field names and defaults are those of the SDK's parameter specs,
save that a condition is written at the child (``when``) and not at the parent.

Source: StudySpec.ParameterSpec.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Le
from pydantic import BeforeValidator, Field, StringConstraints

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Items, Number, Text, Value, Whole, fault_error
from vertex_jobs.spec.inspection import Rule

Scale = Literal["linear", "log", "reverse_log"]

_MOST_VALUES = catalog.load().limits.discrete_values_max
#: Discrete values nearer than this count as the same. Source: StudySpec.ParameterSpec.
EPSILON = 1e-10
#: Whole numbers that a double holds exactly: trials come back with JSON numbers.
Bound = Annotated[Whole, Ge(-(2**53)), Le(2**53)]


def _read_category(value: object) -> object:
    if isinstance(value, bool):
        text = str(value).lower()
        raise fault_error(
            "CATEGORICAL values are text, there is no boolean type",
            f'write it in quotes: "{text}"',
        )
    if isinstance(value, (int, float)):
        raise fault_error(
            "CATEGORICAL values are text", f'write it in quotes: "{value}", or use type: discrete'
        )
    return value


Category = Annotated[
    str, StringConstraints(min_length=1, strict=True), BeforeValidator(_read_category)
]
When = Mapping[Text, Items[Value]] | None


def _range_is_ordered(min: float, max: float) -> Iterator[Fault]:  # noqa: A002 - the field's name
    if min > max:
        yield Fault("min", min, f"must not be greater than max = {max:g}", "swap min and max")


def _log_needs_positive_range(min: float, scale: Scale | None) -> Iterator[Fault]:  # noqa: A002
    if scale in ("log", "reverse_log") and min <= 0:
        yield Fault(
            "min",
            min,
            f"scale {scale} needs a range above 0",
            "raise min above 0, for example to 1e-6, or use scale: linear",
        )


def _log_needs_positive_values(values: tuple[float, ...], scale: Scale | None) -> Iterator[Fault]:
    if scale in ("log", "reverse_log") and values and min(values) <= 0:
        yield Fault(
            "values",
            min(values),
            f"scale {scale} needs values above 0",
            "remove the values up to 0 or use scale: linear",
        )


def _values_increase(values: tuple[float, ...]) -> Iterator[Fault]:
    for number, (lower, upper) in enumerate(itertools.pairwise(values), start=1):
        path = f"values.{number}"
        if abs(upper - lower) < EPSILON:
            yield Fault(path, upper, "DISCRETE values are at least 1e-10 apart", "remove one")
        elif upper < lower:
            ordered = ", ".join(f"{value:g}" for value in sorted(set(values)))
            yield Fault(path, upper, "DISCRETE values increase", f"write [{ordered}]")
            return


def _categories_differ(values: tuple[str, ...]) -> Iterator[Fault]:
    for number, value in enumerate(values):
        if value in values[:number]:
            yield Fault(f"values.{number}", value, "stands twice in the list", "remove one")


class DoubleParameterSpec(Spec):
    """A real number in an inclusive range."""

    rules: ClassVar[tuple[Rule, ...]] = (_range_is_ordered, _log_needs_positive_range)

    type: Literal["double"] = "double"
    min: Number
    """Smallest value, inclusive."""
    max: Number
    """Largest value, inclusive."""
    scale: Scale | None = None
    """How the search measures distance; log and reverse_log need a range above 0."""
    when: When = None
    """The parent parameter and its values for which this one is active."""


class IntegerParameterSpec(Spec):
    """A whole number in an inclusive range."""

    rules: ClassVar[tuple[Rule, ...]] = (_range_is_ordered, _log_needs_positive_range)

    type: Literal["integer"] = "integer"
    min: Bound
    """Smallest value, inclusive."""
    max: Bound
    """Largest value, inclusive."""
    scale: Scale | None = None
    """How the search measures distance; log and reverse_log need a range above 0."""
    when: When = None
    """The parent parameter and its values for which this one is active."""


class DiscreteParameterSpec(Spec):
    """One of some numbers."""

    rules: ClassVar[tuple[Rule, ...]] = (_values_increase, _log_needs_positive_values)

    type: Literal["discrete"] = "discrete"
    values: Annotated[Items[Number], Field(min_length=1, max_length=_MOST_VALUES)]
    """The numbers, increasing, at least 1e-10 apart."""
    scale: Scale | None = None
    """How the search measures distance; log and reverse_log need values above 0."""
    when: When = None
    """The parent parameter and its values for which this one is active."""


class CategoricalParameterSpec(Spec):
    """One of some texts."""

    rules: ClassVar[tuple[Rule, ...]] = (_categories_differ,)

    type: Literal["categorical"] = "categorical"
    values: Annotated[Items[Category], Field(min_length=1)]
    """The texts, each once."""
    when: When = None
    """The parent parameter and its values for which this one is active."""


ParameterSpec = Annotated[
    DoubleParameterSpec | IntegerParameterSpec | DiscreteParameterSpec | CategoricalParameterSpec,
    Field(discriminator="type"),
]
