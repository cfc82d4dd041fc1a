"""The search space of a study: parameters, their ranges, their scales and their conditions.

For every search algorithm and its caller. Its errors address programmers: the job's own validation
has already found the faults of a config.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from vertex_jobs.search.scales import Scale

Value = float | int | str
#: Parameter id to value, of the active parameters only.
Assignment = Mapping[str, Value]

#: Beyond it a double holds only every other integer, and a trial's values are doubles.
#: Source: Trial.Parameter.
LARGEST_INTEGER = 2**53
#: Two discrete values that are nearer than this are one. Source: ParameterSpec.DiscreteValueSpec.
DISCRETE_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Parameter:
    """One parameter of a study.

    Attributes:
        id: As in the study, without white space.
        low: Smallest value, inclusive; double and integer only.
        high: Largest value, inclusive; double and integer only.
        values: The values of a discrete (numbers, increasing) or categorical (texts) parameter.
        scale: The spread of its numbers; a logarithmic scale needs positive numbers.
        parent: Id of the parameter on which this one depends; None when it is always active.
        parent_values: It is active when the parent is active and has one of these values.

    Raises:
        ValueError: The range, values, scale or condition is not possible.

    Source: StudySpec.ParameterSpec.
    """

    id: str
    kind: Literal["double", "integer", "discrete", "categorical"]
    low: float = 0.0
    high: float = 0.0
    values: tuple[Value, ...] = ()
    scale: "Scale" = "linear"
    parent: str | None = None
    parent_values: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if not self.id or self.id.split() != [self.id]:
            raise ValueError(f"parameter id {self.id!r}: must have no white space; rename it")
        if self.kind == "categorical":
            self._check_categories()
        elif self.kind == "discrete":
            self._check_discrete()
        elif self.kind in ("double", "integer"):
            self._check_range()
        else:
            raise self._fault("kind", self.kind, "must be double, integer, discrete or categorical")
        if (self.parent is None) != (not self.parent_values):
            raise self._fault(
                "parent_values", self.parent_values, "goes with parent; give both or neither"
            )

    @property
    def count(self) -> int | None:
        """The number of its values; None for a continuous range."""
        if self.values:
            return len(self.values)
        if self.kind == "integer":
            return int(self.high) - int(self.low) + 1
        return 1 if self.low == self.high else None

    def choices(self) -> Iterator[Value]:
        """Return every value in ascending or listed order.

        Raises:
            ValueError: The range is continuous.
        """
        if self.count is None:
            raise self._fault("kind", self.kind, "a continuous range cannot be listed; discretize")
        if self.values:
            return iter(self.values)
        if self.kind == "integer":
            return iter(range(int(self.low), int(self.high) + 1))
        return iter((float(self.low),))

    def holds(self, value: Value) -> bool:
        """Return whether a value is one of this parameter's."""
        if self.kind == "categorical" or isinstance(value, str):
            return self.kind == "categorical" and value in self.values
        if self.kind == "discrete":
            return _is_any(value, self.values)
        return self.low <= value <= self.high and (self.kind == "double" or value == int(value))

    def is_active(self, assignment: Assignment) -> bool:
        """Return whether this parameter is active, given its parents' values."""
        if self.parent is None:
            return True
        if self.parent not in assignment:
            return False
        value = assignment[self.parent]
        return _is_any(value, self.parent_values)

    def value_in(self, assignment: Assignment) -> Value | None:
        """Return its value in an assignment; None where it is not active."""
        return assignment.get(self.id) if self.is_active(assignment) else None

    def _check_categories(self) -> None:
        if not self.values or len(set(self.values)) != len(self.values):
            raise self._fault("values", self.values, "must be distinct and at least one; list them")
        if not all(isinstance(value, str) for value in self.values):
            raise self._fault("values", self.values, "categories are texts; quote the numbers")
        if self.scale != "linear":
            raise self._fault("scale", self.scale, "categories have no scale; leave it out")

    def _check_discrete(self) -> None:
        numbers = [value for value in self.values if not isinstance(value, str)]
        if not numbers or len(numbers) != len(self.values):
            raise self._fault("values", self.values, "must be numbers, at least one; list them")
        if not all(after - before >= DISCRETE_TOLERANCE for before, after in pairwise(numbers)):
            raise self._fault("values", self.values, "must increase; sort them, drop repeats")
        self._check_scale(numbers[0], numbers[-1])

    def _check_range(self) -> None:
        if not -math.inf < self.low <= self.high < math.inf:
            raise self._fault(
                "range", (self.low, self.high), "low must not exceed high, both finite; swap them"
            )
        if self.kind == "integer" and (self.low != int(self.low) or self.high != int(self.high)):
            raise self._fault("range", (self.low, self.high), "must be whole numbers; round them")
        if self.kind == "integer" and max(-self.low, self.high) > LARGEST_INTEGER:
            raise self._fault(
                "range",
                (self.low, self.high),
                "integers beyond 2^53 are not exact as doubles, in which trials have them; stay "
                "within, or tune an offset",
            )
        self._check_scale(self.low, self.high)

    def _check_scale(self, low: float, high: float) -> None:
        if self.scale not in ("linear", "log", "reverse_log"):
            raise self._fault("scale", self.scale, "must be linear, log or reverse_log")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise self._fault("values", (low, high), "must be finite; give numbers")
        if self.scale != "linear" and low <= 0:
            raise self._fault("scale", self.scale, f"needs positive numbers, not {low}; use linear")

    def _fault(self, field: str, value: object, rule_and_remedy: str) -> ValueError:
        return ValueError(f"parameter {self.id!r}: {field} {value!r}: {rule_and_remedy}")


