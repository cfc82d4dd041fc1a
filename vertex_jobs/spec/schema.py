"""The JSON Schema of configs, for editors.

Published as ``config.schema.json`` beside this module, which ``tests/docs/config_pages.py`` makes
anew. It says types and single-value limits; the rules across fields are only in ``rules``. What a
config with a ``base`` leaves out may stand there, so such a config need not be complete.
"""

import json
from pathlib import Path
from typing import Any

from vertex_jobs.spec.kinds import KINDS
from vertex_jobs.spec.script_parameters import FROM_SCRIPT

PUBLISHED = Path(__file__).with_name("config.schema.json")

#: Pydantic keeps its own word for a limit on a value that a function reads.
_KEYWORDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum"}
_BASE = {
    "description": "Config or configs that this one is laid over, paths from this file on.",
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
    ],
}


def json_schema(kind: str | None = None) -> dict[str, Any]:
    """Return the schema of one kind of config, or of all three told apart by ``kind``."""
    if kind is not None:
        schema: dict[str, Any] = _clean(KINDS[kind].model_json_schema())
        if "parameter_spec" in schema["properties"]:
            schema["properties"]["parameter_spec"] |= _or_from_script(schema)
        return schema
    definitions: dict[str, Any] = {}
    choices = []
    for model in KINDS.values():
        one = json_schema(str(model.model_fields["kind"].default))
        definitions |= one.pop("$defs", {})
        definitions[model.__name__] = _with_base(one)
        choices.append({"$ref": f"#/$defs/{model.__name__}"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A vertex_jobs config",
        "anyOf": choices,
        "$defs": definitions,
    }


def published_text() -> str:
    """Return the text of the published file."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


def _or_from_script(schema: dict[str, Any]) -> dict[str, Any]:
    """Let a config leave things to the script; reading puts them in before the model sees it."""
    field = schema["properties"]["parameter_spec"]
    keywords = ("type", "minProperties", "additionalProperties", "propertyNames")
    mapping = {name: field.pop(name) for name in keywords if name in field}
    by_script = {"const": FROM_SCRIPT}
    mapping["additionalProperties"] = {"anyOf": [by_script, mapping["additionalProperties"]]}
    return {"anyOf": [by_script, mapping]}


def _with_base(schema: dict[str, Any]) -> dict[str, Any]:
    required = schema.pop("required")
    schema["properties"] = {"base": _BASE, **schema["properties"]}
    return schema | {"if": {"required": ["base"]}, "else": {"required": required}}


def _clean(node: Any) -> Any:
    """Drop the titles made of names, use JSON Schema's keywords, and require the tags."""
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
