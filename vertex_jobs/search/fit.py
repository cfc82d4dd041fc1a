"""The kernel's parameters, fitted to trials: maximum a posteriori with an exact gradient.

For the Gaussian process search. The result depends on the trials alone, so that a search that is
resumed continues as if it had never stopped.

Source: "Gaussian Processes for Machine Learning" (Rasmussen, Williams, 2006), chapter 5.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.covariance import JITTER, Kernel, matern, matern_slope

#: Bounds of the logarithms of length scales, amplitude and noise; targets have unit variance.
SCALE_BOUNDS, AMPLITUDE_BOUNDS, NOISE_BOUNDS = (-4.0, 3.0), (-3.0, 4.0), (-18.0, 1.0)
#: Prior of the logarithms, mean and standard deviation. A length scale's mean grows with the
#: root of the dimension, as distances in the cube do.
SCALE_PRIOR = (math.log(0.35), 0.6)
#: The noise may be almost 0: a deterministic objective can then be refined to the end.
#: Measured with benchmarks/search.py over 30 seeds: with (-7, 2) Branin ended five times higher,
#: Hartmann 6 in batches too; paired over the seeds, noisy functions did not differ.
AMPLITUDE_PRIOR, NOISE_PRIOR = (0.0, 1.0), (-8.0, 3.0)
#: Prior for a judgement: wider, and smoother. A search that expects a rugged function explores
#: more; a judgement that expects one mistakes noise for it. Measured by benchmarks/confidence.py.
JUDGED_SCALE_PRIOR = (math.log(0.35) + 0.5, 1.0)
#: Logarithms of the noises that share the belief: from a hundredth of the targets' spread to all of
#: it.
NOISE_GRID = (-9.0, -7.5, -6.0, -4.5, -3.0, -1.5, 0.0)
#: Kernels drawn for each of them, and the width of the draws relative to the mode.
DRAWS_PER_NOISE, SPREAD = 12, 1.3


def fit_kernel(features: Floats, owners: NDArray[np.int_], targets: Floats) -> Kernel:
    """Return the most probable kernel for the observed points.

    Features are ``[points, columns]``; columns with one owner, a parameter, share a length scale.
    Targets are ``[points]``, with mean about 0 and variance about 1.
    """
    return _kernel(_most_probable(_Posterior(features, owners, targets)), owners)


def fit_explanations(
    features: Floats, owners: NDArray[np.int_], targets: Floats
) -> list[tuple[Kernel, float]]:
    """Return kernels that could explain the observed points, each with its share of belief.

    A rugged function or noise can explain a few trials, which leave its scale open; a judgement
    must not rest on one explanation. Kernels are drawn around the most probable one for each noise
    and weighed by their probability. Every noise is equally likely beforehand: a search's
    preference would be a prejudice here.

    Source: importance sampling around Laplace's approximation, as in "Approximate Bayesian
    inference for latent Gaussian models" (Rue, Martino, Chopin, 2009), sections 3 and 6.5.
    """
    posterior = _Posterior(features, owners, targets, JUDGED_SCALE_PRIOR)
    start = _most_probable(posterior)
    random = np.random.default_rng(0)
    drawn, weights = [], []
    for log_noise in NOISE_GRID:
        bounds = [*posterior.bounds[:-1], (log_noise, log_noise)]
        centre, _ = _descend(posterior, np.append(start[:-1], log_noise), bounds)
        for logs, log_weight in _around(posterior, centre, random):
            drawn.append(logs)
            weights.append(log_weight + 0.5 * ((log_noise - NOISE_PRIOR[0]) / NOISE_PRIOR[1]) ** 2)
    shares = np.exp(np.array(weights) - max(weights))
    shares /= shares.sum()
    return [
        (_kernel(logs, owners), share) for logs, share in zip(drawn, shares.tolist(), strict=True)
    ]


def _around(
    posterior: "_Posterior", centre: Floats, random: np.random.Generator
) -> Iterator[tuple[Floats, float]]:
    """Draw everything but the noise around a mode, with the logarithm of each draw's weight."""
    width = 0.1
    free = len(centre) - 1
    slopes = [
        posterior.loss(centre + sign * width * np.eye(free + 1)[axis])[1][:-1]
        for axis in range(free)
        for sign in (1, -1)
    ]
    curvature = (np.array(slopes[::2]) - np.array(slopes[1::2])) / (2 * width)
    values, directions = np.linalg.eigh((curvature + curvature.T) / 2)
    # Wider than the mode, so that no draw outweighs all others; no wider than the prior.
    spread = SPREAD / np.sqrt(np.maximum(values, 1.0))
    for offset in random.standard_normal((DRAWS_PER_NOISE, free)):
        logs = centre + np.append(directions @ (spread * offset), 0.0)
        density = -0.5 * float(offset @ offset) - float(np.log(spread).sum())
        yield logs, -posterior.loss(logs)[0] - density


