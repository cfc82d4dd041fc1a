"""The covariance of the Gaussian process: Matérn 5/2 with one length scale per parameter.

For the fit and the posterior. It is smooth enough to interpolate and rough enough not to overreach.

Source: "Practical Bayesian Optimization of Machine Learning Algorithms" (Snoek, Larochelle, Adams,
2012), section 3.1.
"""

from dataclasses import dataclass

import numpy as np

from vertex_jobs.search.arrays import Floats

#: Added to the diagonal so that equal points can be factorised.
JITTER = 1e-10


def matern(squared_distances: Floats) -> Floats:
    """Return the correlation at scaled squared distances, which it overwrites."""
    reach = np.sqrt(np.multiply(squared_distances, 5, out=squared_distances))
    # 1 + reach + reach² / 3, in place: this is where a search spends most of its time.
    squared_distances /= 3
    squared_distances += reach
    squared_distances += 1
    np.negative(reach, out=reach)
    squared_distances *= np.exp(reach, out=reach)
    return squared_distances


def matern_slope(squared_distances: Floats) -> Floats:
    """Return the derivative of the correlation by minus half the squared distance.

    In this form the gradient by a length scale is never singular, not even at distance 0.
    """
    reach = np.sqrt(5 * squared_distances)
    slope: Floats = (5 / 3) * (1 + reach) * np.exp(-reach)
    return slope


@dataclass(frozen=True)
class Kernel:
    """A fitted covariance.

    Attributes:
        scales: Length scale of each feature column, in the column's units.
        amplitude: Prior variance of the function.
        noise: Variance of an observation around the function.
    """

    scales: Floats
    amplitude: float
    noise: float

    def covariance(self, left: Floats, right: Floats) -> Floats:
        """Return the covariance of the function between points, ``[left, right]``."""
        left, right = left / self.scales, right / self.scales
        squared = left @ (-2 * right.T)
        squared += np.einsum("ij,ij->i", left, left)[:, None]
        squared += np.einsum("ij,ij->i", right, right)
        # The sum of squares can fall below 0 by rounding.
        covariance = matern(np.maximum(squared, 0, out=squared))
        covariance *= self.amplitude
        return covariance
