"""The study of a tuning job in the API's JSON form, read as a config.

For ``gcloud``. Source: StudySpec, StudyStoppingConfig.
"""

from collections.abc import Mapping
from typing import Any

from vertex_jobs.spec.messages import Message, lower, pair, seconds, snake, whole, word

__all__ = ["AUTOMATED_STOPPING_FIELDS", "read_study_spec"]

#: Type of a config's automated_stopping_spec to the field of StudySpec that says it.
AUTOMATED_STOPPING_FIELDS = {
    "median": "medianAutomatedStoppingSpec",
    "decay_curve": "decayCurveStoppingSpec",
    "convex": "convexAutomatedStoppingSpec",
}
_CONVEX = (
    "maxStepCount",
    "minStepCount",
    "minMeasurementCount",
    "learningRateParameterName",
    "updateAllStoppedTrials",
)


def read_study_spec(study: Message) -> dict[str, Any]:
    """The keys of a tuning job's config that its study says."""
    metrics = dict(pair(metric, "metricId", "goal", lower) for metric in study.messages("metrics"))
    parameters: dict[str, Any] = {}
    for parameter in study.messages("parameters"):
        _parameter(parameter, parameters, {})
    config: dict[str, Any] = {"metric_spec": metrics, "parameter_spec": parameters}
    config |= study.named("algorithm", "search_algorithm", lambda text: word(text, "_SEARCH"))
    config["measurement_selection"] = "last"  # the API's default
    config |= study.named(
        "measurementSelectionType",
        "measurement_selection",
        lambda text: word(text, "_MEASUREMENT"),
    )
    config |= _automated_stopping(study)
    config |= _study_stopping(study)
    study.close()
    return config


def _automated_stopping(study: Message) -> dict[str, Any]:
    for kind, name in AUTOMATED_STOPPING_FIELDS.items():
        if name in study.fields:
            message = study.message(name)
            rule: dict[str, Any] = {"type": kind}
            for field in ("useElapsedDuration", *(_CONVEX if kind == "convex" else ())):
                rule |= message.named(field, snake(field), whole)
            message.close()
            return {"automated_stopping_spec": rule}
    return {}


def _study_stopping(study: Message) -> dict[str, Any]:
    if "studyStoppingConfig" not in study.fields:
        return {}
    message = study.message("studyStoppingConfig")
    config = message.named("shouldStopAsap", "should_stop_asap")
    for field in ("minNumTrials", "maxNumTrials", "maxNumTrialsNoProgress"):
        config |= message.named(field, snake(field), whole)
    for field, key in (
        ("minimumRuntimeConstraint", "minimum_runtime"),
        ("maximumRuntimeConstraint", "maximum_runtime"),
    ):
        constraint = message.message(field)
        config |= constraint.named("maxDuration", key, seconds)
        constraint.close()
    config |= message.named("maxDurationNoProgress", "max_duration_no_progress", seconds)
    message.close()
    return {"study_stopping_config": config}


def _parameter(message: Message, parameters: dict[str, Any], when: Mapping[str, Any]) -> None:
    """A parameter and, after it, those below it."""
    name = str(message.take("parameterId"))
    parameter: dict[str, Any] = {}
    for kind in ("double", "integer", "discrete", "categorical"):
        if f"{kind}ValueSpec" in message.fields:
            spec = message.message(f"{kind}ValueSpec")
            parameter["type"] = kind
            if kind in ("double", "integer"):
                parameter["min"] = whole(spec.take("minValue") or 0)
                parameter["max"] = whole(spec.take("maxValue") or 0)
            else:
                parameter["values"] = spec.take("values")
            spec.close()
    scale = message.take("scaleType")
    if scale is not None:
        parameter["scale"] = word(str(scale).removeprefix("UNIT_"), "_SCALE")
    parameters[name] = parameter | ({"when": dict(when)} if when else {})
    for child in message.messages("conditionalParameterSpecs"):
        condition: list[Any] = []
        for kind in ("Discrete", "Int", "Categorical"):
            parents = child.message(f"parent{kind}Values")
            values = parents.take("values") or []
            condition += [whole(value) if kind == "Int" else value for value in values]
            parents.close()
        _parameter(child.message("parameterSpec"), parameters, {name: condition})
        child.close()
    message.close()
