"""Suggesting trials: grid, random and Gaussian process search over a study's parameters.

For the process that runs a study's search, which imports nothing else of this package, and for
whoever asks whether a study is possible: a space needs no NumPy. It takes and gives plain values;
it knows no protos, no jobs and no files.

    search = algorithm("gaussian_process", space, maximize=(True,), seed=0)
    search.suggest([3], completed=[...], pending=[...])
"""

from vertex_jobs.search.algorithms import algorithm
from vertex_jobs.search.space import Assignment, Parameter, Space
from vertex_jobs.search.trials import Algorithm, Completed, Pending

__all__ = ["Algorithm", "Assignment", "Completed", "Parameter", "Pending", "Space", "algorithm"]
