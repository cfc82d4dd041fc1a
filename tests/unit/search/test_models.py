"""The parts of the Gaussian process: warping, fit, posterior and estimates."""

import math

import numpy as np
import pytest

from vertex_jobs.search import Completed, Parameter, Space
from vertex_jobs.search.covariance import Kernel, matern
from vertex_jobs.search.fit import _Posterior as Fit
from vertex_jobs.search.fit import fit_kernel
from vertex_jobs.search.posterior import Posterior
from vertex_jobs.search.uncertainty import Beliefs
from vertex_jobs.search.warping import Warping

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.random((30, 4))
TARGETS = np.sin(5 * POINTS[:, 0]) + POINTS[:, 1] ** 2
OWNERS = np.array([0, 1, 2, 2])
KERNEL = Kernel(np.array([0.4, 0.6, 0.8, 0.8]), 1.5, 0.01)


def warp(objectives, maximize=False):
    return Warping.of(np.array(objectives, dtype=float), maximize=maximize)


def test_the_kernel_is_the_matern():
    covariance = KERNEL.covariance(POINTS[:1], POINTS[1:2])[0, 0]
    distance = math.sqrt(5) * np.linalg.norm((POINTS[0] - POINTS[1]) / KERNEL.scales)
    expected = 1.5 * (1 + distance + distance**2 / 3) * math.exp(-distance)
    assert covariance == pytest.approx(expected, rel=1e-12)


def test_the_gradient_of_the_fit_is_the_slope_of_its_loss():
    fit = Fit(POINTS, OWNERS, TARGETS - TARGETS.mean())
    logs = np.array([-0.5, 0.2, 0.4, 0.3, -4.0])
    slopes = [
        (fit.loss(logs + step)[0] - fit.loss(logs - step)[0]) / 2e-5 for step in 1e-5 * np.eye(5)
    ]
    np.testing.assert_allclose(fit.loss(logs)[1], slopes, rtol=1e-5, atol=1e-5)


def test_the_fit_sees_which_parameters_matter():
    scales = fit_kernel(POINTS, OWNERS, TARGETS - TARGETS.mean()).scales
    assert scales[0] < scales[1] < scales[2] == scales[3]


def test_the_fit_tells_noise_from_shape():
    random = np.random.default_rng(1)
    points = random.random((60, 1))
    shape = np.sin(6 * points[:, 0])
    noisy = shape + 0.5 * random.normal(size=60)
    owners = np.zeros(1, dtype=int)
    assert fit_kernel(points, owners, noisy).noise == pytest.approx(0.25, rel=0.5)
    assert fit_kernel(points, owners, shape).noise < 1e-4


def test_the_posterior_is_the_textbook_one():
    posterior = Posterior(KERNEL, POINTS[:20], TARGETS[:20])
    inverse = np.linalg.inv(KERNEL.covariance(POINTS[:20], POINTS[:20]) + 0.01 * np.eye(20))
    cross = KERNEL.covariance(POINTS[:20], POINTS[20:])
    mean, deviation = posterior.predict(POINTS[20:])
    np.testing.assert_allclose(mean, cross.T @ inverse @ TARGETS[:20], atol=1e-5)
    variance = 1.5 - np.diag(cross.T @ inverse @ cross)
    np.testing.assert_allclose(deviation**2, variance, atol=1e-5)


def test_pending_points_keep_the_mean_and_lower_the_deviation():
    posterior = Posterior(KERNEL, POINTS[:20], TARGETS[:20])
    before = posterior.predict(POINTS[20:])
    posterior.add_pending(POINTS[20:21])
    after = posterior.predict(POINTS[20:])
    np.testing.assert_allclose(after[0], before[0])
    assert (after[1] < before[1]).all()


def test_a_pending_point_counts_like_an_observed_one():
    posterior = Posterior(KERNEL, POINTS[:20], TARGETS[:20])
    posterior.add_pending(POINTS[20:21])
    whole = Posterior(KERNEL, POINTS[:21], TARGETS[:21])
    deviations = posterior.predict(POINTS[21:])[1]
    np.testing.assert_allclose(deviations, whole.predict(POINTS[21:])[1], rtol=1e-9)


