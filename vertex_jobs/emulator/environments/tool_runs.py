"""One run of pip or uv: its lines are handed on, and the last ones kept for what it is to tell."""

import shlex
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

Say = Callable[[str], None]
#: Runs a command with the given environment, hands on each line that it writes, and returns its
#: exit code. When it is cancelled nothing of the command is left.
Run = Callable[[Sequence[str], Mapping[str, str], Say], Awaitable[int]]

_LAST_LINES = 15
#: pip and uv print the addresses of their indexes, which may hold a password.
_SECRET_LINES = ("Looking in ", "Using index ")


@dataclass(frozen=True)
class ToolRun:
    """The end of a run: its exit code and its last lines."""

    code: int
    last_lines: Sequence[str]


async def run_tool(
    run: Run, command: Sequence[str], environ: Mapping[str, str], say: Say
) -> ToolRun:
    """Run a command to its end; ``say`` hears the command and what it writes."""
    last: deque[str] = deque(maxlen=_LAST_LINES)

    def hear(line: str) -> None:
        if line.strip() and not line.startswith(_SECRET_LINES):
            last.append(line)
            say(line)

    say(f"Running command: {shlex.join(command)}")
    return ToolRun(await run(command, environ, hear), tuple(last))
