"""Chances to be the best, and which parameters matter."""

import numpy as np
import pytest

from vertex_jobs.search import Completed, Parameter, Space
from vertex_jobs.search.importance import importances
from vertex_jobs.search.uncertainty import Beliefs

PLANE = Space((Parameter("x", "double", 0, 1), Parameter("y", "double", 0, 1)))


def beliefs(value, space=PLANE, count=40, maximize=(True,)):
    points = np.random.default_rng(3).random((count, 2)).tolist()
    trials = [
        Completed(number, {"x": x, "y": y}, value(x, y))
        for number, (x, y) in enumerate(points, start=1)
    ]
    return Beliefs.of(space, maximize, trials)


def test_a_clear_winner_is_sure():
    found = beliefs(lambda x, y: (x + y,))
    chances = found.chances()
    assert sum(chances.values()) == pytest.approx(1, abs=0.05)
    assert max(chances.values()) > 0.9


def test_noise_shares_the_chances_among_many():
    random = np.random.default_rng(5)
    found = beliefs(lambda x, y: (float(random.normal()),))
    assert max(found.chances().values()) < 0.5


def test_few_trials_do_not_rule_noise_out():
    random = np.random.default_rng(1)
    found = beliefs(lambda x, y: (x + float(random.normal(0, 0.3)),), count=12)
    assert max(found.chances().values()) < 0.95


def test_noise_is_in_the_units_of_the_metric():
    random = np.random.default_rng(5)
    found = beliefs(lambda x, y: (1000 * x + float(random.normal(0, 50)),), count=60)
    assert 20 < found.noise[0] < 120


def test_a_front_has_several_sure_members():
    found = beliefs(lambda x, y: (x, -x), maximize=(True, True))
    assert sum(found.chances().values()) > 5


def test_chances_are_the_same_every_time():
    def value(x, y):
        return (x * y,)

    assert beliefs(value).chances() == beliefs(value).chances()


def test_equal_trials_do_not_share_the_chance_of_their_setting():
    line = Space((Parameter("x", "integer", 1, 3),))
    values = {1: 0.5, 2: 0.9, 3: 0.7}
    trials = [Completed(i, {"x": 1 + i % 3}, (values[1 + i % 3],)) for i in range(1, 31)]
    found = Beliefs.of(line, (True,), trials)
    chances = found.chances()
    assert {one for one, share in chances.items() if share > 0.95} == set(range(1, 31, 3))
    assert len(set(chances.values())) <= 3
    assert {found.settings[one] for one in chances} == {1, 2, 3}


def test_a_setting_counts_once_among_the_contenders():
    points = [*np.linspace(0, 1, 101).tolist(), *[0.5] * 100]
    line = Space((Parameter("x", "double", 0, 1),))
    trials = [Completed(i, {"x": x}, (-((x - 0.5) ** 2),)) for i, x in enumerate(points, 1)]
    assert len(Beliefs.of(line, (True,), trials).chances()) == 200


def test_equal_values_show_no_noise_no_chance_and_no_importance():
    found = beliefs(lambda x, y: (1e9,), count=11)
    assert (found.noise.tolist(), found.chances()) == ([0.0], {})
    assert {one.high for one in importances(found, 0)} == {0.0}
    estimates = found.estimate(np.array([[0.1, 0.9]]))
    assert (estimates.means[0, 0], estimates.deviations[0, 0]) == (1e9, 0.0)


def test_a_metric_without_a_difference_leaves_the_decision_to_the_other():
    both = beliefs(lambda x, y: (x + y, 7.0), maximize=(True, False))
    assert both.chances() == beliefs(lambda x, y: (x + y,)).chances()


def test_the_parameter_that_matters_comes_first():
    first, second = importances(beliefs(lambda x, y: (x + 0.1 * y,)), 0)
    assert (first.parameter_id, second.parameter_id) == ("x", "y")
    assert first.share > 0.8
    assert second.share < 0.2


def test_importance_is_less_sure_with_few_trials():
    def spread(count):
        return sum(one.high - one.low for one in importances(beliefs(value, count=count), 0))

    def value(x, y):
        return (np.sin(6 * x) * np.cos(5 * y),)

    assert spread(6) > 1.5 * spread(60)


def test_a_conditional_parameter_has_a_share_of_its_own():
    space = Space(
        (
            Parameter("kind", "categorical", values=("a", "b")),
            Parameter("rate", "double", 0, 1, parent="kind", parent_values=("b",)),
        )
    )
    points = np.random.default_rng(3).random(40).tolist()
    trials = [
        Completed(number, {"kind": "b", "rate": x} if number % 2 else {"kind": "a"}, (x,))
        for number, x in enumerate([x if i % 2 == 0 else 0.5 for i, x in enumerate(points)], 1)
    ]
    found = {
        one.parameter_id: one.share for one in importances(Beliefs.of(space, (True,), trials), 0)
    }
    assert found["rate"] > found["kind"]
