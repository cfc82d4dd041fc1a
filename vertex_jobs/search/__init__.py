"""Suggesting trials: grid, random and Gaussian process search over a study's parameters.

For the process that runs a study's search, which imports nothing else of this package, and for
everyone who asks whether a study is possible: a space needs no NumPy, which is loaded with the
algorithm. It takes and gives plain values; it knows no protos, no jobs and no files.

    search = algorithm("gaussian_process", space, maximize=(True,), seed=0)
    search.suggest([3], completed=[...], pending=[...])
"""

from vertex_jobs.search.protocol import Algorithm, AlgorithmName, Completed, Pending
from vertex_jobs.search.space import Assignment, Parameter, Space

__all__ = ["Algorithm", "Assignment", "Completed", "Parameter", "Pending", "Space", "algorithm"]


def algorithm(
    name: AlgorithmName,
    space: Space,
    maximize: tuple[bool, ...],
    seed: int,
) -> Algorithm:
    """Return a search algorithm.

    ``maximize`` tells for each metric, at least one, whether higher is better. The seed, which is
    not negative, fixes every random choice.

    Raises:
        ValueError: The name is unknown, there is no metric, the seed is negative, or the grid is
            asked for a continuous parameter.
    """
    if not maximize:
        raise ValueError("maximize (): a study needs a metric; give one flag for each")
    if seed < 0:
        raise ValueError(f"seed {seed}: must not be negative; use 0 or more")
    if name == "grid":
        from vertex_jobs.search.simple_searches import GridSearch

        return GridSearch(space)
    if name == "random":
        from vertex_jobs.search.simple_searches import RandomSearch

        return RandomSearch(space, seed)
    if name == "gaussian_process":
        from vertex_jobs.search.gaussian_process import GaussianProcessSearch

        return GaussianProcessSearch(space, maximize, seed)
    raise ValueError(f"algorithm {name!r}: is unknown; use grid, random or gaussian_process")
