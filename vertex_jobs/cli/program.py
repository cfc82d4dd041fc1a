"""One run of the program: words to a verb, the verb to its module, errors to text and a code.

For ``vertex_jobs.cli.main``. A verb's module is loaded when the verb is used, so that help and
mistakes are answered at once.
"""

import difflib
import sys
from collections.abc import Sequence
from importlib import import_module

from vertex_jobs.cli.edge import Edge
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.terminal import say
from vertex_jobs.cli.verbs import PROGRAM, VERBS, overview, verb_parser

__all__ = ["run_command"]


def run_command(argv: Sequence[str] | None) -> int:
    """Run the verb that the words name; the exit code is that of the command line's table."""
    words = list(sys.argv[1:] if argv is None else argv)
    with Edge() as edge:
        if not words:
            say(overview())
            return 2
        if words[0] in ("-h", "--help", "help"):
            print(overview())
            return 0
        if words[0] == "--version":
            from vertex_jobs import __version__

            print(f"{PROGRAM} {__version__}")
            return 0
        try:
            options = _parse(words)
        except SystemExit as shown:  # a verb's --help
            return int(shown.code or 0)
        module, _, function = options.handler.partition(":")
        edge.exit_code = getattr(import_module(module), function)(options)
    return edge.exit_code


def _parse(words: list[str]) -> Options:
    """The options of one verb.

    Raises:
        UsageError: If a word is not understood.
    """
    name, rest = words[0], words[1:]
    verb = VERBS.get(name)
    if verb is None:
        kind = "option" if name.startswith("-") else "verb"
        near = difflib.get_close_matches(name, VERBS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        where = ", put options after the verb" if kind == "option" else ""
        raise UsageError(f"there is no {kind} {name}{hint}{where}\nsee: {PROGRAM} --help")
    parser = verb_parser(name, verb)
    command: list[str] = []
    if "--" in rest and verb.takes_command:
        split = rest.index("--")
        rest, command = rest[:split], rest[split + 1 :]
        if not command:
            parser.error("there is no command after --")
    parser.check_flags(rest)
    options, unknown = parser.parse_known_intermixed_args(rest, Options())
    if unknown:
        hint = (
            f"; write -- before the command: -- {' '.join(unknown)}" if verb.takes_command else ""
        )
        parser.error(f"one word too many: {unknown[0]}{hint}")
    options.verb, options.handler, options.command = name, verb.handler, command
    return options
