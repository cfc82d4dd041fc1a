"""List filters over the API's messages.

Comparisons of any field: texts, numbers, enum names, times (RFC 3339) and labels. Field names may
be snake_case or camelCase; a dot reaches into messages and maps. ``:`` asks whether something is
there, and takes ``*`` as a wildcard in texts.
Source: AIP-160; ListTrainingPipelinesRequest and ListModelsRequest protos.
"""

import fnmatch
import operator
import re
from collections.abc import Callable, Container, Mapping
from datetime import datetime, timezone
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.services.expressions import Comparison, Node, Not, holds, parse
from vertex_jobs.emulator.status import ApiError

Predicate = Callable[[protos.Message], bool]

#: The comparisons of two values of one type.
ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TIMESTAMP = "google.protobuf.Timestamp"
_DURATION = "google.protobuf.Duration"


def compile_filter(text: str, message_class: protos.Message) -> Predicate:
    """Return a predicate over messages of that class; the empty filter accepts all.

    Raises:
        ApiError: INVALID_ARGUMENT, if the text is not understood or names an unknown field.
    """
    tree = parse(text)
    blank = message_class()
    for comparison in _comparisons(tree):
        _compare(blank, comparison)
    return lambda message: holds(tree, lambda comparison: _compare(message, comparison))


def undocumented(text: str, documented: Mapping[str, Container[str]]) -> list[str]:
    """Return the comparisons of a filter that its method's documentation does not name.

    ``documented`` holds operators by field; a map's fields stand below its own name.
    """
    return [
        f"{comparison.field} {comparison.operator}"
        for comparison in _comparisons(parse(text))
        if comparison.operator not in documented.get(comparison.field.partition(".")[0], ())
    ]


def _comparisons(node: Node | None) -> list[Comparison]:
    if node is None:
        return []
    if isinstance(node, Comparison):
        return [node]
    parts = (node.part,) if isinstance(node, Not) else node.parts
    return [comparison for part in parts for comparison in _comparisons(part)]


def parse_time(text: str) -> int:
    """Return an RFC 3339 time or date in nanoseconds since 1970, or raise INVALID_ARGUMENT."""
    # Python 3.10 reads neither "Z" nor any number of decimals; the API has up to nine.
    decimals = re.search(r"\.(\d{1,9})\d*", text)
    whole = text.replace(decimals[0], "") if decimals else text
    try:
        moment = datetime.fromisoformat(whole.replace("Z", "+00:00"))
    except ValueError as error:
        raise ApiError("INVALID_ARGUMENT", f"{text!r} is not a timestamp.") from error
    moment = moment.replace(tzinfo=moment.tzinfo or timezone.utc)
    return round(moment.timestamp()) * 10**9 + (int(f"{decimals[1]:0<9}") if decimals else 0)


def field_value(message: protos.Message, path: str) -> tuple[bool, Any, Any]:
    """Follow a dotted path; return whether it leads somewhere, its value and its descriptor.

    The descriptor is None for the value of a map, which is a text.

    Raises:
        ApiError: INVALID_ARGUMENT, if there is no such field.
    """
    head, _, rest = path.partition(".")
    name = re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), head)
    descriptor = message.DESCRIPTOR.fields_by_name.get(name)
    if descriptor is None:
        raise ApiError("INVALID_ARGUMENT", f"The filter names an unknown field {path!r}.")
    value = getattr(message, name)
    kind = descriptor.message_type
    if kind is not None and kind.GetOptions().map_entry:
        if not rest:
            return bool(value), value, descriptor
        return rest in value, value.get(rest, ""), None
    if rest:
        if kind is None or descriptor.is_repeated:
            raise ApiError("INVALID_ARGUMENT", f"The filter names an unknown field {path!r}.")
        return field_value(value, rest)
    present = message.HasField(name) if kind is not None and not descriptor.is_repeated else value
    return bool(present), value, descriptor


def _compare(message: protos.Message, comparison: Comparison) -> bool:
    present, value, descriptor = field_value(message, comparison.field)
    if comparison.operator == ":":
        return _has(present, value, comparison)
    if comparison.operator not in ORDERED or isinstance(value, (dict, list)):
        raise ApiError(
            "INVALID_ARGUMENT",
            f"The filter compares {comparison.field!r} with {comparison.operator!r}, which it "
            "does not take.",
        )
    actual, wanted = _operands(value, descriptor, comparison)
    if not present and comparison.operator != "!=" and (descriptor is None or actual is None):
        return False
    if actual is None:
        return True  # an unset time is unlike any other
    return ORDERED[comparison.operator](actual, wanted)


def _has(present: bool, value: Any, comparison: Comparison) -> bool:
    """Return whether ``field:*`` is set, ``map:key`` has the key, or a text with ``*`` matches."""
    if comparison.value == "*":
        return present
    if isinstance(value, str):
        pattern = re.sub(r"([\[?])", r"[\1]", comparison.value)
        return present and fnmatch.fnmatchcase(value, pattern)
    if hasattr(value, "keys"):
        return comparison.value in value
    try:
        return any(str(one) == comparison.value for one in value)
    except TypeError:
        return present and str(value) == comparison.value


def _operands(value: Any, descriptor: Any, comparison: Comparison) -> tuple[Any, Any]:
    """Both sides in one type; the first is None for a time or duration that is not set."""
    wanted = comparison.value
    if descriptor is None or isinstance(value, str):
        return str(value), wanted
    kind = descriptor.message_type.full_name if descriptor.message_type else ""
    if kind == _TIMESTAMP:
        nanoseconds = parse_time(wanted)
        return (value.ToNanoseconds() if value.ByteSize() else None), nanoseconds
    if kind == _DURATION:
        return (value.ToMilliseconds() / 1e3 if value.ByteSize() else None), _number(
            wanted.removesuffix("s"), comparison
        )
    if descriptor.enum_type is not None:
        return descriptor.enum_type.values_by_number[value].name, wanted
    if isinstance(value, bool):
        return value, wanted.lower() == "true"
    if isinstance(value, (int, float)):
        return value, _number(wanted, comparison)
    raise ApiError(
        "INVALID_ARGUMENT", f"The filter cannot compare {comparison.field!r}; ask for it with ':'."
    )


def _number(text: str, comparison: Comparison) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ApiError(
            "INVALID_ARGUMENT",
            f"The filter compares {comparison.field!r} with {text!r}, which is not a number.",
        ) from error
