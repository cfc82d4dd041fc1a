"""The Gaussian process conditioned on the trials: mean and deviation anywhere in the space.

For the acquisition and for the confidence in a best trial. Trials that still run can be added
cheaply: they reduce the deviation around them and leave the mean unchanged.
"""

import numpy as np

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.covariance import JITTER, Kernel


class Posterior:
    """A kernel conditioned on observed points."""

    def __init__(self, kernel: Kernel, features: Floats, targets: Floats) -> None:
        """Factorise once; features are ``[points, columns]``, targets those of the first points.

        Points without a target are pending, see ``add_pending``.
        """
        from scipy.linalg.lapack import dpotrf, dpotrs

        covariance = kernel.covariance(features, features)
        covariance[np.diag_indices(len(features))] = kernel.amplitude + kernel.noise + JITTER
        self._kernel = kernel
        self._features = features
        self._factor, _ = dpotrf(covariance, lower=1, clean=1)
        self._observed = len(targets)
        # The leading block of a factor is the factor of the leading block.
        observed = np.asfortranarray(self._factor[: self._observed, : self._observed])
        self._weights, _ = dpotrs(observed, targets, lower=1)

    @property
    def noise(self) -> float:
        """Standard deviation of one observation around the function."""
        return float(np.sqrt(self._kernel.noise))

    def predict(self, features: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the function, each ``[points]``."""
        from scipy.linalg.lapack import dtrtrs

        covariance = self._kernel.covariance(self._features, features)
        mean = self._weights @ covariance[: self._observed]
        solved, _ = dtrtrs(self._factor, covariance, lower=1)
        variance = self._kernel.amplitude - np.einsum("ij,ij->j", solved, solved)
        return mean, np.sqrt(np.maximum(variance, 1e-12 * self._kernel.amplitude))

    def draw(self, features: Floats, count: int, random: np.random.Generator) -> Floats:
        """Return functions drawn from the joint posterior of points, ``[count, points]``.

        Features are ``[points, columns]``; the cost grows with the third power of the points.
        """
        from scipy.linalg.lapack import dpotrf, dtrtrs

        covariance = self._kernel.covariance(self._features, features)
        mean = self._weights @ covariance[: self._observed]
        solved, _ = dtrtrs(self._factor, covariance, lower=1)
        joint = self._kernel.covariance(features, features) - solved.T @ solved
        # As little as rounding permits: the addition acts as a difference between equal points.
        for rounding in (1e-10, 1e-8, 1e-6):
            joint[np.diag_indices(len(features))] += rounding * self._kernel.amplitude
            factor, failed = dpotrf(joint, lower=1, clean=1)
            if not failed:
                break
        drawn: Floats = mean + random.standard_normal((count, len(features))) @ factor.T
        return drawn

    def add_pending(self, features: Floats) -> None:
        """Condition on one more point, ``[1, columns]``, as if it came out at the mean.

        Source: "Parallelizing Exploration-Exploitation Tradeoffs in Gaussian Process Bandit
        Optimization" (Desautels, Krause, Burdick, 2014).
        """
        from scipy.linalg.lapack import dtrtrs

        row, _ = dtrtrs(self._factor, self._kernel.covariance(self._features, features), lower=1)
        rest = self._kernel.amplitude + self._kernel.noise + JITTER - float(row[:, 0] @ row[:, 0])
        size = len(self._factor)
        factor = np.zeros((size + 1, size + 1), order="F")
        factor[:size, :size] = self._factor
        factor[size, :size] = row[:, 0]
        factor[size, size] = np.sqrt(max(rest, JITTER))
        self._factor = factor
        self._features = np.vstack([self._features, features])
