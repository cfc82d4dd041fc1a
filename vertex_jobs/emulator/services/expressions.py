"""The grammar that list filters and logging queries share: comparisons joined by words.

Text in, a tree out; callers give comparisons their meaning. OR binds tighter than AND, NOT
tighter than both. Source: AIP-160; Logging query language (operator precedence).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from vertex_jobs.emulator.status import ApiError


@dataclass(frozen=True)
class Comparison:
    """One test: ``field operator value``; both empty but the value for a bare text.

    Attributes:
        field: Dotted path as written; quoted segments without their quotes.
        operator: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``:``, ``=~`` or ``!~``.
        value: The text, unquoted.
        quoted: Whether the value stood in quotes, so that ``*`` is no wildcard.
    """

    field: str
    operator: str
    value: str
    quoted: bool = False


@dataclass(frozen=True)
class And:
    """All of the parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    """Any of the parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Not:
    """The opposite of the part."""

    part: "Node"


Node: TypeAlias = Comparison | And | Or | Not

_TOKEN = re.compile(
    r"\s*(?:(?P<paren>[()])|(?P<word>AND|OR|NOT)(?![\w.])"
    r'|(?P<field>[A-Za-z_][\w-]*(?:\.(?:[\w-]+|"[^"]+"))*)\s*(?P<operator>!=|<=|>=|=~|!~|[=<>:])'
    r'|(?P<minus>-)(?=[A-Za-z_("])'
    r'|(?P<text>"(?:[^"\\]|\\.)*"|[^\s()"]+))'
)


def parse(text: str, *, bare_text: bool = False) -> Node | None:
    """Return the tree of a filter; None for the empty one, which accepts all.

    With ``bare_text`` terms may stand side by side, which means AND, and be a mere text, as in
    logging queries.

    Raises:
        ApiError: INVALID_ARGUMENT, if the text is not understood.
    """
    return _Parser(text, bare_text).parse() if text.strip() else None


def holds(node: Node | None, test: Callable[[Comparison], bool]) -> bool:
    """Return whether the tree is true, given whether each comparison holds."""
    if node is None:
        return True
    if isinstance(node, Comparison):
        return test(node)
    if isinstance(node, Not):
        return not holds(node.part, test)
    joined = all if isinstance(node, And) else any
    return joined(holds(part, test) for part in node.parts)


class _Parser:
    """Recursive descent over the tokens of one filter."""

    def __init__(self, text: str, bare_text: bool) -> None:
        self._text = text
        self._bare_text = bare_text
        self._tokens: list[re.Match[str]] = []
        self._next = 0
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._error()
            self._tokens.append(match)
            position = match.end()

    def _error(self) -> ApiError:
        return ApiError(
            "INVALID_ARGUMENT",
            f"The filter {self._text!r} is not understood; expected comparisons such as "
            'display_name="x", state="JOB_STATE_RUNNING" or labels.key="x", joined by AND or OR.',
        )

    def _kind(self) -> str:
        if self._next == len(self._tokens):
            return ""
        token = self._tokens[self._next]
        return next(name for name in ("paren", "word", "field", "minus", "text") if token[name])

    def _take(self, kind: str, text: str) -> bool:
        if self._kind() == kind and self._tokens[self._next][kind] == text:
            self._next += 1
            return True
        return False

    def parse(self) -> Node:
        node = self._all()
        if self._kind():
            raise self._error()
        return node

    def _all(self) -> Node:
        parts = [self._either()]
        while self._take("word", "AND") or (self._bare_text and self._begins_term()):
            parts.append(self._either())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _begins_term(self) -> bool:
        kind = self._kind()
        if kind in ("paren", "word"):
            return self._tokens[self._next][kind] in ("(", "NOT")
        return bool(kind)

    def _either(self) -> Node:
        parts = [self._one()]
        while self._take("word", "OR"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _one(self) -> Node:
        if self._take("word", "NOT") or self._take("minus", "-"):
            return Not(self._one())
        if self._take("paren", "("):
            node = self._all()
            if not self._take("paren", ")"):
                raise self._error()
            return node
        if self._kind() == "field":
            token = self._tokens[self._next]
            self._next += 1
            return self._value(token["field"].replace('"', ""), token["operator"])
        if self._kind() == "text" and self._bare_text:
            return self._value("", ":")
        raise self._error()

    def _value(self, field: str, operator: str) -> Node:
        """Parse the value of a comparison; ``(a OR b)`` means one with each."""
        if self._take("paren", "("):
            node = self._distribute(field, operator)
            if not self._take("paren", ")"):
                raise self._error()
            return node
        if self._kind() not in ("text", "field", "word"):
            raise self._error()
        token = self._tokens[self._next]
        self._next += 1
        raw = token[0].strip()
        if token["field"]:  # an unquoted value with an operator inside, such as a time
            raw += self._rest_of_value()
        quoted = raw.startswith('"')
        value = re.sub(r"\\(.)", r"\1", raw[1:-1]) if quoted else raw
        return Comparison(field, operator, value, quoted)

    def _rest_of_value(self) -> str:
        if self._kind() == "text":
            token = self._tokens[self._next]
            self._next += 1
            return token[0].strip()
        return ""

    def _distribute(self, field: str, operator: str) -> Node:
        parts = [self._value(field, operator)]
        joined: type[And | Or] = Or
        while True:
            if self._take("word", "OR"):
                pass
            elif self._take("word", "AND"):
                joined = And
            else:
                return parts[0] if len(parts) == 1 else joined(tuple(parts))
            parts.append(self._value(field, operator))
