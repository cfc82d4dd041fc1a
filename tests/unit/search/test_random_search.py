"""Random search: uniform on the scale, fixed by seed and trial id."""

import numpy as np

from vertex_jobs.search import Completed, Parameter, Space, algorithm

SPACE = Space(
    (
        Parameter("rate", "double", 1e-4, 1, scale="log"),
        Parameter("optimizer", "categorical", values=("adam", "sgd")),
        Parameter("momentum", "double", 0, 1, parent="optimizer", parent_values=("sgd",)),
    )
)


def draw(ids, seed=0, completed=()):
    return algorithm("random", SPACE, (True,), seed).suggest(ids, completed, [])


def test_seed_and_trial_id_fix_a_trial():
    assert draw([3], completed=[Completed(1, draw([1])[0], (1.0,))]) == draw([1, 2, 3])[2:]


def test_another_seed_draws_another_trial():
    assert draw([3], seed=1) != draw([3])


def test_draws_are_uniform_on_the_logarithm():
    rates = np.array([point["rate"] for point in draw(range(1, 2001))])
    counts, _ = np.histogram(np.log10(rates), bins=4, range=(-4, 0))
    assert (abs(counts - 500) < 100).all()


def test_children_appear_with_their_parent_only():
    assert all(("momentum" in point) == (point["optimizer"] == "sgd") for point in draw(range(99)))
