"""How good trials really are, by all that the study has seen, and how sure that is.

For saying why a trial is the best. It judges; it does not choose.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search.encoding import Encoding
from vertex_jobs.search.models import Observations, fit_models
from vertex_jobs.search.space import Assignment, Space
from vertex_jobs.search.trials import Completed

__all__ = ["Estimates", "estimate"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimates:
    """Beliefs about the metrics' true values, in the metrics' own units.

    They hold where the study was successful. Trials worse than the median count by rank only, so
    there a mean says "bad" and not how bad.

    Attributes:
        means: ``[assignments, metrics]``.
        deviations: Standard deviations of the beliefs, without the noise of a single trial.
    """

    means: Floats
    deviations: Floats


def estimate(
    space: Space,
    maximize: tuple[bool, ...],
    completed: Sequence[Completed],
    assignments: Sequence[Assignment],
) -> Estimates:
    """Return what a study's trials say about assignments, tried or not.

    Raises:
        ValueError: No trial is feasible, or an assignment is not of the space.
    """
    encoding = Encoding(space)
    observations = Observations.of(encoding, maximize, completed)
    if not observations.warpings:
        raise ValueError(
            f"{len(completed)} completed trials: none is feasible, so nothing can be estimated; "
            "give a trial with objectives"
        )
    shifts = np.array([warping.shift for warping in observations.warpings])
    scales = np.array([warping.scale for warping in observations.warpings])
    means, deviations = fit_models(encoding, observations).predict(encoding.rows(assignments))
    return Estimates(shifts + scales * means.T, np.abs(scales) * deviations.T)
