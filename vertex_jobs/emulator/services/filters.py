"""List filters, a subset of the API's filter language.

Comparisons ``field="value"``, ``!=``, ``:`` (has), joined by AND, OR, NOT and parentheses. Field
names may be snake_case or camelCase; ``labels.key`` and ``labels.key:*`` reach into the labels.
Source: AIP-160; ListCustomJobsRequest proto.
"""

import re
from collections.abc import Callable

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError

__all__ = ["compile_filter"]

Predicate = Callable[[protos.Message], bool]

_TOKEN = re.compile(
    r"\s*(?:(?P<paren>[()])|(?P<word>AND|OR|NOT)\b"
    r"|(?P<field>[\w.-]+)\s*(?P<operator>!=|=|:)\s*"
    r'(?P<value>"(?:[^"\\]|\\.)*"|[^\s()]+))'
)


def compile_filter(text: str) -> Predicate:
    """A predicate over resources; the empty filter accepts all.

    Raises:
        ApiError: INVALID_ARGUMENT, if the text is not understood.
    """
    if not text.strip():
        return lambda resource: True
    return _Parser(text).parse()


class _Parser:
    """Recursive descent over the tokens of one filter."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[re.Match[str]] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._error()
            self._tokens.append(match)
            position = match.end()
        self._next = 0

    def _error(self) -> ApiError:
        return ApiError(
            "INVALID_ARGUMENT",
            f"The filter {self._text!r} is not understood; expected comparisons such as "
            'display_name="x", state="JOB_STATE_RUNNING" or labels.key="x", joined by AND or OR.',
        )

    def _take(self, kind: str, text: str) -> bool:
        if self._next < len(self._tokens) and self._tokens[self._next][kind] == text:
            self._next += 1
            return True
        return False

    def parse(self) -> Predicate:
        predicate = self._either()
        if self._next != len(self._tokens):
            raise self._error()
        return predicate

    def _either(self) -> Predicate:
        parts = [self._all()]
        while self._take("word", "OR"):
            parts.append(self._all())
        return lambda resource: any(part(resource) for part in parts)

    def _all(self) -> Predicate:
        parts = [self._one()]
        while self._take("word", "AND"):
            parts.append(self._one())
        return lambda resource: all(part(resource) for part in parts)

    def _one(self) -> Predicate:
        if self._take("word", "NOT"):
            inner = self._one()
            return lambda resource: not inner(resource)
        if self._take("paren", "("):
            inner = self._either()
            if not self._take("paren", ")"):
                raise self._error()
            return inner
        if self._next == len(self._tokens) or not self._tokens[self._next]["field"]:
            raise self._error()
        token = self._tokens[self._next]
        self._next += 1
        return _comparison(token["field"], token["operator"], token["value"])


def _comparison(field: str, operator: str, value: str) -> Predicate:
    if value.startswith('"'):
        value = re.sub(r"\\(.)", r"\1", value[1:-1])
    negate = operator == "!="

    def compare(resource: protos.Message) -> bool:
        present, actual = _lookup(resource, field)
        if operator == ":" and value == "*":
            return present
        return (present and actual == value) != negate

    return compare


def _lookup(resource: protos.Message, field: str) -> tuple[bool, str]:
    head, _, key = field.partition(".")
    name = re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), head)
    descriptor = resource.DESCRIPTOR.fields_by_name.get(name)
    if descriptor is None:
        raise ApiError("INVALID_ARGUMENT", f"The filter names an unknown field {field!r}.")
    if name == "labels":
        return key in resource.labels, resource.labels.get(key, "")
    value = getattr(resource, name)
    if descriptor.enum_type is not None:
        return True, descriptor.enum_type.values_by_number[value].name
    return bool(value), str(value)