def _most_probable(posterior: "_Posterior") -> Floats:
    """Return the logarithms of the best kernel over all starts."""
    found = [_descend(posterior, start, posterior.bounds) for start in posterior.starts()]
    return min(found, key=lambda one: one[1])[0]


def _descend(
    posterior: "_Posterior", start: Floats, bounds: list[tuple[float, float]]
) -> tuple[Floats, float]:
    from scipy.optimize import minimize

    result = minimize(
        posterior.loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 40, "ftol": 1e-5},
    )
    return result.x, float(result.fun)


def _kernel(logs: Floats, owners: NDArray[np.int_]) -> Kernel:
    index = np.unique(owners, return_inverse=True)[1]
    return Kernel(np.exp(logs[:-2])[index], math.exp(logs[-2]), math.exp(logs[-1]))


class _Posterior:
    """Minus the log posterior of (log length scales, log amplitude, log noise) and its gradient."""

    def __init__(
        self,
        features: Floats,
        owners: NDArray[np.int_],
        targets: Floats,
        scale_prior: tuple[float, float] = SCALE_PRIOR,
    ) -> None:
        count = len(targets)
        groups = np.unique(owners)
        rows, columns = np.tril_indices(count, -1)
        squares = (features[rows] - features[columns]) ** 2
        self._distances = np.zeros((len(groups), len(rows)))
        for place, group in enumerate(groups):
            self._distances[place] = squares[:, owners == group].sum(axis=1)
        self._lower = rows * count + columns
        self._diagonal = np.arange(count) * (count + 1)
        self._targets = targets
        self._covariance = np.zeros((count, count))
        self._gradient = np.empty(len(groups) + 2)
        mean, width = scale_prior
        mean += 0.5 * math.log(max(len(groups), 1))
        priors = np.array([(mean, width)] * len(groups) + [AMPLITUDE_PRIOR, NOISE_PRIOR])
        self._means, self._widths = priors.T
        self.bounds = [SCALE_BOUNDS] * len(groups) + [AMPLITUDE_BOUNDS, NOISE_BOUNDS]

    def starts(self) -> list[Floats]:
        """Return the starts of descents: the prior's mean, and both explanations of a rough fit.

        The same trials can come from a rugged function without noise or from a smooth one with
        noise. Each explanation is a minimum of its own.
        """
        rugged, noisy = self._means.copy(), self._means.copy()
        rugged[:-2] -= 0.7
        rugged[-1] = -12.0
        noisy[-1] = -1.0
        return [self._means, rugged, noisy]

    def loss(self, logs: Floats) -> tuple[float, Floats]:
        from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

        weights = np.exp(-2 * logs[:-2])
        amplitude, noise = math.exp(logs[-2]), math.exp(logs[-1])
        squared = weights @ self._distances
        slope = matern_slope(squared)
        correlation = matern(squared)
        flat = self._covariance.reshape(-1)
        flat[self._lower] = amplitude * correlation
        flat[self._diagonal] = amplitude + noise + JITTER
        # LAPACK reads columns: the lower triangle in rows is the upper one of the transpose.
        factor, _ = dpotrf(self._covariance.T, lower=0, clean=0, overwrite_a=1)
        solved, _ = dpotrs(factor, self._targets, lower=0)
        half_log_determinant = np.log(flat[self._diagonal]).sum()
        dpotri(factor, lower=0, overwrite_c=1)
        pairs = flat[self._lower] - (solved[:, None] * solved).reshape(-1)[self._lower]
        trace = (flat[self._diagonal] - solved**2).sum()
        gradient = self._gradient
        gradient[:-2] = amplitude * weights * (self._distances @ (pairs * slope))
        gradient[-2] = amplitude * (pairs @ correlation + 0.5 * trace)
        gradient[-1] = 0.5 * noise * trace
        offsets = (logs - self._means) / self._widths
        loss = 0.5 * self._targets @ solved + half_log_determinant + 0.5 * offsets @ offsets
        return float(loss), gradient + offsets / self._widths
