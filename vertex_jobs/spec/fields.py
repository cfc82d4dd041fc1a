"""The types of single values in a spec: text, whole numbers, numbers, sequences.

For the models of this package. YAML has its own idea of what a scalar is, so these are strict:
``"4"`` is no number and ``yes`` no count. What a reader can repair says how.
"""

import os
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Gt, Le
from pydantic import (
    AfterValidator,
    AllowInfNan,
    BeforeValidator,
    StrictBool,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

Item = TypeVar("Item")

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def fault_error(rule: str, remedy: str) -> PydanticCustomError:
    """Return an error that carries rule and remedy of the later fault."""
    return PydanticCustomError("spec", "{rule}; {remedy}", {"rule": rule, "remedy": remedy})


def _read_text(value: Any) -> Any:
    if isinstance(value, bool):
        raise fault_error("must be text", f'write it in quotes: "{str(value).lower()}"')
    if isinstance(value, Real):
        raise fault_error("must be text", f'write it in quotes: "{value}"')
    return value


def _read_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise fault_error("must be a number", _without_quotes(value, "write a number"))
    return float(value)


def _read_whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise fault_error("must be a whole number", _without_quotes(value, "write a whole number"))
    if isinstance(value, Integral):
        return int(value)
    if not float(value).is_integer():
        raise fault_error("must be a whole number", "round it")
    return int(float(value))


def _read_value(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (str, Real)):
        raise fault_error("must be a number or text", "write one value of the parameter")
    return value


def _without_quotes(value: Any, otherwise: str) -> str:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return f"write it without quotes: {value.strip()}"
    return otherwise


def _read_path(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


# Shared types carry plain constraints: a shared Field would take over the default of whichever
# field uses it first (pydantic below 2.11).
_NOT_EMPTY = StringConstraints(min_length=1, strict=True)
#: Text that is not empty.
Text = Annotated[str, _NOT_EMPTY, BeforeValidator(_read_text)]
#: Text that may be empty, as the value of an environment variable may.
AnyText = Annotated[str, StringConstraints(strict=True), BeforeValidator(_read_text)]
#: A path as text; Python callers may give a ``Path``.
PathText = Annotated[str, _NOT_EMPTY, BeforeValidator(_read_path)]
#: A finite number.
Number = Annotated[float, AllowInfNan(False), BeforeValidator(_read_number)]
#: A whole number; 16.0 is one, 16.5, "16" and true are not.
Whole = Annotated[int, BeforeValidator(_read_whole)]
#: A value of a parameter of any kind.
Value = Annotated[Any, BeforeValidator(_read_value), WithJsonSchema({"type": ["number", "string"]})]
#: A count of things, at most what the API's 32-bit fields hold.
Count = Annotated[Whole, Ge(1), Le(2**31 - 1)]
#: An amount of memory.
Gigabytes = Annotated[Number, Gt(0)]
#: A duration in seconds, at most what a protobuf Duration holds (about 10,000 years).
Seconds = Annotated[Whole, Ge(0), Le(315_576_000_000)]
#: true or false, nothing that merely looks like it.
Flag = StrictBool
#: A list in the order given, kept as a tuple.
Items = Annotated[Sequence[Item], AfterValidator(tuple)]
#: A list, or its only item.
OneOrMore = Annotated[
    Items[Item],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "items": {"type": "string", "minLength": 1}},
            ]
        }
    ),
]
#: Names to texts.
TextMap = Mapping[Text, AnyText]
