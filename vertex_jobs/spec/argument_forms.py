"""Command-line arguments: a mapping or tokens in, tokens out; and the text of a trial's value.

For specs, their rules, and who starts trials. How a script reads them is ``runtime.arguments``.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Tag

from vertex_jobs.spec.fields import Text, fault_error

_TOKEN = re.compile(r"--(?P<key>[^\s=-][^\s=]*)=(?P<value>.*)", re.DOTALL)

Scalar = str | int | float | bool


def _read_scalar(value: Any) -> Any:
    if value is None:
        raise fault_error("has no value", "give one, or write args as a list of tokens")
    if not isinstance(value, (str, int, float)):
        raise fault_error("must be text, a number, true or false", "write args as a list of tokens")
    return value


def _refuse_one_text(value: Any) -> Any:
    if isinstance(value, str):
        raise fault_error(
            "must be a mapping or a list of tokens, not one text", f"write {value.split()!r}"
        )
    return value


def _kind_of(value: Any) -> str:
    return "mapping" if isinstance(value, Mapping) else "tokens"


ArgumentValue = Annotated[Any, BeforeValidator(_read_scalar)]
#: ``{epochs: 20}`` or ``[--epochs=20]``; order is kept.
Arguments = Annotated[
    Annotated[
        Annotated[Mapping[Text, ArgumentValue], Tag("mapping")]
        | Annotated[Sequence[ArgumentValue], AfterValidator(tuple), Tag("tokens")],
        Discriminator(_kind_of),
    ],
    BeforeValidator(_refuse_one_text),
]


def tokens(arguments: Mapping[str, Any] | Sequence[Any]) -> tuple[str, ...]:
    """Return the tokens that the program receives.

    A mapping gives ``--key=value`` in order. Truth values are ``true`` and ``false``; a float is
    the shortest text that reads back to the same value.
    """
    if isinstance(arguments, Mapping):
        return tuple(f"--{key}={_text(value)}" for key, value in arguments.items())
    return tuple(_text(value) for value in arguments)


def parameter_text(value: float | str) -> str:
    """Return the text in which a trial receives a parameter's value.

    It is the shortest that reads back to the same number, so a whole one has no ``.0``; from 1e16
    on it has an exponent.
    """
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def read_tokens(given: Any) -> Any:
    """Return tokens as the mapping that gives them, or as they are where no mapping does."""
    import yaml

    if not isinstance(given, (list, tuple)) or not all(isinstance(one, str) for one in given):
        return given  # for the field to judge
    found: dict[str, Any] = {}
    for token in given:
        match = _TOKEN.fullmatch(token)
        if match is None or match["key"] in found:
            return list(given)
        text = match["value"]
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            value = text
        # A number or truth value only if it gives the same text again: not for 007 or True.
        plain = isinstance(value, (bool, int, float)) and tokens([value]) == (text,)
        found[match["key"]] = value if plain else text
    return found


def flag_of(token: str) -> str:
    """Return the name of the flag in a token, dashes as underscores; empty for a plain value.

    Scripts that use ``runtime.arguments`` take ``--learning-rate`` for ``--learning_rate``, so both
    are the same flag.
    """
    if not token.startswith("--"):
        return ""
    return token[2:].partition("=")[0].replace("-", "_")


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)
