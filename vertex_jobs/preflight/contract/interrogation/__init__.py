"""The child process that runs a script as far as its argument parser, and questions the parser.

``contract.asking`` starts it. It uses the standard library alone, and the script sees no name of
it. The script never gets past its parser: the answer is written, and the process ends there. An
audit hook, which the script cannot remove, forbids what only a job may do: to reach the network, to
write outside of a scratch folder, to start programs.
"""

import json
import os
import runpy
import socket
import sys
import traceback
from typing import Any

from . import absl_flags, argparse_parsers, click_commands, stand_ins
from .answers import Answer

__all__ = ["main"]

_ASKERS = {
    "argparse": argparse_parsers.intercept,
    "click": click_commands.intercept,
    "absl": absl_flags.intercept,
}

_WRITES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.link", "os.symlink"}
_STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn"}


class _ForbiddenError(BaseException):
    """The script did something that only a job may do."""


def main(answer_descriptor: int) -> None:
    """Read the questions from stdin, run the script, write the answer, and end."""
    questions = json.loads(sys.stdin.read())
    answer = Answer(answer_descriptor, questions)
    folder = questions["folder"]
    sys.path.insert(0, folder)
    # As python -m does, before the script can see it.
    sys.argv = [os.path.join(folder, questions["module"], "__main__.py"), *questions["argv"]]
    if questions["stand_ins"]:
        stand_ins.install(os.path.join(folder, questions["module"]), questions["missing"])
    for name in questions["parsers"]:
        _ASKERS[name](answer)
    _forbid(os.path.dirname(folder), starts_processes=not questions["stand_ins"])
    _run(questions["module"], answer)


def _run(module: str, answer: Answer) -> None:
    fields: dict[str, Any] = {"outcome": "ended"}
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except stand_ins.NeedsRealError as reason:
        fields = {"outcome": "needs_real", "detail": str(reason)}
    except _ForbiddenError as reason:
        fields = {"outcome": "forbidden", "detail": str(reason)}
    except ModuleNotFoundError as error:
        fields = {"outcome": "failed", "detail": _last_line(error), "missing": error.name or ""}
    except SystemExit as error:
        fields = {"outcome": "ended", "detail": f"it ended with {error.code}"}
    except BaseException as error:
        traceback.print_exc()
        fields = {"outcome": "failed", "detail": _last_line(error)}
    answer.end(**fields)


def _last_line(error: BaseException) -> str:
    return traceback.format_exception_only(type(error), error)[-1].strip()


def _forbid(scratch: str, *, starts_processes: bool) -> None:
    """Forbid network, files outside of the scratch folder, and other programs from now on.

    Some libraries start programs when they are loaded; ``starts_processes`` lets them.
    """
    allowed = (os.path.realpath(scratch), "/dev/", "/proc/")

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and _is_network(arguments[0]):
            raise _ForbiddenError("connects to the network")
        if event in _STARTS and not starts_processes:
            raise _ForbiddenError("starts another program")
        if event == "open" and not _is_write(arguments):
            return
        if event == "open" or event in _WRITES:
            path = arguments[0]
            if isinstance(path, (str, bytes, os.PathLike)):
                real = os.path.realpath(os.path.abspath(os.fsdecode(path)))
                if not real.startswith(allowed):
                    raise _ForbiddenError(f"writes to {os.fsdecode(path)}")

    sys.addaudithook(watch)


def _is_network(connection: Any) -> bool:
    return getattr(connection, "family", None) in (socket.AF_INET, socket.AF_INET6)


def _is_write(arguments: tuple[Any, ...]) -> bool:
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
