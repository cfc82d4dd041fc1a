"""An argument parser that teaches: no abbreviations, and "did you mean" for every wrong word.

For ``main``. It knows words, not jobs; the verbs and their options are in ``verbs``.
"""

import argparse
import difflib
import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from vertex_jobs.errors import VertexJobsError

PROGRAM = "vertex-jobs"

#: Words further from the mistyped one than this are no help.
_NEAR = 0.6
#: Longer lines are harder to read, however wide the screen is.
_WIDEST = 100


class UsageError(VertexJobsError):
    """The command makes no sense as typed, or was declined; nothing was done."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean X?`` for the nearest known word, else an empty text."""
    near = difflib.get_close_matches(word, sorted(known), n=1, cutoff=_NEAR)
    return f"; did you mean {near[0]}?" if near else ""


def one_of(*words: str) -> Callable[[str], str]:
    """Return a parser of values that accepts these words only, and suggests the nearest."""

    def choose(word: str) -> str:
        if word in words:
            return word
        known = ", ".join(words)
        raise argparse.ArgumentTypeError(f"{word!r} is none of {known}{suggestion(word, words)}")

    return choose


class Parser(argparse.ArgumentParser):
    """A parser for a program or one of its verbs; a mistake is a `UsageError`."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=_HelpFormatter,
            allow_abbrev=False,
            add_help=False,
        )
        self.add_argument("-h", "--help", action="help", help="this text")

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError` instead of leaving the process."""
        raise UsageError(f"{message}\nsee: {self.prog} --help")

    def check_flags(self, words: Sequence[str]) -> None:
        """Refuse every flag that is not known, all at once, with a `UsageError`."""
        known = self._option_string_actions
        flags = [word.partition("=")[0] for word in words if _is_flag(word)]
        wrong = [flag for flag in flags if flag not in known and flag[:2] not in known]
        if wrong:
            long = [flag for flag in known if flag.startswith("--")]
            self.error("\n".join(f"there is no {flag}{suggestion(flag, long)}" for flag in wrong))


class _HelpFormatter(argparse.HelpFormatter):
    """Fits the screen; lines that are indented, and what introduces them, stay as they are."""

    def __init__(self, prog: str) -> None:
        width = min(shutil.get_terminal_size().columns, _WIDEST)
        super().__init__(f"{prog} [options]", max_help_position=28, width=width)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable["argparse._MutuallyExclusiveGroup"],
        prefix: str | None = None,
    ) -> None:
        """Name the words that are needed; the options are explained below, once."""
        super().add_usage(usage, [one for one in actions if not one.option_strings], (), prefix)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n\n")
        return "\n\n".join(
            paragraph if "\n  " in paragraph else textwrap.fill(paragraph, width)
            for paragraph in paragraphs
        )


def _is_flag(word: str) -> bool:
    """Return whether the word is an option; a lone dash and negative numbers are not."""
    return len(word) > 1 and word.startswith("-") and not word[1].isdigit()
