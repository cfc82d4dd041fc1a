"""The command line: words to a verb, the verb to calls, their results to text and an exit code.

The only package that prints, for people in a terminal and for scripts: results go to stdout,
everything else to stderr. Nothing is decided here that a Python program could not decide too. The
module of a verb is loaded when the verb is typed, so that help and mistakes are answered at once.
"""

import sys
from collections.abc import Sequence

from vertex_jobs.cli.edge import Edge
from vertex_jobs.cli.parser import PROGRAM, UsageError, suggestion
from vertex_jobs.cli.terminal import say
from vertex_jobs.cli.verbs import SUMMARIES, load_verb, overview

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in these words, by default the process's own, and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    with Edge() as edge:
        if not words:
            say(overview())
            return 2
        name, rest = words[0], words[1:]
        if name in ("-h", "--help", "help"):
            print(overview())
            return 0
        if name == "--version":
            from vertex_jobs import __version__

            print(f"{PROGRAM} {__version__}")
            return 0
        if name not in SUMMARIES:
            raise UsageError(_unknown(name))
        from vertex_jobs.cli.verb import parse

        verb = load_verb(name)
        try:
            options = parse(verb, name, SUMMARIES[name], rest)
        except SystemExit as shown:  # a verb's --help
            return int(shown.code or 0)
        edge.exit_code = verb.handler(options)
    return edge.exit_code


def _unknown(name: str) -> str:
    kind = "option" if name.startswith("-") else "verb"
    where = ", put options after the verb" if kind == "option" else ""
    hint = suggestion(name, SUMMARIES)
    return f"there is no {kind} {name}{hint}{where}\nsee: {PROGRAM} --help"
