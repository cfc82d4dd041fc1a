"""What a verb is: its place in the overview, what it says about itself, what it takes.

For the tables beside this module and for ``program``. Data and a parser made of it; nothing is
done here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from vertex_jobs.cli.parser import Parser, one_of

__all__ = ["PROGRAM", "Verb", "verb_parser"]

PROGRAM = "vertex-jobs"


@dataclass(frozen=True)
class Verb:
    """One verb.

    Attributes:
        summary: One line.
        description: What a person must know to use it; may be empty.
        examples: Lines to copy, without the program's name.
        handler: ``module:function``.
        add_options: Each adds some of its options to a parser, in this order.
        formats: What ``--format`` takes, the default first; empty where there is one form only.
        takes_command: Whether words after ``--`` are a command.
    """

    summary: str
    description: str
    examples: tuple[str, ...]
    handler: str
    add_options: tuple[Callable[[Parser], None], ...]
    formats: tuple[str, ...] = ()
    takes_command: bool = False


def verb_parser(name: str, verb: Verb) -> Parser:
    """The parser of one verb."""
    examples = "\n".join(f"  {PROGRAM} {line}" for line in verb.examples)
    texts = (f"{verb.summary[0].upper()}{verb.summary[1:]}.", verb.description)
    parser = Parser(f"{PROGRAM} {name}", "\n\n".join(filter(None, texts)), f"examples:\n{examples}")
    parser.set_defaults(on="local")  # for verbs that do not ask where
    for add in verb.add_options:
        add(parser)
    if verb.formats:
        _add_format(parser, verb.formats)
    if verb.takes_command:
        parser.usage = f"{PROGRAM} {name} [options] [-- COMMAND ...]"
    return parser


def _add_format(parser: Parser, forms: tuple[str, ...]) -> None:
    parser.add_argument(
        "--format",
        metavar="FORM",
        type=one_of(*forms),
        default=forms[0],
        help=f"{', '.join(forms[:-1])} or {forms[-1]} (default: {forms[0]})",
    )
