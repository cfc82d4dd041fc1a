"""The study of a tuning job: metrics, parameters with children under their parents, stopping.

For ``bodies``. Source: StudySpec, StudyStoppingConfig, StudyTimeConstraint.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs.requests.codecs import INT64, ITEMS, SECONDS, WHOLE, Codec, enum
from vertex_jobs.requests.mapping import (
    Entry,
    Message,
    MessageTable,
    field,
    inner,
    pairs,
    special,
    tagged,
)
from vertex_jobs.spec import ParameterSpec


def _table(name: str, *entries: Entry) -> MessageTable:
    return MessageTable(f"StudySpec.{name}", *entries)


def _range(kind: str, codec: Codec) -> tuple[str, MessageTable]:
    """Return the field of a range and its table; a bound of 0 is a default and absent."""
    bounds = (field("minValue", "min", codec, absent=0), field("maxValue", "max", codec, absent=0))
    return f"{kind.lower()}ValueSpec", _table(f"ParameterSpec.{kind}ValueSpec", *bounds)


def _values(kind: str) -> tuple[str, MessageTable]:
    entry = field("values", "values", ITEMS)
    return f"{kind.lower()}ValueSpec", _table(f"ParameterSpec.{kind}ValueSpec", entry)


def _condition(kind: str, codec: Codec) -> tuple[str, MessageTable]:
    name = f"ParameterSpec.ConditionalParameterSpec.{kind}ValueCondition"
    return f"parent{kind}Values", _table(name, field("values", "when", codec))


_PARAMETER_SPEC = _table(
    "ParameterSpec",
    field("parameterId", "_id"),
    field("scaleType", "scale", enum("UNIT_", "_SCALE")),
    field("conditionalParameterSpecs", "_children"),
    tagged(
        {
            "double": _range("Double", WHOLE),
            "integer": _range("Integer", INT64),
            "discrete": _values("Discrete"),
            "categorical": _values("Categorical"),
        }
    ),
)
_INT64S = Codec(
    lambda values: [str(int(value)) for value in values],
    lambda values: [INT64.decode(one) for one in values] if isinstance(values, list) else values,
)
_DOUBLES = Codec(lambda values: [float(value) for value in values])
#: ``type`` is the parent's.
_CONDITIONAL_PARAMETER_SPEC = _table(
    "ParameterSpec.ConditionalParameterSpec",
    tagged(
        {
            "discrete": _condition("Discrete", _DOUBLES),
            "integer": _condition("Int", _INT64S),
            "categorical": _condition("Categorical", ITEMS),
        }
    ),
    field("parameterSpec", "_child"),
)


def _write_parameters(parameter_spec: Mapping[str, ParameterSpec]) -> list[dict[str, Any]]:
    roots = [name for name, parameter in parameter_spec.items() if not parameter.when]
    return [_write_parameter(name, parameter_spec) for name in roots]


def _write_parameter(name: str, parameter_spec: Mapping[str, ParameterSpec]) -> dict[str, Any]:
    parameter = parameter_spec[name]
    children = [
        _CONDITIONAL_PARAMETER_SPEC.encode(
            {
                "type": parameter.type,
                "when": child.when[name],
                "_child": _write_parameter(child_name, parameter_spec),
            }
        )
        for child_name, child in parameter_spec.items()
        if child.when and name in child.when
    ]
    return _PARAMETER_SPEC.encode({**dict(parameter), "_id": name, "_children": children})


def _read_parameters(messages: Sequence[Message]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for message in messages:
        _read_parameter(message, parameters, {})
    return {"parameter_spec": parameters}


def _read_parameter(message: Message, parameters: dict[str, Any], when: Mapping[str, Any]) -> None:
    children = message.messages("conditionalParameterSpecs")
    parameter = _PARAMETER_SPEC.decode(message)
    name = str(parameter.pop("_id", None))
    parameters[name] = parameter | ({"when": dict(when)} if when else {})
    for child in children:
        inner = child.message("parameterSpec")
        condition = _CONDITIONAL_PARAMETER_SPEC.decode(child)
        _read_parameter(inner, parameters, {name: condition.get("when", [])})


_METRIC_SPEC = _table("MetricSpec", field("metricId", "_name"), field("goal", "_value", enum()))
_ELAPSED = field("useElapsedDuration", "use_elapsed_duration")
_CONVEX = _table(
    "ConvexAutomatedStoppingSpec",
    _ELAPSED,
    field("maxStepCount", "max_step_count", INT64),
    field("minStepCount", "min_step_count", INT64),
    field("minMeasurementCount", "min_measurement_count", INT64),
    field("learningRateParameterName", "learning_rate_parameter_name"),
    field("updateAllStoppedTrials", "update_all_stopped_trials"),
)


def _time_constraint(key: str) -> MessageTable:
    return MessageTable("StudyTimeConstraint", field("maxDuration", key, SECONDS))


_STUDY_STOPPING_CONFIG = _table(
    "StudyStoppingConfig",
    field("shouldStopAsap", "should_stop_asap"),
    inner("minimumRuntimeConstraint", _time_constraint("minimum_runtime")),
    inner("maximumRuntimeConstraint", _time_constraint("maximum_runtime")),
    field("minNumTrials", "min_num_trials", WHOLE),
    field("maxNumTrials", "max_num_trials", WHOLE),
    field("maxNumTrialsNoProgress", "max_num_trials_no_progress", WHOLE),
    field("maxDurationNoProgress", "max_duration_no_progress", SECONDS),
)
STUDY_SPEC = MessageTable(
    "StudySpec",
    pairs("metrics", "metric_spec", _METRIC_SPEC, absent={}),
    special(
        "parameters",
        "parameter_spec",
        _write_parameters,
        _read_parameters,
        dict.fromkeys((_PARAMETER_SPEC, _CONDITIONAL_PARAMETER_SPEC), "parameter_spec."),
    ),
    field("algorithm", "search_algorithm", enum(suffix="_SEARCH")),
    field(
        "measurementSelectionType",
        "measurement_selection",
        enum(suffix="_MEASUREMENT"),
        absent="last",  # the API's default
    ),
    inner("studyStoppingConfig", _STUDY_STOPPING_CONFIG, key="study_stopping_config"),
    tagged(
        {
            "median": (
                "medianAutomatedStoppingSpec",
                _table("MedianAutomatedStoppingSpec", _ELAPSED),
            ),
            "decay_curve": (
                "decayCurveStoppingSpec",
                _table("DecayCurveAutomatedStoppingSpec", _ELAPSED),
            ),
            "convex": ("convexAutomatedStoppingSpec", _CONVEX),
        },
        key="automated_stopping_spec",
    ),
)
