"""Rules on a study as a whole: how many trials, and what they can learn from each other.

Whether a study is valid is a matter of the spec.
"""

import math
from collections.abc import Iterator, Mapping

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import (
    DoubleParameterSpec,
    HyperparameterTuningJob,
    IntegerParameterSpec,
    ParameterSpec,
)

_TUNING = 'documentation page "Use hyperparameter tuning"'


@rule("warning", source="quota page of the older Vizier product", needs=["max_trial_count"])
def trials_within_limit(subject: Subject) -> Iterator[Fault]:
    """A study has no more trials than the older service allowed."""
    limit = subject.catalog.limits.max_trial_count
    job = subject.job
    if isinstance(job, HyperparameterTuningJob) and job.max_trial_count > limit:
        yield Fault(
            "max_trial_count",
            job.max_trial_count,
            f"more than {limit} trials were refused by the older service",
            "split the study, or try it with few trials first",
        )


@rule(
    "warning",
    source=_TUNING,
    needs=["max_trial_count", "parallel_trial_count", "search_algorithm"],
)
def search_can_learn(subject: Subject) -> Iterator[Fault]:
    """The default search sees some results before it suggests the last trials."""
    job = subject.job
    if not isinstance(job, HyperparameterTuningJob) or job.search_algorithm is not None:
        return
    if 1 < job.max_trial_count <= job.parallel_trial_count:
        yield Fault(
            "parallel_trial_count",
            job.parallel_trial_count,
            "all trials start at once, so none learns from another",
            f"write {max(1, job.max_trial_count // 4)}, or search_algorithm: random",
        )


@rule(
    "warning",
    source="StudySpec.Algorithm, Study.State",
    needs=["max_trial_count", "parameter_spec", "search_algorithm"],
)
def space_fits_trials(subject: Subject) -> Iterator[Fault]:
    """A study has no more trials than its space has points, unless random; a grid no fewer."""
    job = subject.job
    if not isinstance(job, HyperparameterTuningJob) or job.search_algorithm == "random":
        return
    points = _points(job.parameter_spec)
    if points is None:
        return
    kind = "grid" if job.search_algorithm else "space"
    if points < job.max_trial_count:
        rule = f"the {kind} has {points} points, and the study ends with them"
    elif kind == "grid" and points > job.max_trial_count:
        rule = f"the grid has {points} points, and the others are never tried"
    else:
        return
    yield Fault("max_trial_count", job.max_trial_count, rule, f"write {points}")


def _points(parameters: Mapping[str, ParameterSpec]) -> int | None:
    """Return the number of points of the space; None if it is no product or a range is reversed."""
    sizes = []
    for parameter in parameters.values():
        if parameter.when or isinstance(parameter, DoubleParameterSpec):
            return None
        if isinstance(parameter, IntegerParameterSpec):
            sizes.append(parameter.max - parameter.min + 1)
        else:
            sizes.append(len(set(parameter.values)))
    return math.prod(sizes) if min(sizes, default=0) > 0 else None


TRIAL_COUNT_RULES = (trials_within_limit, search_can_learn, space_fits_trials)
