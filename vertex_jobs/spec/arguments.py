"""Command-line arguments: a mapping or tokens in, tokens out.

For specs and the rules on them. How a script reads them is ``runtime.arguments``.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Tag

from vertex_jobs.spec.fields import Text, fault_error

__all__ = ["Arguments", "flag_of", "tokens"]

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
    """The tokens that the program receives.

    A mapping gives ``--key=value`` in order. Truth values are ``true`` and ``false``; a float is
    the shortest text that reads back to the same value.
    """
    if isinstance(arguments, Mapping):
        return tuple(f"--{key}={_text(value)}" for key, value in arguments.items())
    return tuple(_text(value) for value in arguments)


def flag_of(token: str) -> str:
    """The name of the flag in a token, dashes as underscores; empty for a plain value.

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
