"""The SDK's own parameter specs, read without importing the SDK.

For ``HyperparameterTuningJob``. An object of ``google.cloud.aiplatform.hyperparameter_tuning`` is
known by the proto member it fills. Its children, which hang on the parent there, become entries of
their own with ``when``.
"""

from collections.abc import Iterator, Mapping
from typing import Any

#: Member of StudySpec.ParameterSpec -> (type here, fields to copy).
_KINDS = {
    "double_value_spec": ("double", ("min", "max", "scale")),
    "integer_value_spec": ("integer", ("min", "max", "scale")),
    "discrete_value_spec": ("discrete", ("values", "scale")),
    "categorical_value_spec": ("categorical", ("values",)),
}


def flatten(parameter_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Each parameter by id, children included; what is no SDK object stays as it is.

    A child whose id is taken keeps its place under ``id (under parent)``, an id that no rule
    accepts, so that the repetition is reported and nothing is lost unseen.
    """
    flat: dict[str, Any] = {}
    for name, written, parent in _walk(parameter_spec, None):
        flat[name if name not in flat else f"{name} (under {parent})"] = written
    return flat


def _walk(specs: Mapping[str, Any], parent: str | None) -> Iterator[tuple[str, Any, str | None]]:
    for name, spec in specs.items():
        kind = _KINDS.get(getattr(spec, "_parameter_spec_value_key", ""))
        if kind is None:
            yield name, spec, parent
            continue
        type_name, copied = kind
        written: dict[str, Any] = {"type": type_name}
        written |= {field: getattr(spec, field) for field in copied}
        if written.get("scale") == "unspecified":
            del written["scale"]
        if parent is not None:
            written["when"] = {parent: list(spec.parent_values or ())}
        yield name, written, parent
        yield from _walk(spec.conditional_parameter_spec or {}, name)
