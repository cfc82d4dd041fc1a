"""Parameters and spaces: validity, conditions, and the number of points."""

import pytest

from vertex_jobs.search import Parameter, Space

OPTIMIZER = Parameter("optimizer", "categorical", values=("adam", "sgd"))
MOMENTUM = Parameter("momentum", "double", 0, 1, parent="optimizer", parent_values=("sgd",))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a b", "double", 0, 1), "'a b': must have no white space; rename it"),
        (("x", "float", 0, 1), "kind 'float': must be double, integer, discrete or categorical"),
        (("x", "double", 2, 1), r"range \(2, 1\): low must not exceed high"),
        (("x", "double", 0, float("inf")), "both finite"),
        (("x", "integer", 0.5, 2), r"range \(0.5, 2\): must be whole numbers; round them"),
        (("x", "integer", 2**53, 2**53 + 10), r"beyond 2\^53 are not exact as doubles"),
        (("x", "integer", -(2**53) - 1, 0), r"range \(-9007199254740993, 0\): integers beyond"),
        (("x", "double", 0, 1, (), "log"), "scale 'log': needs positive numbers, not 0; use lin"),
        (("x", "double", 1, 2, (), "cubic"), "scale 'cubic': must be linear, log or reverse_log"),
        (("x", "discrete", 0, 0, (2, 1)), r"values \(2, 1\): must increase; sort them"),
        (("x", "discrete", 0, 0, (1.0, 1.0 + 1e-11)), "must increase"),
        (("x", "discrete", 0, 0, ("1", "2")), "must be numbers"),
        (("x", "discrete", 0, 0, (-1, 1), "log"), "needs positive numbers, not -1"),
        (("x", "categorical"), r"values \(\): must be distinct and at least one"),
        (("x", "categorical", 0, 0, ("a", "a")), "must be distinct"),
        (("x", "categorical", 0, 0, (1, 2)), "categories are texts; quote the numbers"),
        (("x", "categorical", 0, 0, ("a",), "log"), "categories have no scale; leave it out"),
        (("x", "double", 0, 1, (), "linear", "y"), "goes with parent; give both or neither"),
    ],
)
def test_an_impossible_parameter_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Parameter(*arguments)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((), r"parameters \(\): a space needs one at least; give a parameter"),
        ((MOMENTUM,), "parent 'optimizer': must stand before its children"),
        ((MOMENTUM, OPTIMIZER), "must stand before its children"),
        ((OPTIMIZER, OPTIMIZER), "'optimizer' stands twice: both can be active at once"),
        (
            (
                Parameter("x", "double", 0, 1),
                Parameter("y", "double", 0, 1, (), "linear", "x", (1,)),
            ),
            "a double cannot be a parent; make it discrete",
        ),
        (
            (OPTIMIZER, Parameter("y", "double", 0, 1, (), "linear", "optimizer", ("lion",))),
            "never has the value 'lion'; name one it can have",
        ),
    ],
)
def test_contradicting_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Space(parameters)


def test_an_id_may_stand_twice_when_the_conditions_exclude_each_other():
    fine = Parameter("rate", "integer", 1, 2, parent="optimizer", parent_values=("sgd",))
    coarse = Parameter("rate", "integer", 7, 9, parent="optimizer", parent_values=("adam",))
    points = list(Space((OPTIMIZER, fine, coarse)).assignments())
    assert [tuple(point.values()) for point in points] == [
        ("adam", 7),
        ("adam", 8),
        ("adam", 9),
        ("sgd", 1),
        ("sgd", 2),
    ]


def test_an_id_that_stands_twice_cannot_be_a_parent():
    fine = Parameter("rate", "integer", 1, 2, parent="optimizer", parent_values=("sgd",))
    coarse = Parameter("rate", "integer", 1, 2, parent="optimizer", parent_values=("adam",))
    child = Parameter("x", "integer", 1, 2, parent="rate", parent_values=(1,))
    with pytest.raises(ValueError, match="parent 'rate' stands twice"):
        Space((OPTIMIZER, fine, child, coarse))


def test_the_largest_integers_are_allowed():
    assert Parameter("x", "integer", -(2**53), 2**53).count == 2**54 + 1


NESTED = Space(
    (
        Parameter("layers", "integer", 0, 10),
        Parameter("norm", "categorical", 0, 0, ("batch", "none"), "linear", "layers", (1, 2)),
        Parameter("decay", "discrete", 0, 0, (0.1, 0.2, 0.3), "linear", "norm", ("batch",)),
    )
)


def test_nested_conditions_multiply_only_where_they_hold():
    assert NESTED.cardinality == 9 + 2 * (1 + 3)


def test_enumeration_agrees_with_the_count():
    points = list(NESTED.assignments())
    assert len({tuple(point.items()) for point in points}) == NESTED.cardinality == len(points)


def test_enumeration_changes_the_last_parameter_fastest():
    space = Space((Parameter("a", "integer", 1, 2), Parameter("b", "discrete", values=(4, 8))))
    assert [tuple(point.values()) for point in space.assignments()] == [
        (1, 4),
        (1, 8),
        (2, 4),
        (2, 8),
    ]


def test_a_continuous_range_below_a_condition_makes_a_space_infinite():
    assert Space((OPTIMIZER, MOMENTUM)).cardinality is None


def test_a_range_of_one_point_is_finite():
    assert Space((Parameter("x", "double", 3, 3),)).cardinality == 1


def test_a_discrete_parent_matches_within_the_tolerance():
    space = Space(
        (
            Parameter("rate", "discrete", values=(0.1, 0.3)),
            Parameter("x", "integer", 1, 5, parent="rate", parent_values=(0.1 + 0.2,)),
        )
    )
    assert space.cardinality == 6
