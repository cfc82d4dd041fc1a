"""The edge of the command line: every error that we raise on purpose becomes text and a code.

For ``main``. An exception that is not in the table is a fault of ours and keeps its traceback.
"""

import contextlib
import os
import sys
from types import TracebackType

from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.terminal import say, say_prose
from vertex_jobs.errors import (
    EndpointError,
    InvalidJobError,
    JobFailedError,
    JobRefusedError,
    NoFeasibleTrialError,
    PackagingError,
    UnsupportedHereError,
)

_INTERRUPTED = 130
#: What a shell reports for a program whose reader has gone, as in ``vertex-jobs logs JOB | head``.
_NO_READER = 141
_CODES: tuple[tuple[type[Exception], int], ...] = (
    (UsageError, 2),
    (InvalidJobError, 2),
    (PackagingError, 2),
    (UnsupportedHereError, 2),
    (JobRefusedError, 2),
    (JobFailedError, 1),
    (NoFeasibleTrialError, 1),
    (EndpointError, 3),
)


class Edge(contextlib.AbstractContextManager["Edge"]):
    """Runs a command's body; afterwards ``exit_code`` says how it went."""

    def __init__(self) -> None:
        self.exit_code = 0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, KeyboardInterrupt):
            self.exit_code = _INTERRUPTED
            return True
        if isinstance(error, BrokenPipeError):
            # Python would try to flush what nobody reads at exit, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exit_code = _NO_READER
            return True
        for error_type, code in _CODES:
            if isinstance(error, error_type):
                _say_error(error)
                self.exit_code = code
                return True
        return False


def _say_error(error: Exception) -> None:
    if isinstance(error, InvalidJobError):
        say_prose(_faults(error))
    elif isinstance(error, JobFailedError):
        _say_failure(error)
    else:
        say_prose(f"error: {error}")


def _faults(error: InvalidJobError) -> str:
    """Return every fault on two lines: where and what; why, and what to do."""
    from vertex_jobs.wording import count

    lines = [f"error: {error.source}: {count(len(error.faults), 'fault')}"]
    for fault in error.faults:
        place = f"  ({fault.place})" if fault.place else ""
        lines += [f"  {fault.subject}{place}", f"      {fault.rule}; {fault.remedy}"]
    return "\n".join(lines)


def _say_failure(error: JobFailedError) -> None:
    state = error.state.rpartition("STATE_")[2].lower()
    if state == "cancelled":
        say("error: the job was cancelled")
        return
    say_prose(f"error: the job {state}: {error.message}")
    if error.last_lines:
        say(f"last lines of {error.origin}:")
        for line in error.last_lines:
            say(f"  | {line}")
    if error.raised_at:
        say(f"raised at {error.raised_at}")
    if error.remedy:
        say_prose(error.remedy)
