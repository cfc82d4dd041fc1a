"""One short real trial on Local Vertex, to see which metrics a script really reports.

For `LocalEndpoint.dry_trial`. The trial ends as soon as every metric of the study has been
reported, so it takes as long as the script needs for its first report.
"""

import re
from collections.abc import Callable, Iterator

from vertex_jobs.client import JobHandle
from vertex_jobs.errors import Fault, JobFailedError, UnsupportedHereError
from vertex_jobs.spec import HyperparameterTuningJob, JobSpec
from vertex_jobs.spec.spelling import suggestion

#: The line by which Local Vertex names a metric that is none of the study's.
_OTHER_METRIC = re.compile(r"The metric '([^']+)' was reported but is not one of the study's")


def try_one(
    submit: Callable[[JobSpec], JobHandle],
    reported_metrics: Callable[[str], frozenset[str]],
    job: JobSpec,
) -> tuple[Fault, ...]:
    """Run one trial, and return the metrics it did not report; see `Endpoint.dry_trial`.

    ``reported_metrics`` tells by a job's name what its trials have reported so far.
    """
    if not isinstance(job, HyperparameterTuningJob):
        raise UnsupportedHereError(f"a {job.kind} has no trials; a dry trial is for a study")
    counts = {"max_trial_count": 1, "parallel_trial_count": 1, "max_failed_trial_count": 0}
    one = job.model_copy(update={**counts, "fallback": ()})
    handle = submit(one)
    reported = _reported(handle, reported_metrics, frozenset(job.metric_spec))
    if reported.issuperset(job.metric_spec):
        handle.cancel()
        return ()
    return tuple(_faults(job, reported, _others(handle), _failure(handle)))


def _reported(
    handle: JobHandle, reported_metrics: Callable[[str], frozenset[str]], wanted: frozenset[str]
) -> frozenset[str]:
    """Return the metrics that the trial has reported by its end; all of them end the wait."""
    while True:
        snapshot = handle.refresh()  # Local Vertex answers when something has changed
        seen = reported_metrics(handle.name)
        if snapshot.done or wanted <= seen:
            return seen


def _others(handle: JobHandle) -> list[str]:
    found = (_OTHER_METRIC.search(entry.text) for entry in handle.logs())
    return list(dict.fromkeys(match[1] for match in found if match is not None))


def _failure(handle: JobHandle) -> str:
    """Return the cause if the trial failed, and did not merely report nothing."""
    error = handle.exception()
    return error.message if isinstance(error, JobFailedError) else ""


def _faults(
    job: HyperparameterTuningJob, reported: frozenset[str], others: list[str], failure: str
) -> Iterator[Fault]:
    for name in job.metric_spec:
        if name in reported:
            continue
        cause = "" if others or not failure else f": {failure.rstrip('.')}"
        rule = f"a trial did not report it{cause}"
        listed = f"it reported {', '.join(others)}" if others else "report it in the script"
        yield Fault(f"metric_spec.{name}", name, rule, suggestion(name, others, listed))
