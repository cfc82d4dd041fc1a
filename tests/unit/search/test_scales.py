"""Scales: positions and values, however wide the range is."""

import math

import numpy as np
import pytest

from vertex_jobs.search import Parameter, Space, algorithm
from vertex_jobs.search.scales import from_unit, integers_from_unit, integers_to_unit, to_unit

LARGEST = 1.7e308
POSITIONS = np.linspace(0, 1, 101)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("low", "high", "scale", "middle"),
    [
        (1e-300, 1e300, "log", 1.0),
        (1e-300, 1e300, "reverse_log", 1e300),
        (5e-324, LARGEST, "log", 2.9e-8),
        (-LARGEST, LARGEST, "linear", 0.0),
        (1e308, LARGEST, "reverse_log", 1.396e308),
        (1e-20, 1.0, "reverse_log", 1.0),
    ],
)
def test_a_range_of_any_width_is_spread(low, high, scale, middle):
    values = from_unit(POSITIONS, low, high, scale)
    assert (values[0], values[-1]) == (low, high)
    assert values[50] == pytest.approx(middle, rel=0.01)
    assert len(set(values.tolist())) > 80
    there_and_back = from_unit(to_unit(values, low, high, scale), low, high, scale)
    np.testing.assert_allclose(there_and_back, values, rtol=1e-12, atol=1e-15 * high)


@pytest.mark.parametrize("scale", ["linear", "log", "reverse_log"])
def test_a_common_range_is_what_its_formula_says(scale):
    low, high = 1e-5, 0.1
    log = low * (high / low) ** POSITIONS
    expected = {
        "linear": low + POSITIONS * (high - low),
        "log": log,
        "reverse_log": low + high - log[::-1],
    }
    np.testing.assert_allclose(
        from_unit(POSITIONS, low, high, scale), expected[scale], rtol=1e-14, atol=1e-16
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", ["linear", "log", "reverse_log"])
@pytest.mark.parametrize("low", [1e9, 1.0, 1 - 2**-53, 1e300])
def test_two_neighbours_are_a_range(low, scale):
    high = math.nextafter(low, math.inf)
    ends = from_unit(np.array([0.0, 1.0]), low, high, scale)
    assert ends.tolist() == [low, high]
    assert to_unit(ends, low, high, scale).tolist() == [0, 1]


@pytest.mark.parametrize("scale", ["linear", "log", "reverse_log"])
def test_the_largest_integers_stay_inside_their_range(scale):
    low, high = 2**53 - 3, 2**53
    values = integers_from_unit(POSITIONS, float(low), float(high), scale)
    assert set(values.tolist()) <= {low, low + 1, low + 2, high}
    positions = integers_to_unit(values, float(low), float(high), scale)
    assert ((positions >= 0) & (positions <= 1)).all()


@pytest.mark.parametrize(
    ("low", "high", "scale"), [(1e-300, 1e300, "reverse_log"), (-LARGEST, LARGEST, "linear")]
)
def test_a_search_of_such_a_range_does_not_stand_still(low, high, scale):
    space = Space((Parameter("x", "double", low, high, scale=scale),))
    points = algorithm("random", space, (True,), 0).suggest(range(1, 21), [], [])
    assert len({point["x"] for point in points}) > 15
