"""Encoding: values, types, scales, and the features of a kernel."""

import numpy as np
import pytest

from vertex_jobs.search import Parameter, Space
from vertex_jobs.search.encoding import Encoding

SPACE = Space(
    (
        Parameter("rate", "double", 1e-5, 1e-1, scale="log"),
        Parameter("beta", "double", 0.1, 0.999, scale="reverse_log"),
        Parameter("units", "integer", 1, 300, scale="log"),
        Parameter("layers", "integer", 0, 3),
        Parameter("steps", "integer", 10, 1000, scale="reverse_log"),
        Parameter("batch", "discrete", values=(16, 32, 64)),
        Parameter("optimizer", "categorical", values=("adam", "sgd")),
        Parameter("momentum", "double", 0, 1, parent="optimizer", parent_values=("sgd",)),
        Parameter("width", "integer", 4, 8, parent="layers", parent_values=(2, 3)),
        Parameter("skip", "categorical", 0, 0, ("yes", "no"), "linear", "width", (8,)),
    )
)
ENCODING = Encoding(SPACE)


def draws(count=500):
    return np.random.default_rng(0).random((count, len(SPACE.parameters)))


def test_every_draw_holds_exactly_the_active_parameters():
    for row in ENCODING.values(draws()):
        assignment = ENCODING.assignment(row)
        active = [p.id for p in SPACE.parameters if p.is_active(assignment)]
        assert list(assignment) == active


def test_every_draw_is_inside_its_range_and_of_its_type():
    types = {"double": float, "integer": int, "discrete": float, "categorical": str}
    kinds = {parameter.id: parameter for parameter in SPACE.parameters}
    for row in ENCODING.values(draws()):
        for name, value in ENCODING.assignment(row).items():
            assert type(value) is types[kinds[name].kind]
            assert kinds[name].holds(value)


def test_assignments_survive_the_way_there_and_back():
    values = ENCODING.values(draws())
    assignments = [ENCODING.assignment(row) for row in values]
    assert ENCODING.rows(assignments).tobytes() == values.tobytes()


def test_coordinates_lead_to_the_same_values():
    values = ENCODING.values(draws())
    again = ENCODING.values(ENCODING.coordinates(values))
    np.testing.assert_allclose(again, values, rtol=1e-12)


def test_the_ends_of_the_cube_are_the_ends_of_the_ranges():
    low, high = ENCODING.values(np.array([[0.0] * 10, [1.0] * 10]))
    assert ENCODING.assignment(low)["rate"] == 1e-5
    assert ENCODING.assignment(high) == {
        "rate": 1e-1,
        "beta": 0.999,
        "units": 300,
        "layers": 3,
        "steps": 1000,
        "batch": 64.0,
        "optimizer": "sgd",
        "momentum": 1.0,
        "width": 8,
        "skip": "no",
    }


@pytest.mark.parametrize(
    ("scale", "middle"), [("linear", 50.5), ("log", 10.0), ("reverse_log", 91.0)]
)
def test_the_middle_of_a_scale(scale, middle):
    encoding = Encoding(Space((Parameter("x", "double", 1, 100, scale=scale),)))
    assert encoding.values(np.array([[0.5]]))[0, 0] == pytest.approx(middle)


def test_integers_on_a_linear_scale_are_equally_likely():
    encoding = Encoding(Space((Parameter("x", "integer", 1, 4),)))
    values = encoding.values(np.linspace(0.001, 0.999, 400)[:, None])[:, 0]
    assert np.bincount(values.astype(int)).tolist() == [0, 100, 100, 100, 100]


def test_features_do_not_read_inactive_parameters():
    encoding = Encoding(
        Space(
            (
                Parameter("optimizer", "categorical", values=("adam", "sgd")),
                Parameter("momentum", "double", 0, 1, (), "linear", "optimizer", ("sgd",)),
                Parameter("kind", "categorical", 0, 0, ("a", "b"), "linear", "optimizer", ("sgd",)),
            )
        )
    )
    features = encoding.features(encoding.values(np.array([[0.1, 0.2, 0.3], [0.1, 0.9, 0.8]])))
    assert (features[0] == features[1]).all()


def test_an_active_middle_value_differs_from_an_inactive_one():
    encoding = Encoding(
        Space(
            (
                Parameter("depth", "integer", 1, 2),
                Parameter("width", "double", 0, 1, parent="depth", parent_values=(2,)),
            )
        )
    )
    features = encoding.features(encoding.values(np.array([[0.0, 0.5], [1.0, 0.5]])))
    assert features.tolist() == [[0.0, 0.5, 0.0], [1.0, 0.5, 1.0]]


def test_two_categories_are_at_distance_one():
    encoding = Encoding(Space((Parameter("x", "categorical", values=("a", "b", "c")),)))
    features = encoding.features(encoding.values(np.array([[0.1], [0.9]])))
    assert ((features[0] - features[1]) ** 2).sum() == pytest.approx(1)


def test_a_parameter_with_one_value_has_no_feature():
    space = Space((Parameter("x", "integer", 7, 7), Parameter("y", "double", 0, 1)))
    assert Encoding(space).owners.tolist() == [1]


def test_integers_that_come_back_as_floats_are_the_same_trial():
    encoding = Encoding(Space((Parameter("x", "integer", 1, 9),)))
    assert encoding.rows([{"x": 8.0}]).tobytes() == encoding.rows([{"x": 8}]).tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": 1.0}, "'rate': 1.0 is not one of its values; give every active parameter"),
        ({"units": 2.5}, "'units': 2.5 is not one of its values"),
        ({"batch": 48}, "'batch': 48 is not one of its values"),
        ({"optimizer": "lion"}, "'optimizer': 'lion' is not one of its values"),
        ({"optimizer": "sgd"}, "'momentum': None is not one of its values"),
    ],
)
def test_an_assignment_outside_the_space_is_refused(change, message):
    fine = {"rate": 1e-3, "beta": 0.9, "units": 5, "layers": 0, "steps": 99, "batch": 16}
    with pytest.raises(ValueError, match=message):
        ENCODING.rows([{**fine, "optimizer": "adam", **change}])
