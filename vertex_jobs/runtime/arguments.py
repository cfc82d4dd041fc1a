"""A training script's settings: one dataclass, turned into a command line with argparse-dataclass.

    @dataclass
    class Options:
        learning_rate: float = field(
            default=0.01, metadata={"help": "step size", "range": (1e-5, 1.0)}
        )

    options = arguments.parse(Options)

Vertex AI passes a trial's parameters as ``--learning_rate=0.01``, so both that spelling and
``--learning-rate`` are accepted. A misspelt flag is an error: it would train the default forever.
There are no configuration files and no environment variables here.
"""

import argparse
import dataclasses
import difflib
import enum
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_type_hints

from vertex_jobs.runtime.conversions import Converter, choose_converter

__all__ = ["parse"]

Options = TypeVar("Options")


def parse(options_class: type[Options], argv: Sequence[str] | None = None) -> Options:
    """Read the command line into the script's dataclass.

    Fields may be bool, int, float, str, Path, Enum (by value), Literal, an Optional of these
    (``none`` is None), or a list or tuple of them (``--sizes=64,32`` or ``--sizes 64 32``). A bool
    takes ``--flag``, ``--no-flag`` and ``--flag=true``. Metadata: ``help``; ``unit``, for the help;
    ``range``, the lowest and highest value allowed, both inclusive; ``tune``, what a study may try,
    which a config with ``parameter_spec: from_script`` reads. The last of several equal flags wins,
    as in a trial.

    Args:
        options_class: A dataclass; fields without a default are required.
        argv: Tokens without the program's name; the process's own when None.

    Raises:
        SystemExit: With status 2 and the reason on stderr when the command line is wrong, with
            status 0 after ``--help``.
        TypeError: If the class is no dataclass, or a field's type has no command-line form.
    """
    if not dataclasses.is_dataclass(options_class):
        raise TypeError(f"{options_class!r} is not a dataclass; decorate it with @dataclass")
    hints = get_type_hints(options_class)
    fields = [entry for entry in dataclasses.fields(options_class) if entry.init]
    converters = {entry.name: choose_converter(hints[entry.name], entry) for entry in fields}
    parser = _parser(options_class, fields, converters)
    found, unknown = argparse.ArgumentParser.parse_known_args(parser, argv)
    if unknown:
        parser.error(_unknown_message(unknown, converters))
    return options_class(**_values(found, converters))


def _parser(
    options_class: type[Any],
    fields: Sequence[dataclasses.Field[Any]],
    converters: dict[str, Converter],
) -> argparse.ArgumentParser:
    """Return the parser of argparse-dataclass, told what it cannot derive from the class itself."""
    import argparse_dataclass

    described = dataclasses.make_dataclass(
        options_class.__name__,
        [_described(entry, converters[entry.name]) for entry in fields],
        kw_only=True,
    )
    doc = options_class.__doc__ or ""
    generated = doc.startswith(f"{options_class.__name__}(")
    parser: argparse.ArgumentParser = argparse_dataclass.ArgumentParser(
        described, allow_abbrev=False, description=None if generated else doc
    )
    for entry in fields:
        if converters[entry.name].is_flag:
            parser.add_argument(
                *_spellings(f"no_{entry.name}"),
                dest=entry.name,
                action="store_const",
                const=False,
                default=dataclasses.MISSING,
                help=f"the same as --{entry.name}=false",
            )
    return parser


def _described(entry: dataclasses.Field[Any], reader: Converter) -> tuple[str, type[Any], Any]:
    """Return the field with all the metadata that argparse-dataclass reads.

    Its own type is hidden behind ``object``: argparse-dataclass treats bool, Literal and Optional
    in ways that cannot take a value such as ``--flag=true``.
    """
    metadata: dict[str, Any] = {
        "args": _spellings(entry.name),
        "type": reader,
        "help": _help(entry),
        "metavar": reader.metavar,
    }
    if reader.nargs is not None:
        metadata["nargs"] = reader.nargs
    required = not reader.is_flag and _default(entry) is dataclasses.MISSING
    default = dataclasses.MISSING if required else None
    return entry.name, object, dataclasses.field(default=default, metadata=metadata)


def _values(found: argparse.Namespace, converters: dict[str, Converter]) -> dict[str, Any]:
    """Return constructor arguments; a flag that was not given keeps the dataclass's default."""
    values: dict[str, Any] = {}
    for name, reader in converters.items():
        value = getattr(found, name)
        if value is not dataclasses.MISSING:
            values[name] = reader.collect(value)
        elif reader.is_flag and reader.required:
            values[name] = False
    return values


def _spellings(name: str) -> list[str]:
    """Return both spellings of a flag, Vertex AI's first."""
    return list(dict.fromkeys([f"--{name}", f"--{name.replace('_', '-')}"]))


def _default(entry: dataclasses.Field[Any]) -> Any:
    factory: Callable[[], Any] | Any = entry.default_factory
    return entry.default if factory is dataclasses.MISSING else factory()


def _help(entry: dataclasses.Field[Any]) -> str:
    """Return the help text with unit, range and default; percent signs escaped for argparse."""
    parts = [entry.metadata.get("help", "")]
    if "unit" in entry.metadata:
        parts.append(f"in {entry.metadata['unit']}")
    if "range" in entry.metadata:
        low, high = entry.metadata["range"]
        parts.append(f"from {low} to {high}")
    default = _default(entry)
    if isinstance(default, enum.Enum):
        default = default.value
    notes = ", ".join(part for part in parts if part)
    shown = "required" if default is dataclasses.MISSING else f"default: {default}"
    return f"{notes} ({shown})".strip().replace("%", "%%")


def _unknown_message(unknown: Sequence[str], converters: dict[str, Converter]) -> str:
    """Return a message with all unknown tokens, each with the nearest flag."""
    names = [*converters, *(f"no_{name}" for name in converters if converters[name].is_flag)]
    known = [spelling for name in names for spelling in _spellings(name)]
    parts = []
    for token in unknown:
        flag = token.partition("=")[0]
        near = difflib.get_close_matches(flag, known, n=1) if flag.startswith("-") else []
        parts.append(f"{token} (did you mean {near[0]}?)" if near else token)
    return f"unknown arguments: {', '.join(parts)}; see --help"
