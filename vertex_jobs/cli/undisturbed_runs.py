"""Undisturbed runs of a rehearsed job, which say what its result should have been."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vertex_jobs import catalog
from vertex_jobs.cli.drill_observation import Seen, look_at_run
from vertex_jobs.cli.terminal import say
from vertex_jobs.drills.comparison import Comparison, chosen_metric
from vertex_jobs.job_kinds import short_state
from vertex_jobs.spec.kinds import HyperparameterTuningJob

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.spec import JobSpec

_MOST_RUNS = 2


def compare(
    endpoint: "Endpoint",
    job: "JobSpec",
    handle: "JobHandle",
    rehearsed: Seen,
    settings: Mapping[str, Any],
) -> Comparison | str:
    """Run the job undisturbed, again if the results differ; return the comparison, or why not."""
    if not rehearsed.metrics:
        return "its result was not compared: no metric was seen"
    undisturbed: list[Seen] = []
    while len(undisturbed) < _MOST_RUNS:
        number = len(undisturbed) + 1
        twin = endpoint.submit(_twin(job, handle, rehearsed, number), check=False, **settings)
        say(f"undisturbed run {number}, to compare the result: {twin.name}")
        _await(twin)
        state = short_state(twin.last_seen.state)
        if not twin.last_seen.succeeded:
            return f"its result was not compared: the undisturbed run ended as {state}"
        trial = "1" if rehearsed.trial else ""
        undisturbed.append(look_at_run(endpoint, twin, trial, ()))
        metric = chosen_metric(rehearsed.metrics, *(one.metrics for one in undisturbed))
        if metric is None:
            return "its result was not compared: the undisturbed run had no metric in common"
        values = [one.metrics[metric] for one in undisturbed]
        comparison = Comparison(metric, rehearsed.metrics[metric], values)
        if comparison.agrees:
            break
    return comparison


def _await(twin: "JobHandle") -> None:
    try:
        for _ in twin.watch():
            pass
    except KeyboardInterrupt:
        twin.cancel()
        raise


def _twin(job: "JobSpec", handle: "JobHandle", rehearsed: Seen, number: int) -> "JobSpec":
    """Return the same job with outputs of its own; of a study, the trial alone; no model."""
    suffix = f"-undisturbed-{number}"
    longest = catalog.load().limits.display_name_max_chars
    changes: dict[str, Any] = {
        "display_name": f"{job.display_name[: longest - len(suffix)]}{suffix}"
    }
    if job.base_output_dir is not None:
        changes["base_output_dir"] = f"{job.base_output_dir.rstrip('/')}{suffix}"
    local: dict[str, Any] = {"faults": ()}
    if isinstance(job, HyperparameterTuningJob):
        (trial,) = (one for one in handle.last_seen.study.trials if one.id == rehearsed.trial)
        local["initial_trials"] = (dict(trial.parameters),)
        changes |= {"max_trial_count": 1, "parallel_trial_count": 1}
    if "model_serving_container_image_uri" in type(job).model_fields:
        changes["model_serving_container_image_uri"] = None
    changes["local"] = job.local.model_copy(update=local)
    return job.model_copy(update=changes)
