"""The two streams: results to stdout, everything else to stderr.

For every verb. `rich` is loaded when something is laid out, not for plain lines.
"""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

#: Wider than any table: where nobody looks, nothing is cut off or wrapped.
_UNLIMITED = 100_000


def say(text: str = "") -> None:
    """Print a message for the person, on stderr."""
    print(text, file=sys.stderr, flush=True)


def say_prose(text: str, hang: int = 0) -> None:
    """Print sentences on stderr; a screen breaks them at words, later lines indented by `hang`."""
    say(_wrapped(text, sys.stderr, hang))


def warn(text: str) -> None:
    """Print a warning, on stderr."""
    say_prose(f"warning: {text}", hang=len("warning: "))


def print_result(result: "str | RenderableType", *, flush: bool = True) -> None:
    """Print a result on stdout: a text as it is, anything else laid out by `rich`."""
    if isinstance(result, str):
        print(result, flush=flush)
    else:
        console(sys.stdout).print(result)


def flush_results() -> None:
    """Write what was printed without a flush."""
    sys.stdout.flush()


def print_prose(text: str, hang: int = 0) -> None:
    """Print sentences on stdout; a screen breaks them likewise."""
    print_result(_wrapped(text, sys.stdout, hang))


def console(stream: TextIO) -> "Console":
    """Return a console that changes no text by itself: no markup, no emoji, no highlighting."""
    from rich.console import Console

    width = None if stream.isatty() else _UNLIMITED
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def is_interactive() -> bool:
    """Return whether stderr is a screen on which a display can be redrawn."""
    if not sys.stderr.isatty():
        return False
    screen = console(sys.stderr)
    return screen.is_terminal and not screen.is_dumb_terminal


def _wrapped(text: str, stream: TextIO, hang: int) -> str:
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    lines = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip()) + hang
        lines += textwrap.wrap(
            line,
            width,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join(lines)
