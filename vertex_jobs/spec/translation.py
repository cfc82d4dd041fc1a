"""Pydantic's errors, translated into faults with path, value, rule and remedy.

For ``inspection``. It knows pydantic's error types and no rule of Vertex AI.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from vertex_jobs.errors import Fault
from vertex_jobs.spec.spelling import suggestion

#: Error type -> (rule, remedy), filled with the error's context.
_TEXTS = {
    "missing": ("is required", "add it"),
    "string_type": ("must be text", "write text"),
    "string_too_short": ("must not be empty", "write a value or remove the key"),
    "string_too_long": ("has at most {max_length} characters", "shorten it"),
    "too_short": ("must not be empty", "add an entry or remove the key"),
    "too_long": ("has at most {max_length} entries", "remove some"),
    "invalid_key": ("must be text", "write the key in quotes"),
    "bool_type": ("must be true or false", "write true or false, without quotes"),
    "mapping_type": ("must be a mapping of keys to values", "write it as key: value"),
    "dict_type": ("must be a mapping of keys to values", "write it as key: value"),
    "model_type": ("must be a mapping of keys to values", "write it as key: value"),
    "model_attributes_type": ("must be a mapping of keys to values", "write it as key: value"),
    "sequence_str": ("must be a list, not one text", "write it as [{input}]"),
    "is_instance_of": ("must be a list", "write it as [a, b]"),
    "list_type": ("must be a list", "write it as [a, b]"),
    "tuple_type": ("must be a list", "write it as [a, b]"),
    "finite_number": ("must be finite", "write a finite number"),
    "greater_than": ("must be greater than {gt}", "raise it"),
    "greater_than_equal": ("must be at least {ge}", "raise it"),
    "less_than_equal": ("must be at most {le}", "lower it"),
    "union_tag_not_found": ("has no type", "add type: one of {expected}"),
}


#: Error type -> name of the rule; another type's rule has the type's name.
_RULE_IDS = {
    "missing": "required",
    "extra_forbidden": "unknown-key",
    "literal_error": "one-of",
    "union_tag_invalid": "one-of",
    "union_tag_not_found": "required",
    "spec": "field-value",
}


def read_path(root: object, loc: Sequence[int | str]) -> tuple[int | str, ...]:
    """Return the keys and indices of a pydantic location that exist in what was written.

    Pydantic puts the tags of its unions between them (``double`` before ``min``); these are left
    out. The last part stays, since a missing key is in no mapping.
    """
    path: list[int | str] = []
    here = root
    for number, part in enumerate(loc):
        last = number == len(loc) - 1
        if isinstance(here, Mapping):
            if part not in here and not last:
                continue
            here = here.get(part)
        elif isinstance(here, (list, tuple)):
            if not isinstance(part, int):
                continue
            here = here[part] if part < len(here) else None
        elif isinstance(here, BaseModel):
            here = getattr(here, str(part), None)
        else:
            continue
        path.append(part)
    return tuple(part for part in path if part != "[key]")


def translate(model: type[BaseModel], root: object, error: ErrorDetails) -> Fault:
    """Return one pydantic error as a fault."""
    kind = error["type"]
    return _fault(model, root, error).of_rule(_RULE_IDS.get(kind, kind.replace("_", "-")))


def _fault(model: type[BaseModel], root: object, error: ErrorDetails) -> Fault:
    path = read_path(root, error["loc"])
    name = ".".join(map(str, path))
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "spec":
        return Fault(name, value, context["rule"], context["remedy"])
    if kind == "missing":
        return Fault(name, None, "is required", f"add {path[-1]}")
    if kind == "extra_forbidden":
        known = _fields_at(model, error["loc"][:-1])
        otherwise = f"remove it; the keys here are {', '.join(known)}"
        return Fault(name, value, "is no key here", suggestion(str(path[-1]), known, otherwise))
    if kind in {"literal_error", "union_tag_invalid"}:
        expected = context.get("expected", "") or context["expected_tags"]
        choices = [choice.strip(" '") for choice in expected.replace(" or ", ", ").split(",")]
        if kind == "union_tag_invalid":
            name, value = f"{name}.type", context["tag"]
        rule = f"must be one of {', '.join(choices)}"
        return Fault(name, value, rule, suggestion(str(value), choices, "write one of these"))
    if kind == "union_tag_not_found":
        context = {"expected": "double, integer, discrete, categorical"}
    if isinstance(value, str) and kind in {"too_long", "too_short"}:
        kind = f"string_{kind}"
    rule, remedy = _TEXTS.get(kind, (error["msg"], "correct it"))
    shown = None if isinstance(value, (Mapping, list)) and not value else value
    return Fault(name, shown, rule.format(**context), remedy.format(input=value, **context))


def example_of(model: type[BaseModel], name: str) -> str:
    """Return the remedy for a missing field: how it could look."""
    examples = model.model_fields[name].examples
    return f"add for example {name}: {examples[0]}" if examples else f"add {name}"


def _fields_at(model: type[BaseModel], loc: Sequence[int | str]) -> list[str]:
    models = [model]
    for part in loc:
        following: list[type[BaseModel]] = []
        for here in models:
            if part in here.model_fields:
                following += _models_in(here.model_fields[str(part)].annotation)
        tagged = [here for here in models if part in _tags(here)]
        models = following or tagged or models
    return sorted({name for here in models for name in here.model_fields})


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _tags(model: type[BaseModel]) -> set[Any]:
    """Return the values of the one-value Literal fields, by which unions tell a model apart."""
    annotations = [field.annotation for field in model.model_fields.values()]
    singles = [get_args(a) for a in annotations if get_origin(a) is Literal]
    return {values[0] for values in singles if len(values) == 1}
