"""Grid search: every point once, in order, and nothing continuous."""

import pytest

from vertex_jobs.search import Completed, Parameter, Pending, Space, algorithm

SPACE = Space(
    (
        Parameter("depth", "integer", 1, 2),
        Parameter("batch", "discrete", values=(16, 32)),
        Parameter("norm", "categorical", 0, 0, ("a", "b"), "linear", "depth", (2,)),
    )
)
POINTS = [
    {"depth": 1, "batch": 16},
    {"depth": 1, "batch": 32},
    {"depth": 2, "batch": 16, "norm": "a"},
    {"depth": 2, "batch": 16, "norm": "b"},
    {"depth": 2, "batch": 32, "norm": "a"},
    {"depth": 2, "batch": 32, "norm": "b"},
]


def grid(space=SPACE):
    return algorithm("grid", space, (True,), 0)


def test_it_walks_the_whole_grid_and_ends_early():
    assert grid().suggest(range(1, 9), [], []) == POINTS


def test_it_leaves_out_what_ran_and_what_runs():
    completed = [Completed(5, POINTS[1], None), Completed(2, POINTS[4], (0.5,))]
    suggested = grid().suggest([7, 8], completed, [Pending(3, POINTS[0])])
    assert suggested == [POINTS[2], POINTS[3]]


def test_a_used_up_grid_suggests_nothing():
    completed = [Completed(i, point, (0.0,)) for i, point in enumerate(POINTS, 1)]
    assert grid().suggest([7], completed, []) == []


def test_a_double_is_refused():
    space = Space((Parameter("rate", "double", 0, 1),))
    with pytest.raises(ValueError, match="'rate' is a double: a grid takes only integer, discr"):
        grid(space)


def test_a_huge_grid_starts_at_once():
    space = Space(tuple(Parameter(f"x{i}", "integer", 1, 1000) for i in range(9)))
    assert grid(space).suggest([1, 2], [], [])[1]["x8"] == 2