def test_the_same_point_may_be_observed_many_times():
    posterior = Posterior(KERNEL, np.repeat(POINTS[:1], 50, axis=0), np.linspace(0, 1, 50))
    assert posterior.predict(POINTS[:1])[0][0] == pytest.approx(0.5, abs=0.01)


def test_matern_is_one_at_distance_zero():
    assert matern(np.zeros(1))[0] == 1


def test_warping_keeps_the_shape_of_the_better_half():
    warping = warp([1, 2, 4, 100, 1e9])
    recovered = warping.shift + warping.scale * warping.targets
    np.testing.assert_allclose(recovered[:3], [1, 2, 4])


def test_warping_keeps_the_order_of_the_worse_half_and_tames_it():
    targets = warp([1, 2, 4, 100, 1e9]).targets
    assert (np.diff(targets) > 0).all()
    assert targets.max() < 3


def test_warping_turns_a_metric_to_maximize_around():
    warping = warp([3, 2, 1], maximize=True)
    assert warping.targets.argmin() == 0
    assert warping.shift + warping.scale * warping.targets[0] == pytest.approx(3)


def test_warping_gives_equal_objectives_equal_targets():
    targets = warp([1, 7, 2, 7, 3]).targets
    assert targets[1] == targets[3]


def test_warping_does_not_overflow():
    assert np.isfinite(warp([1e300, 9e299, -1e300, 1e308]).targets).all()
    assert np.isfinite(warp([1.7e308, 1.7e308, -1.7e308]).targets).all()


def test_warping_does_not_see_the_offset():
    values = np.array([3.0, 1.0, 2.0, 7.0, 5.0])
    for offset in (1e9, -1e9):
        warping = warp(values / 1024 + offset)
        np.testing.assert_allclose(warping.targets, warp(values).targets, rtol=1e-9)
        assert warping.scale == pytest.approx(warp(values).scale / 1024, rel=1e-9)


@pytest.mark.parametrize("values", [[5, 5, 5], [0, 0], [0.1 + 0.2, 0.3], [1e308, 1e308]])
def test_warping_knows_equal_objectives(values):
    warping = warp(values)
    assert (warping.targets.tolist(), warping.scale) == ([0.0] * len(values), 0.0)
    assert warping.shift == pytest.approx(values[0])


def test_one_diverged_trial_gives_no_scale_when_the_better_half_is_equal():
    assert 0 < warp([0, 0, 0, 0, 1, 2, 1e30]).scale < 5


def test_warping_of_one_objective():
    assert warp([5]).targets.tolist() == [0]


def completed(count, value):
    places = np.random.default_rng(2).random(count)
    return [Completed(i, {"x": x}, (value(x),)) for i, x in enumerate(places.tolist(), 1)]


def test_estimates_are_in_the_units_of_the_metric():
    trials = completed(25, lambda x: 1000 - 500 * (x - 0.4) ** 2)
    line = Space((Parameter("x", "double", 0, 1),))
    estimates = Beliefs.of(line, (True,), trials).estimate(np.array([[0.4], [0.45]]))
    assert estimates.means[0, 0] == pytest.approx(1000, abs=1)
    assert estimates.means[1, 0] == pytest.approx(998.75, abs=1)


def test_estimates_are_less_sure_far_from_trials():
    trials = completed(15, lambda x: math.sin(3 * x))
    line = Space((Parameter("x", "double", 0, 2),))
    deviations = (
        Beliefs.of(line, (False,), trials).estimate(np.array([[0.25], [0.95]])).deviations[:, 0]
    )
    assert deviations[1] > 3 * deviations[0]


def test_estimates_need_a_feasible_trial():
    line = Space((Parameter("x", "double", 0, 1),))
    with pytest.raises(ValueError, match="1 completed trials: none is feasible"):
        Beliefs.of(line, (False,), [Completed(1, {"x": 0.5}, None)])
