"""The rules that stop a trial before its end."""

import numpy as np
import pytest

from vertex_jobs.search.curves import Curve, autoregression, chance_to_exceed
from vertex_jobs.search.stopping_rules import judge

STEPS = tuple(float(step) for step in range(1, 21))


def saturating(height, steps=STEPS):
    """Return a curve that flattens towards its height."""
    values = tuple(height * (1 - np.exp(-step / 6)) for step in steps)
    return Curve(steps, values)


def ended(*heights):
    found = []
    for height in heights:
        curve = saturating(height)
        found.append(Curve(curve.places, curve.values, curve.values[-1]))
    return found


HEIGHTS = (0.9, 0.7, 0.5, 0.8, 0.6, 0.75, 0.85)


@pytest.mark.parametrize(("height", "stops"), [(0.3, True), (0.95, False)])
@pytest.mark.parametrize("rule", ["median", "decay_curve", "convex"])
def test_a_hopeless_curve_stops_and_a_good_one_does_not(rule, height, stops):
    curve = saturating(height, STEPS[:8])
    assert judge({"name": rule}, curve, ended(*HEIGHTS)).stops is stops


@pytest.mark.parametrize("rule", ["median", "decay_curve", "convex"])
def test_nothing_stops_before_anything_is_known(rule):
    curve = saturating(0.1, STEPS[:8])
    assert not judge({"name": rule}, curve, []).stops
    assert not judge({"name": rule}, Curve((), ()), ended(*HEIGHTS)).stops


def test_the_chance_grows_with_the_curve():
    chances = [
        chance_to_exceed(saturating(height, STEPS[:8]), ended(*HEIGHTS))
        for height in (0.4, 0.8, 0.9, 1.0)
    ]
    assert chances == sorted(chances)
    assert chances[-1] > 0.9


@pytest.mark.parametrize(
    "numbers",
    [{"min_measurement_count": 9}, {"min_step_count": 8}, {"max_step_count": 2000}],
)
def test_the_convex_rule_waits_as_told(numbers):
    curve = saturating(0.3, STEPS[:8])
    assert not judge({"name": "convex", **numbers}, curve, ended(*HEIGHTS, *HEIGHTS)).stops


def test_the_convex_rule_predicts_nothing_of_a_flat_curve():
    flat = Curve(STEPS[:8], (0.1,) * 8)
    assert not judge({"name": "convex"}, flat, ended(*HEIGHTS)).stops


def test_the_convex_rule_says_where_the_trial_would_have_ended():
    verdict = judge({"name": "convex"}, saturating(0.4, STEPS[:10]), ended(*HEIGHTS))
    step, value = verdict.prediction
    assert (step, value) == (20.0, pytest.approx(saturating(0.4).values[-1], rel=0.1))


def test_a_learning_rate_helps_the_prediction():
    curves = ended(*HEIGHTS)
    # The same curve so far; only the rate predicts its end.
    alike = [Curve(STEPS[:8], saturating(0.5).values[:8], one.final) for one in curves]
    rates = np.array([one.final for one in curves] + [0.65])
    predicted = autoregression(saturating(0.5, STEPS[:8]), alike, 20.0, rates)
    assert predicted == pytest.approx(0.65, abs=0.02)
