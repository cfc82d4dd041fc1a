"""A verb: what it says about itself, the options it takes, and the function that does it.

For the modules of ``verbs``, each of which defines one, and for ``main``.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from vertex_jobs.cli.options import add_options, read_options
from vertex_jobs.cli.parser import PROGRAM, Parser

_Options = TypeVar("_Options")


@dataclass(frozen=True)
class Verb(Generic[_Options]):
    """One verb.

    Attributes:
        examples: Lines to copy, without the program's name.
        handler: Does it, and returns the exit code.
        description: What a person must know to use it, below its summary.
        takes_command: Whether words after ``--`` are a command, for the option ``command``.
    """

    examples: tuple[str, ...]
    options: type[_Options]
    handler: Callable[[_Options], int]
    description: str = ""
    takes_command: bool = False


def parse(verb: Verb[_Options], name: str, summary: str, words: Sequence[str]) -> _Options:
    """Return the options that were typed after the verb's name.

    Raises:
        UsageError: If a word is not understood.
        SystemExit: If the help was asked for, which is printed.
    """
    parser = _parser(verb, name, summary)
    command: list[str] = []
    rest = list(words)
    if "--" in rest and verb.takes_command:
        split = rest.index("--")
        rest, command = rest[:split], rest[split + 1 :]
        if not command:
            parser.error("there is no command after --")
    parser.check_flags(rest)
    typed = argparse.Namespace(command=command)
    typed, unknown = parser.parse_known_intermixed_args(rest, typed)
    if unknown:
        hint = (
            f"; write -- before the command: -- {' '.join(unknown)}" if verb.takes_command else ""
        )
        parser.error(f"one word too many: {unknown[0]}{hint}")
    return read_options(verb.options, typed)


def _parser(verb: Verb[_Options], name: str, summary: str) -> Parser:
    examples = "\n".join(f"  {PROGRAM} {line}" for line in verb.examples)
    texts = (f"{summary[0].upper()}{summary[1:]}.", verb.description)
    parser = Parser(f"{PROGRAM} {name}", "\n\n".join(filter(None, texts)), f"examples:\n{examples}")
    add_options(parser, verb.options)
    if verb.takes_command:
        parser.usage = f"{PROGRAM} {name} [options] [-- COMMAND ...]"
    return parser
