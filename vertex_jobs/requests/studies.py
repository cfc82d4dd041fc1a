"""The study of a tuning job: metrics and parameters, children under their parents.

For ``bodies``. Source: StudySpec.
"""

from collections.abc import Mapping
from typing import Any

from vertex_jobs.requests.job_specs import set_fields
from vertex_jobs.requests.stopping import automated_stopping, study_stopping
from vertex_jobs.spec import (
    CategoricalParameterSpec,
    DiscreteParameterSpec,
    DoubleParameterSpec,
    HyperparameterTuningJob,
    IntegerParameterSpec,
    ParameterSpec,
)

__all__ = ["study_spec"]


def study_spec(job: HyperparameterTuningJob) -> dict[str, Any]:
    """The StudySpec of a tuning job."""
    roots = [name for name, parameter in job.parameter_spec.items() if not parameter.when]
    algorithm = job.search_algorithm
    return set_fields(
        metrics=[
            {"metricId": name, "goal": goal.upper()} for name, goal in job.metric_spec.items()
        ],
        parameters=[_parameter(name, job.parameter_spec) for name in roots],
        algorithm=f"{algorithm.upper()}_SEARCH" if algorithm else None,
        measurementSelectionType=f"{job.measurement_selection.upper()}_MEASUREMENT",
        studyStoppingConfig=study_stopping(job.study_stopping_config),
    ) | automated_stopping(job.automated_stopping_spec)


def _parameter(name: str, parameter_spec: Mapping[str, ParameterSpec]) -> dict[str, Any]:
    parameter = parameter_spec[name]
    scale = None if isinstance(parameter, CategoricalParameterSpec) else parameter.scale
    return set_fields(
        parameterId=name,
        scaleType=f"UNIT_{scale.upper()}_SCALE" if scale else None,
        conditionalParameterSpecs=[
            {
                **_condition(parameter, list(child.when[name])),
                "parameterSpec": _parameter(child_name, parameter_spec),
            }
            for child_name, child in parameter_spec.items()
            if child.when and name in child.when
        ],
    ) | _values(parameter)


def _values(parameter: ParameterSpec) -> dict[str, Any]:
    """The parameter's value spec, keyed by its kind; a bound of 0 is a default and absent."""
    if isinstance(parameter, DoubleParameterSpec):
        bounds = set_fields(minValue=parameter.min, maxValue=parameter.max)
        return {"doubleValueSpec": bounds}
    if isinstance(parameter, IntegerParameterSpec):
        bounds = {"minValue": parameter.min, "maxValue": parameter.max}
        return {"integerValueSpec": {key: str(value) for key, value in bounds.items() if value}}
    if isinstance(parameter, DiscreteParameterSpec):
        return {"discreteValueSpec": {"values": list(parameter.values)}}
    return {"categoricalValueSpec": {"values": list(parameter.values)}}


def _condition(parent: ParameterSpec, values: list[Any]) -> dict[str, Any]:
    if isinstance(parent, IntegerParameterSpec):
        return {"parentIntValues": {"values": [str(int(value)) for value in values]}}
    if isinstance(parent, DiscreteParameterSpec):
        return {"parentDiscreteValues": {"values": [float(value) for value in values]}}
    return {"parentCategoricalValues": {"values": values}}
