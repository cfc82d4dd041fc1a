"""Single values as the API's JSON has them, written and read back.

For the tables of ``mapping``: names in camelCase, durations and 64-bit integers as text, enums as
words in capitals.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.job_kinds import camel_case

_DURATION = re.compile(r"(\d+)(?:\.0+)?s")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def snake_case(name: str) -> str:
    """Return ``machine_type`` for ``machineType``."""
    return _CAPITAL.sub("_", name).lower()


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Codec:
    """The two ways of one value: from a config's, which is not None, to the API's, and back.

    Decoding leaves what is not of the API's form as it is, for the spec to judge.
    """

    encode: Callable[[Any], Any] = _same
    decode: Callable[[Any], Any] = _same


def _record(spec: Any) -> Any:
    return camel_case(spec.model_dump(mode="json", exclude_defaults=True))


def _snake_cases(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {snake_case(str(key)): _snake_cases(value) for key, value in node.items()}
    return [_snake_cases(item) for item in node] if isinstance(node, list) else node


def _seconds(value: Any) -> Any:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.lstrip("-").isdecimal() else value


def enum(prefix: str = "", suffix: str = "") -> Codec:
    """Return the codec of an enum: a config has its names without the ends, in lower case."""

    def decode(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return value.removeprefix(prefix).removesuffix(suffix).lower()

    return Codec(lambda value: f"{prefix}{value.upper()}{suffix}", decode)


AS_IS = Codec()
#: A number, which other writers may have put down as text.
WHOLE = Codec(decode=_whole)
#: A 64-bit integer, a text in the API's JSON; 0 is the default and left out.
INT64 = Codec(lambda value: str(value) if value else None, _whole)
#: 60 for ``60s``.
SECONDS = Codec(lambda value: f"{value}s", _seconds)
ITEMS = Codec(encode=list)
#: A spec whose fields are those of the message.
RECORD = Codec(_record, _snake_cases)
RECORDS = Codec(lambda specs: [_record(spec) for spec in specs], _snake_cases)
