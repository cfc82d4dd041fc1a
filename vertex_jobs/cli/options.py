"""The options of a verb as a dataclass: each field says how it is typed on the command line.

A field is an `argument`, an `option` or a `switch`. Its type decides the rest: a tuple may be
repeated, a ``Literal`` allows its words alone, and an argument with a default may be left out. A
field whose type is such a dataclass stands for all options in it; they get a heading of their own
in the help if the class has a ``TITLE``.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

from vertex_jobs.cli.parser import one_of
from vertex_jobs.errors import Fault, InvalidJobError

_Options = TypeVar("_Options")
_KEY = "typed"


@dataclass(frozen=True)
class _Typed:
    """A field's way to be typed, as for `option`; ``flags`` is empty for an argument."""

    flags: tuple[str, ...]
    metavar: str
    help: str
    parse: Callable[[str], object] | None = None
    is_exclusive: bool = False


def argument(metavar: str, help_text: str, *, default: Any = MISSING) -> Any:
    """Return a field for a word that is known by its position."""
    return field(default=default, metadata={_KEY: _Typed((), metavar, help_text)})


def option(
    usage: str,
    help_text: str = "",
    *,
    default: Any = None,
    parse: Callable[[str], object] | None = None,
) -> Any:
    """Return a field for a word that follows its flag.

    ``usage`` is as the help shows it: ``--location, --region L``. The help text is empty if the
    words that it allows say it. The field's type makes the value of the text unless ``parse`` does.
    """
    flags, _, metavar = usage.rpartition(" ")
    typed = _Typed(tuple(flags.split(", ")), metavar, help_text, parse)
    return field(default=default, metadata={_KEY: typed})


def switch(usage: str, help_text: str, *, is_exclusive: bool = False) -> Any:
    """Return a field that is true if its flag is typed.

    ``usage`` is as the help shows it: ``-f, --follow``. An exclusive switch goes with no other
    exclusive one of its class.
    """
    typed = _Typed(tuple(usage.split(", ")), "", help_text, is_exclusive=is_exclusive)
    return field(default=False, metadata={_KEY: typed})


def add_options(parser: "argparse._ActionsContainer", options: type[Any]) -> None:
    """Add the options of a dataclass to a parser, in the order of its fields."""
    exclusive: argparse._ActionsContainer | None = None
    for one in fields(options):
        typed = one.metadata.get(_KEY)
        if inner := _group(one):
            title = getattr(inner, "TITLE", "")
            add_options(parser.add_argument_group(title) if title else parser, inner)
        elif typed is not None:
            target = parser
            if typed.is_exclusive:
                target = exclusive = exclusive or parser.add_mutually_exclusive_group()
            if typed.flags:
                target.add_argument(*typed.flags, dest=one.name, **_keywords(one, typed))
            else:
                target.add_argument(one.name, **_keywords(one, typed))


def read_options(options: type[_Options], parsed: argparse.Namespace) -> _Options:
    """Return the options of that class that were typed."""
    values: dict[str, Any] = {}
    for one in fields(options):  # type: ignore[arg-type]  # some dataclass
        if inner := _group(one):
            values[one.name] = read_options(inner, parsed)
        else:
            value = getattr(parsed, one.name)
            values[one.name] = tuple(value) if isinstance(value, list) else value
    return options(**values)


def option_error(flag: str, value: str | None, rule: str, remedy: str) -> InvalidJobError:
    """Return the error of an option that cannot be followed."""
    return InvalidJobError([Fault(flag, value, rule, remedy)], "command line")


def refuse(given: Mapping[str, object], rule: str, remedy: str = "drop it") -> None:
    """Refuse options, by flag, that do not fit the others.

    Those that are false were not typed; a text is shown as the value.

    Raises:
        InvalidJobError: With every option that was typed.
    """
    faults = [
        Fault(flag, value if isinstance(value, str) else None, rule, remedy)
        for flag, value in given.items()
        if value
    ]
    if faults:
        raise InvalidJobError(faults, "command line")


def _group(one: Field[Any]) -> type[Any] | None:
    """Return the dataclass of which the field stands for all options; None for one option."""
    return one.type if isinstance(one.type, type) and is_dataclass(one.type) else None


def _keywords(one: Field[Any], typed: _Typed) -> dict[str, Any]:
    if one.type is bool:
        return {"action": "store_true", "help": typed.help}
    inner = get_args(one.type)
    is_repeated = get_origin(one.type) is tuple
    item: Any = inner[0] if is_repeated or NoneType in inner else one.type
    words = get_args(item)  # of a Literal
    parse = one_of(*words) if words else _whole_number if item is int else item
    keywords = {
        "metavar": typed.metavar,
        "help": typed.help or f"{', '.join(words[:-1])} or {words[-1]} (default: %(default)s)",
        "type": typed.parse or parse,
    }
    if one.default is not MISSING:
        keywords["default"] = list(one.default) if is_repeated else one.default
        if not typed.flags:
            keywords["nargs"] = "*" if is_repeated else "?"
        elif is_repeated:
            keywords["action"] = "append"
    return keywords


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)
