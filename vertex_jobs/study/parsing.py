"""The API's JSON of a HyperparameterTuningJob, read into trials and objectives.

For `Study.from_resource`. The JSON may come from the service, the emulator or a file: 64-bit
integers are text, and a number that equals its default, 0 for one, is absent.

Source: HyperparameterTuningJob, StudySpec, Trial and Measurement protos.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.names import GcsUri, is_gcs_uri
from vertex_jobs.study.trial_records import Measurement, Objective, ParameterValue, Trial

__all__ = ["read_objectives", "read_trials"]


def read_objectives(resource: Mapping[str, Any]) -> tuple[Objective, ...]:
    """The study's metrics in the order of its spec; an unspecified goal means maximize."""
    return tuple(
        Objective(metric["metricId"], metric.get("goal") not in {"MINIMIZE", 2})
        for metric in resource.get("studySpec", {}).get("metrics", ())
    )


def read_trials(resource: Mapping[str, Any]) -> tuple[Trial, ...]:
    """Every trial, by number; the service lists them in no order that can be relied on."""
    whole = _whole_parameters(resource.get("studySpec", {}).get("parameters", ()))
    job_spec = resource.get("trialJobSpec", {})
    base = job_spec.get("baseOutputDirectory", {}).get("outputUriPrefix", "")
    trials = (_read_trial(trial, whole, base) for trial in resource.get("trials", ()))
    return tuple(sorted(trials, key=lambda trial: trial.order))


def _read_trial(trial: Mapping[str, Any], whole: frozenset[str], base: str) -> Trial:
    trial_id = str(trial.get("id", ""))
    return Trial(
        id=trial_id,
        state=trial.get("state", "STATE_UNSPECIFIED"),
        parameters={
            parameter["parameterId"]: _typed(parameter["value"], parameter["parameterId"] in whole)
            for parameter in trial.get("parameters", ())
            if parameter.get("value") is not None
        },
        metrics=_read_metrics(trial.get("finalMeasurement", {})),
        measurements=tuple(
            Measurement(int(measurement.get("stepCount", 0)), _read_metrics(measurement))
            for measurement in trial.get("measurements", ())
        ),
        infeasible_reason=trial.get("infeasibleReason") or None,
        model_dir=_model_directory(base, trial_id),
        start_time=trial.get("startTime"),
        end_time=trial.get("endTime"),
    )


def _model_directory(base: str, trial_id: str) -> str | None:
    """AIP_MODEL_DIR of the trial; None where the job has no usable base directory."""
    if not is_gcs_uri(base):
        return None
    return str(GcsUri.parse(base).directory(trial_id, "model"))


def _read_metrics(measurement: Mapping[str, Any]) -> dict[str, float]:
    # Proto JSON writes the texts NaN and Infinity, which float reads.
    return {
        metric["metricId"]: float(metric.get("value", 0.0))
        for metric in measurement.get("metrics", ())
    }


def _typed(value: Any, is_whole: bool) -> ParameterValue:
    """The API has one number type; an integer parameter reads back as 8.0 and means 8."""
    if isinstance(value, str):
        return value
    number = float(value)
    return int(number) if is_whole and number.is_integer() else number


@dataclass(frozen=True)
class _Flat:
    """One parameter spec, with its conditional children laid beside it."""

    parameter_id: str
    spec: Mapping[str, Any]


def _whole_parameters(specs: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Ids whose every spec holds whole numbers only.

    Two conditional specs may share an id, so one fractional spec makes the id fractional.
    """
    verdicts: dict[str, bool] = {}
    for flat in _flatten(specs):
        verdicts[flat.parameter_id] = verdicts.get(flat.parameter_id, True) and _is_whole(flat.spec)
    return frozenset(parameter_id for parameter_id, whole in verdicts.items() if whole)


def _is_whole(spec: Mapping[str, Any]) -> bool:
    if "integerValueSpec" in spec:
        return True
    values = spec.get("discreteValueSpec", {}).get("values", ())
    return bool(values) and all(float(value).is_integer() for value in values)


def _flatten(specs: Iterable[Mapping[str, Any]]) -> Iterator[_Flat]:
    for spec in specs:
        yield _Flat(spec.get("parameterId", ""), spec)
        children = spec.get("conditionalParameterSpecs", ())
        yield from _flatten(child.get("parameterSpec", {}) for child in children)
