"""A StudySpec back as the keys of a config: what ``studies`` writes, read.

For ``reading``. Source: StudySpec.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vertex_jobs.requests.stopping import read_stopping

__all__ = ["read_study_spec"]

_CONDITIONS = ("parentDiscreteValues", "parentIntValues", "parentCategoricalValues")


def read_study_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a tuning job's config that its study says."""
    algorithm = str(spec.get("algorithm", "")).removesuffix("_SEARCH").lower()
    selection = str(spec.get("measurementSelectionType", "LAST_MEASUREMENT"))
    return {
        "metric_spec": {
            metric["metricId"]: "minimize" if metric.get("goal") == "MINIMIZE" else "maximize"
            for metric in spec.get("metrics", ())
        },
        "parameter_spec": {
            name: parameter
            for root in spec.get("parameters", ())
            for name, parameter in _parameters(root, {})
        },
        "search_algorithm": algorithm if algorithm in ("grid", "random") else None,
        "measurement_selection": "best" if selection == "BEST_MEASUREMENT" else "last",
        **read_stopping(spec),
    }


def _parameters(
    spec: Mapping[str, Any], when: Mapping[str, list[Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A parameter, then those below it, each with its condition."""
    name, found = spec["parameterId"], _values(spec)
    scale = str(spec.get("scaleType", "")).removeprefix("UNIT_").removesuffix("_SCALE").lower()
    if scale in ("linear", "log", "reverse_log"):
        found["scale"] = scale
    if when:
        found["when"] = dict(when)
    yield name, found
    for conditional in spec.get("conditionalParameterSpecs", ()):
        field = next(one for one in _CONDITIONS if one in conditional)
        values = conditional[field].get("values", ())
        listed = [
            value if field == "parentCategoricalValues" else _plain(value) for value in values
        ]
        yield from _parameters(conditional["parameterSpec"], {name: listed})


def _values(spec: Mapping[str, Any]) -> dict[str, Any]:
    if "doubleValueSpec" in spec:
        bounds, convert = spec["doubleValueSpec"], float
        return {
            "type": "double",
            "min": convert(bounds.get("minValue", 0)),
            "max": convert(bounds.get("maxValue", 0)),
        }
    if "integerValueSpec" in spec:
        bounds = spec["integerValueSpec"]
        low, high = int(bounds.get("minValue", 0)), int(bounds.get("maxValue", 0))
        return {"type": "integer", "min": low, "max": high}
    if "discreteValueSpec" in spec:
        values = [_plain(value) for value in spec["discreteValueSpec"].get("values", ())]
        return {"type": "discrete", "values": values}
    return {"type": "categorical", "values": list(spec["categoricalValueSpec"].get("values", ()))}


def _plain(value: float | str) -> float | int:
    """Whole numbers as such: the API has 64-bit integers as text and discrete values as floats."""
    number = float(value)
    return int(number) if number.is_integer() else number
