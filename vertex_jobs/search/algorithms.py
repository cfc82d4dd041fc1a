"""The search algorithms by name, for the process that runs them.

It only chooses. What the names of the API mean is decided in ``study_spec``. NumPy is loaded with
the algorithm, so that whoever needs a space alone does without.
"""

from typing import Literal

from vertex_jobs.search.space import Space
from vertex_jobs.search.trials import Algorithm

__all__ = ["AlgorithmName", "algorithm"]

AlgorithmName = Literal["grid", "random", "gaussian_process"]


def algorithm(
    name: AlgorithmName,
    space: Space,
    maximize: tuple[bool, ...],
    seed: int,
) -> Algorithm:
    """Return a search algorithm.

    Args:
        name: Which one.
        space: What it searches.
        maximize: For each metric whether more is better; at least one.
        seed: Not negative; fixes every random choice.

    Raises:
        ValueError: The name is unknown, there is no metric, the seed is negative, or the grid is
            asked for a continuous parameter.
    """
    if not maximize:
        raise ValueError("maximize (): a study needs a metric; give one flag for each")
    if seed < 0:
        raise ValueError(f"seed {seed}: must not be negative; use 0 or more")
    if name == "grid":
        from vertex_jobs.search.grid import GridSearch

        return GridSearch(space)
    if name == "random":
        from vertex_jobs.search.random_search import RandomSearch

        return RandomSearch(space, seed)
    if name == "gaussian_process":
        from vertex_jobs.search.gaussian_process import GaussianProcessSearch

        return GaussianProcessSearch(space, maximize, seed)
    raise ValueError(f"algorithm {name!r}: is unknown; use grid, random or gaussian_process")