@dataclass(frozen=True)
class Space:
    """The parameters of a study, at least one, parents before children.

    Two parameters may share an id when their conditions exclude each other: the same parent, other
    values. An id that is a parent stands once.

    Raises:
        ValueError: Parameters contradict each other.
    """

    parameters: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        if not self.parameters:
            raise ValueError("parameters (): a space needs one at least; give a parameter")
        seen: dict[str, list[Parameter]] = {}
        for parameter in self.parameters:
            if parameter.parent is not None:
                self._check_condition(parameter, seen.get(parameter.parent, []))
            for other in seen.get(parameter.id, []):
                if not _exclude_each_other(parameter, other):
                    raise ValueError(
                        f"parameter {parameter.id!r} stands twice: both can be active at once; "
                        "give the second another id, or the same parent and other parent values"
                    )
            seen.setdefault(parameter.id, []).append(parameter)
        for parameter in self.parameters:
            if parameter.parent is not None and len(seen[parameter.parent]) > 1:
                raise ValueError(
                    f"parameter {parameter.id!r}: parent {parameter.parent!r} stands twice, which "
                    "leaves open which one is meant; give one of the two another id"
                )

    @property
    def cardinality(self) -> int | None:
        """The number of assignments; None when a continuous range can be active."""
        total = 1
        for parameter in self.parameters:
            if parameter.parent is None:
                count = self._count_below(parameter)
                if count is None:
                    return None
                total *= count
        return total

    def label(self, parameter: Parameter) -> str:
        """Return a parameter's id, with its condition where another one shares the id."""
        if sum(one.id == parameter.id for one in self.parameters) == 1:
            return parameter.id
        values = " or ".join(str(value) for value in parameter.parent_values)
        return f"{parameter.id} ({parameter.parent} = {values})"

    def assignments(self) -> Iterator[Assignment]:
        """Return every assignment in a fixed order: the last parameter changes fastest.

        Raises:
            ValueError: A continuous range can be active.
        """
        return self._extend({}, 0)

    def _extend(self, chosen: dict[str, Value], index: int) -> Iterator[Assignment]:
        while index < len(self.parameters) and not self.parameters[index].is_active(chosen):
            index += 1
        if index == len(self.parameters):
            yield dict(chosen)
            return
        parameter = self.parameters[index]
        for value in parameter.choices():
            yield from self._extend({**chosen, parameter.id: value}, index + 1)

    def _count_below(self, parameter: Parameter) -> int | None:
        """Return the number of ways to fill a parameter and everything that depends on it."""
        if parameter.count is None:
            return None
        children = [child for child in self.parameters if child.parent == parameter.id]
        named = {value for child in children for value in child.parent_values}
        # A discrete value may be named with a rounding error; its own spelling counts once.
        special = [value for value in parameter.values or named if _is_any(value, named)]
        total = parameter.count - len(special)
        for value in special:
            ways = 1
            for child in children:
                if child.is_active({parameter.id: value}):
                    below = self._count_below(child)
                    if below is None:
                        return None
                    ways *= below
            total += ways
        return total

    @staticmethod
    def _check_condition(parameter: Parameter, parents: list[Parameter]) -> None:
        label = f"parameter {parameter.id!r}: parent {parameter.parent!r}"
        if not parents:
            raise ValueError(f"{label}: must stand before its children; add it or move it up")
        if parents[0].kind == "double":
            raise ValueError(f"{label}: a double cannot be a parent; make it discrete")
        for value in parameter.parent_values:
            if not parents[0].holds(value):
                raise ValueError(f"{label}: never has the value {value!r}; name one it can have")


def same_value(value: Value, other: Value) -> bool:
    """Return whether two values of a parameter are the same one."""
    if isinstance(value, str) or isinstance(other, str):
        return value == other
    return abs(value - other) < DISCRETE_TOLERANCE


def _is_any(value: Value, others: Iterable[Value]) -> bool:
    return any(same_value(value, other) for other in others)


def _exclude_each_other(one: Parameter, other: Parameter) -> bool:
    return one.parent == other.parent is not None and not any(
        _is_any(value, other.parent_values) for value in one.parent_values
    )
