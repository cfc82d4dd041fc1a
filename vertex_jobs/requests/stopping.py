"""The rules that stop trials and studies, to the API's JSON.

For ``studies``. Source: StudySpec; StudyStoppingConfig;
StudyTimeConstraint.
"""

from typing import Any

from vertex_jobs.requests.job_specs import set_fields
from vertex_jobs.spec.gcloud_studies import AUTOMATED_STOPPING_FIELDS
from vertex_jobs.spec.stopping import AutomatedStoppingSpec, ConvexStoppingSpec, StudyStoppingConfig

__all__ = ["automated_stopping", "study_stopping"]

#: 64-bit integers, which are texts in the API's JSON.
_STEPS = {
    "max_step_count": "maxStepCount",
    "min_step_count": "minStepCount",
    "min_measurement_count": "minMeasurementCount",
}
#: These wrap their values, so that 0 and false are not "not set".
_COUNTS = {
    "min_num_trials": "minNumTrials",
    "max_num_trials": "maxNumTrials",
    "max_num_trials_no_progress": "maxNumTrialsNoProgress",
}
_RUNTIMES = {
    "minimum_runtime": "minimumRuntimeConstraint",
    "maximum_runtime": "maximumRuntimeConstraint",
}


def automated_stopping(spec: AutomatedStoppingSpec | None) -> dict[str, Any]:
    """The one field of StudySpec that says the rule; none without a rule."""
    if spec is None:
        return {}
    content = set_fields(useElapsedDuration=spec.use_elapsed_duration)
    if isinstance(spec, ConvexStoppingSpec):
        for name, field in _STEPS.items():
            if getattr(spec, name):
                content[field] = str(getattr(spec, name))
        content |= set_fields(
            learningRateParameterName=spec.learning_rate_parameter_name,
            updateAllStoppedTrials=spec.update_all_stopped_trials,
        )
    return {AUTOMATED_STOPPING_FIELDS[spec.type]: content}


def study_stopping(config: StudyStoppingConfig | None) -> dict[str, Any]:
    """The StudyStoppingConfig; empty without one."""
    if config is None:
        return {}
    found: dict[str, Any] = {"shouldStopAsap": True} if config.should_stop_asap else {}
    for name, field in _RUNTIMES.items():
        if getattr(config, name) is not None:
            found[field] = {"maxDuration": f"{getattr(config, name)}s"}
    for name, field in _COUNTS.items():
        if getattr(config, name) is not None:
            found[field] = getattr(config, name)
    if config.max_duration_no_progress is not None:
        found["maxDurationNoProgress"] = f"{config.max_duration_no_progress}s"
    return found
