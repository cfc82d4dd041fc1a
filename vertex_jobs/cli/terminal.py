"""The two streams: results to stdout, everything else to stderr.

For every verb. `rich` is loaded when something is laid out, not for plain lines.
"""

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["console", "is_interactive", "print_result", "say", "warn"]

#: Wider than any table: where nobody looks, nothing is cut off or wrapped.
_UNLIMITED = 100_000


def say(text: str = "") -> None:
    """One message for the person, on stderr."""
    print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """One warning, on stderr."""
    say(f"warning: {text}")


def print_result(result: "str | RenderableType") -> None:
    """One result, on stdout; a text as it is, anything else laid out by `rich`."""
    if isinstance(result, str):
        print(result, flush=True)
    else:
        console(sys.stdout).print(result)


def console(stream: TextIO) -> "Console":
    """A console that changes no text by itself: no markup, no emoji, no highlighting."""
    from rich.console import Console

    width = None if stream.isatty() else _UNLIMITED
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def is_interactive() -> bool:
    """Whether stderr is a screen on which a display can be redrawn."""
    if not sys.stderr.isatty():
        return False
    screen = console(sys.stderr)
    return screen.is_terminal and not screen.is_dumb_terminal
