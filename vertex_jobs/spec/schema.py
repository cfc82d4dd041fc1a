"""The JSON Schema of configs, for editors.

For publication beside the documentation. It says types and single-value limits; the rules across
fields are only in ``rules``.
"""

from typing import Any

from vertex_jobs.spec.kinds import KINDS

__all__ = ["json_schema"]


#: Pydantic keeps its own word for a limit on a value that a function reads.
_KEYWORDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum"}


def json_schema(kind: str | None = None) -> dict[str, Any]:
    """The schema of one kind of config, or of all three told apart by ``kind``."""
    if kind is not None:
        schema: dict[str, Any] = _clean(KINDS[kind].model_json_schema())
        return schema
    definitions: dict[str, Any] = {}
    choices = []
    for model in KINDS.values():
        one = json_schema(str(model.model_fields["kind"].default))
        definitions |= one.pop("$defs", {})
        definitions[model.__name__] = one
        choices.append({"$ref": f"#/$defs/{model.__name__}"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A vertex_jobs config",
        "oneOf": choices,
        "discriminator": {"propertyName": "kind"},
        "required": ["kind"],
        "$defs": definitions,
    }


def _clean(node: Any) -> Any:
    """Without the titles made of names, with JSON Schema's keywords, and with tags required."""
    if isinstance(node, list):
        return [_clean(item) for item in node]
    if not isinstance(node, dict):
        return node
    cleaned = {_KEYWORDS.get(k, k): _clean(value) for k, value in node.items() if k != "title"}
    if isinstance(node.get("properties"), dict):
        cleaned["properties"] = {name: _clean(spec) for name, spec in node["properties"].items()}
        tags = [name for name, spec in node["properties"].items() if "const" in spec]
        if tags:
            cleaned["required"] = sorted({*tags, *node.get("required", [])})
    return cleaned
