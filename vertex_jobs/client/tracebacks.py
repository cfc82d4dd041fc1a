"""The lines of a log that say why a program failed: its last traceback, or its last lines.

For `handle`. It reads lines that were fetched and contacts nothing.

Source: traceback module of Python.
"""

import re
from collections.abc import Sequence

from vertex_jobs.client.log_lines import LogEntry

#: Of a program that failed without a traceback.
_LAST_LINES = 10
_BEGINS = "Traceback (most recent call last):"
#: Between the tracebacks of one chain, the cause first.
_JOINTS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+)$')
#: Paths of Python, of what is installed, and of the module that starts a package's script.
_FOREIGN = re.compile(
    r"^<|/(site|dist)-packages/|/lib/python\d|vertex_jobs_task_\w+/(__main__\.py|vertex_jobs/)"
)
#: Folders in front of a script that only the package's unpacking has.
_UNPACKED = re.compile(r"^.*/vertex_jobs_task_[0-9a-f]+/")


def telling_lines(entries: Sequence[LogEntry], replica: str) -> tuple[str, ...]:
    """Return the last traceback to the log's end, whole, its causes included; else the last lines.

    Entries are the end of the log, oldest first; of that replica alone where one is named. An empty
    ``replica`` stands for the first one with a traceback.
    """
    raised = next((entry.replica for entry in entries if _begins(entry.text)), "")
    only = "" if replica else raised
    lines = [entry.text for entry in entries if not only or entry.replica == only]
    start = _traceback_start(lines)
    return tuple(lines[-_LAST_LINES:] if start is None else lines[start:])


def own_frame(lines: Sequence[str]) -> str:
    """Return the last place in the user's own code: ``train.py, line 12, in main``; else empty."""
    frames = [found for line in lines if (found := _FRAME.match(line))]
    own = [frame for frame in frames if not _FOREIGN.search(frame["file"])]
    if not own:
        return ""
    last = own[-1]
    return f"{_UNPACKED.sub('', last['file'])}, line {last['line']}, in {last['function']}"


def _begins(line: str) -> bool:
    return line.strip() == _BEGINS


def _traceback_start(lines: Sequence[str]) -> int | None:
    starts = [index for index, line in enumerate(lines) if _begins(line)]
    if not starts:
        return None
    start = starts.pop()
    while starts and any(line.strip() in _JOINTS for line in lines[starts[-1] : start]):
        start = starts.pop()
    return start
