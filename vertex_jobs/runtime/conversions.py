"""Texts of a command line converted into values of a field's type, for ``arguments``.

Each error says the value, the rule and the remedy in one line, since argparse prints one line.
"""

import argparse
import dataclasses
import enum
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

_TRUE = ("true", "1", "yes", "on")
_FALSE = ("false", "0", "no", "off")


@dataclasses.dataclass(frozen=True)
class Converter:
    """The conversion of one field, which argparse calls for each token.

    Attributes:
        read: Turns one text into one value.
        metavar: The value's name in the help.
        sequence: list or tuple for a field with many values, else None.
        is_flag: Whether the field is a bool.
        required: Whether the field has no default.
        bounds: Lowest and highest value, inclusive.
        optional: Whether ``none`` means None.
    """

    read: Callable[[str], Any]
    metavar: str
    sequence: type[Any] | None = None
    is_flag: bool = False
    required: bool = False
    bounds: tuple[float, float] | None = None
    optional: bool = False

    @property
    def nargs(self) -> str | None:
        """The number of tokens that argparse takes for the field, in its own notation."""
        if self.is_flag:
            return "?"
        return "*" if self.sequence else None

    def __call__(self, text: str) -> Any:
        """Return one token's value; for a sequence, the list of its comma-separated values."""
        if self.optional and not self.is_flag and text.lower() == "none":
            return None
        if self.sequence is None:
            return self._one(text)
        return [self._one(part.strip()) for part in text.split(",") if part.strip()]

    def collect(self, value: Any) -> Any:
        """Return the field's value from the values that argparse has gathered."""
        if self.is_flag and value is None:
            return True
        if self.sequence is None:
            return value
        if value == [None]:
            return None
        return self.sequence(item for part in value for item in part)

    def _one(self, text: str) -> Any:
        value = self.read(text)
        if self.bounds is not None and not self.bounds[0] <= value <= self.bounds[1]:
            low, high = self.bounds
            raise argparse.ArgumentTypeError(f"{text!r} is outside {low} to {high}")
        return value


def choose_converter(hint: Any, entry: dataclasses.Field[Any]) -> Converter:
    """Return the converter for a field of that resolved type.

    Raises:
        TypeError: If the type has no command-line form.
    """
    inner, optional = _without_none(hint)
    origin = get_origin(inner)
    sequence = origin if origin in (list, tuple) else None
    if sequence is not None:
        inner, *rest = get_args(inner)
        if rest not in ([], [Ellipsis]):
            raise TypeError(f"{entry.name}: {hint} has no command-line form; use tuple[T, ...]")
    read, metavar = _reader(inner, entry.name)
    missing = dataclasses.MISSING
    return Converter(
        read=read,
        metavar=metavar,
        sequence=sequence,
        is_flag=inner is bool and sequence is None,
        required=entry.default is missing and entry.default_factory is missing,
        bounds=entry.metadata.get("range"),
        optional=optional,
    )


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return the type inside an Optional, and whether it was one."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint, False
    inner = [arg for arg in get_args(hint) if arg is not type(None)]
    return (inner[0], True) if len(inner) == 1 else (hint, False)


def _reader(hint: Any, name: str) -> tuple[Callable[[str], Any], str]:
    """Return a function that reads one value of a type, and the value's name in the help."""
    if get_origin(hint) is Literal:
        return _choice([(value, value) for value in get_args(hint)])
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _choice([(member.value, member) for member in hint])
    readers: dict[Any, tuple[Callable[[str], Any], str]] = {
        bool: (_boolean, "BOOL"),
        int: (_integer, "INT"),
        float: (_number, "FLOAT"),
        str: (str, "TEXT"),
        Path: (_path, "PATH"),
    }
    if hint not in readers:
        raise TypeError(
            f"{name}: {hint} has no command-line form; use bool, int, float, str, Path, Enum, "
            "Literal, an Optional, list or tuple of these"
        )
    return readers[hint]


def _choice(choices: Sequence[tuple[Any, Any]]) -> tuple[Callable[[str], Any], str]:
    """Return a reader of choices, given as text and value; it takes any spelling of a number."""
    values = {str(written): value for written, value in choices}
    numbers = {
        float(written): value
        for written, value in choices
        if isinstance(written, (int, float)) and not isinstance(written, bool)
    }
    shown = "{" + ",".join(values) + "}"

    def read(text: str) -> Any:
        if text in values:
            return values[text]
        try:
            return numbers[float(text)]
        except (KeyError, ValueError):
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {shown}") from None

    return read, shown


def _boolean(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


def _integer(text: str) -> int:
    """Return a whole number, also for ``128.0``: the service may print a discrete parameter so."""
    try:
        return int(text)
    except ValueError:
        number = _number(text)
    if not number.is_integer():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(number)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error


def _path(text: str) -> Path:
    """Return a local path, no URI: pathlib would turn ``gs://b`` into a local folder ``gs:/b``."""
    if "://" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is a URI, not a local path; annotate it as str")
    return Path(text)
