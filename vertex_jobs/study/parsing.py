"""A HyperparameterTuningJob in the API's JSON form, read into trials and objectives.

For `Study.from_resource`. The JSON may come from the service, the emulator or a file: 64-bit
integers are text, and a number that equals its default, 0 for one, is absent.

Source: HyperparameterTuningJob, StudySpec, Trial and Measurement protos.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vertex_jobs.names import GcsUri, is_gcs_uri
from vertex_jobs.search.study_spec import is_maximized
from vertex_jobs.study.trial_records import Measurement, Objective, ParameterValue, Trial


def read_objectives(resource: Mapping[str, Any]) -> tuple[Objective, ...]:
    """Return the study's metrics in the order of its spec; an unspecified goal means maximize."""
    return tuple(
        Objective(metric["metricId"], is_maximized(metric))
        for metric in resource.get("studySpec", {}).get("metrics", ())
    )


def read_trials(resource: Mapping[str, Any]) -> tuple[Trial, ...]:
    """Return every trial in the order of ids; the service guarantees no order."""
    whole = _whole_parameters(resource.get("studySpec", {}).get("parameters", ()))
    job_spec = resource.get("trialJobSpec", {})
    base = job_spec.get("baseOutputDirectory", {}).get("outputUriPrefix", "")
    trials = (_read_trial(trial, whole, base) for trial in resource.get("trials", ()))
    return tuple(sorted(trials, key=lambda trial: trial.order))


def _read_trial(trial: Mapping[str, Any], whole: frozenset[str], base: str) -> Trial:
    trial_id = str(trial.get("id", ""))
    final = trial.get("finalMeasurement", {})
    return Trial(
        id=trial_id,
        state=trial.get("state", "STATE_UNSPECIFIED"),
        parameters={
            parameter["parameterId"]: _typed(parameter["value"], parameter["parameterId"] in whole)
            for parameter in trial.get("parameters", ())
            if parameter.get("value") is not None
        },
        metrics=_read_metrics(final),
        step=int(final.get("stepCount", 0)) if final else None,
        measurements=tuple(
            Measurement(int(measurement.get("stepCount", 0)), _read_metrics(measurement))
            for measurement in trial.get("measurements", ())
        ),
        infeasible_reason=trial.get("infeasibleReason") or None,
        model_dir=_directory(base, trial_id, "model"),
        log_dir=_directory(base, trial_id, "logs"),
        start_time=trial.get("startTime"),
        end_time=trial.get("endTime"),
    )


def _directory(base: str, trial_id: str, name: str) -> str | None:
    """Return a directory of the trial; None where the job has no usable base directory."""
    if not is_gcs_uri(base):
        return None
    return str(GcsUri.parse(base).directory(trial_id, name))


def _read_metrics(measurement: Mapping[str, Any]) -> dict[str, float]:
    # Proto JSON writes the texts NaN and Infinity, which float reads.
    return {
        metric["metricId"]: float(metric.get("value", 0.0))
        for metric in measurement.get("metrics", ())
    }


def _typed(value: Any, is_whole: bool) -> ParameterValue:
    """Return the value in its own type: the API has doubles only, so an integer 8 comes as 8.0."""
    if isinstance(value, str):
        return value
    number = float(value)
    return int(number) if is_whole and number.is_integer() else number


def _whole_parameters(specs: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the ids whose every spec holds whole numbers only.

    Two conditional specs may share an id, so one fractional spec makes the id fractional.
    """
    flat = list(_with_children(specs))
    fractional = {spec.get("parameterId", "") for spec in flat if not _is_whole(spec)}
    return frozenset(spec.get("parameterId", "") for spec in flat) - fractional


def _is_whole(spec: Mapping[str, Any]) -> bool:
    if "integerValueSpec" in spec:
        return True
    values = spec.get("discreteValueSpec", {}).get("values", ())
    return bool(values) and all(float(value).is_integer() for value in values)


def _with_children(specs: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for spec in specs:
        yield spec
        children = spec.get("conditionalParameterSpecs", ())
        yield from _with_children(child.get("parameterSpec", {}) for child in children)
